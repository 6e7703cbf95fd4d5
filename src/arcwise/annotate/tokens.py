"""Tokens and sentences that are cut and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcwise.annotate import marks
from arcwise.annotate.arcs import ANY_LABEL, root_label, set_arc
from arcwise.annotate.lines import (
    COLUMNS,
    DEPREL,
    DEPS,
    FORM,
    HEAD,
    ID,
    MISC,
    ROOT,
    Block,
    Draft,
    Multiword,
    misc_value,
    no_space_after,
    split_deps,
    with_misc,
)
from arcwise.annotate.refusals import RefusedEditError
from arcwise.corrections import NO_VALUE

JOINED_LABEL = "parataxis"
_OF_ANOTHER_SENTENCE = ("sent_id", "text", marks.CHECKED, marks.PARSED_BY)


# --- tokens ------------------------------------------------------------------------------------------------


def split_token(draft: Draft, name: str, forms: Sequence[str]) -> None:
    """Cuts a word in two or more: the first keeps what is said of it, the others are below it."""
    row = draft.word(name)
    if len(forms) < 2 or not all(form.strip() for form in forms):
        raise RefusedEditError("token", "A word is cut in two or more parts, none of them empty.")
    multiword = draft.multiword_of(name)
    if multiword is None and "".join(forms) != row[FORM]:
        raise RefusedEditError(
            "token",
            f"“{' '.join(forms)}” is not what “{row[FORM]}” is cut into: change the form first, or make a "
            "multiword token of it, whose words may have forms of their own.",
        )
    added = []
    for form in forms[1:]:
        new = [NO_VALUE] * len(COLUMNS)
        new[ID], new[FORM], new[HEAD], new[DEPREL] = draft.new_name(), form.strip(), name, ANY_LABEL
        added.append(new)
    row[FORM] = forms[0].strip()
    if multiword is None:
        for before in [row, *added[:-1]]:
            _set_space(before, False, moved_to=added[-1])
    elif multiword.last == name:
        multiword.last = added[-1][ID]
    place = draft.place(name) + 1
    draft.rows[place:place] = added
    draft.tokens_changed = True


def _set_space(row: list[str], space: bool, moved_to: list[str] | None = None) -> None:
    """Whether white space follows; what was said of it goes to another token."""
    if moved_to is not None and no_space_after(row):
        moved_to[MISC] = with_misc(moved_to[MISC], "SpaceAfter", "No")
    row[MISC] = with_misc(row[MISC], "SpaceAfter", None if space else "No")


def join_tokens(draft: Draft, first: str, last: str, form: str | None) -> None:
    """Makes one word of several that stand side by side; whatever hung on them hangs on it."""
    names = _between(draft, first, last)
    if len(names) < 2:
        raise RefusedEditError("token", "Two words or more are joined: name the first and the last.")
    rows = [draft.row(name) for name in names]
    inside = [multiword for multiword in draft.multiwords if {multiword.first, multiword.last} & set(names)]
    around = draft.multiword_of(names[0])
    for multiword in inside:
        if multiword is not around or around is not draft.multiword_of(names[-1]):
            raise RefusedEditError(
                "multiword",
                f"Some of these words are in the multiword token “{multiword.row[FORM]}” and others are not: "
                "take that apart first.",
            )
        if (multiword.first, multiword.last) == (names[0], names[-1]):
            raise RefusedEditError(
                "multiword",
                f"These are all words of the multiword token “{multiword.row[FORM]}”, which would have one "
                "alone: take it apart first.",
            )
    top = next((row for row in rows if draft.head(row[ID]) not in names), rows[0])
    head, label = draft.head(top[ID]), top[DEPREL]
    kept = rows[0]
    if top is not kept:
        kept[DEPREL], kept[HEAD], kept[DEPS] = label, head, top[DEPS]
        kept[2:6] = top[2:6]
        kept[MISC] = marks.with_fixed(kept[MISC], marks.fixed_fields(top[MISC]))
    kept[FORM] = form or "".join(row[FORM] for row in rows)
    if around is None:
        _set_space(kept, not no_space_after(rows[-1]))
    elif around.last == names[-1]:
        around.last = kept[ID]
    for row in rows[1:]:
        draft.aliases[row[ID]] = kept[ID]
        draft.rows.remove(row)
    draft.tokens_changed = True


def _between(draft: Draft, first: str, last: str) -> list[str]:
    begin, end = draft.place(draft.word(first)[ID]), draft.place(draft.word(last)[ID])
    if begin > end:
        raise RefusedEditError("token", f"Word {first} comes after word {last}: name the first one first.")
    rows = draft.rows[begin : end + 1]
    if (empty := next((row for row in rows if draft.is_empty(row)), None)) is not None:
        raise RefusedEditError(
            "empty_node",
            f"The empty node {empty[ID]} stands between these words: remove it from the file first.",
        )
    return [row[ID] for row in rows]


def make_multiword(draft: Draft, first: str, last: str, form: str | None) -> None:
    """Makes words the parts of one token of the text."""
    begin, end = draft.place(draft.word(first)[ID]), draft.place(draft.word(last)[ID])
    if begin >= end:
        raise RefusedEditError(
            "multiword", "A multiword token has two words or more: name the first and the last."
        )
    rows = [row for row in draft.rows[begin : end + 1] if not draft.is_empty(row)]
    for row in rows:
        if (multiword := draft.multiword_of(row[ID])) is not None:
            raise RefusedEditError(
                "multiword", f"“{row[FORM]}” is in the multiword token “{multiword.row[FORM]}” already."
            )
    made = [NO_VALUE] * len(COLUMNS)
    made[FORM] = form or "".join(row[FORM] for row in rows)
    if no_space_after(rows[-1]):
        made[MISC] = "SpaceAfter=No"
    for row in rows:
        _set_space(row, True)
    draft.multiwords.append(Multiword(first, last, made))
    draft.tokens_changed = True


def unmake_multiword(draft: Draft, first: str) -> None:
    """Takes a multiword token apart: its words are the text then, side by side."""
    found = next((one for one in draft.multiwords if first in (one.first, f"{one.first}-{one.last}")), None)
    if found is None:
        raise RefusedEditError("multiword", f"No multiword token begins at word {first}.")
    begin, end = draft.place(found.first), draft.place(found.last)
    rows = [row for row in draft.rows[begin : end + 1] if not draft.is_empty(row)]
    for row in rows[:-1]:
        _set_space(row, False)
    _set_space(rows[-1], not no_space_after(found.row))
    draft.multiwords.remove(found)
    draft.tokens_changed = True


# --- sentences ---------------------------------------------------------------------------------------------


def split_sentence(block: Block, number: str, new_id: str | None) -> tuple[Block, Block]:
    """Two sentences of one, the second of which begins with a word."""
    draft = Draft(block)
    draft.word(number)
    place = draft.place(number)
    if not any(not draft.is_empty(row) for row in draft.rows[:place]):
        raise RefusedEditError("sentence", "The sentence begins with this word: choose a later one.")
    multiword = draft.multiword_of(number)
    if multiword is not None and multiword.first != number:
        raise RefusedEditError(
            "multiword",
            f"The word is inside the multiword token “{multiword.row[FORM]}”: take that apart first.",
        )
    names = {row[ID] for row in draft.rows[place:]}
    label = root_label(draft)
    for part in (draft.rows[:place], draft.rows[place:]):
        _close(draft, part, label)
    first, second = Draft(block), Draft(block)
    first.rows, second.rows = draft.rows[:place], draft.rows[place:]
    first.multiwords = [one for one in draft.multiwords if one.first not in names]
    second.multiwords = [one for one in draft.multiwords if one.first in names]
    second.comments = [f"# sent_id = {new_id}"] if new_id is not None else []
    second.comments += [f"# {key} = {value}" for key in ("parsed_by",) if (value := block.comment(key))]
    if block.comment("text") is not None:
        second.comments.append("# text = ")
    first.tokens_changed = second.tokens_changed = True
    made = first.finish().with_comment(marks.CHECKED, None), second.finish()
    return replace(made[0], tail=2 * block.newline), replace(made[1], tail=block.tail)


def _close(draft: Draft, rows: list[list[str]], label: str) -> None:
    """Makes a tree of a part of one: the first word whose head is elsewhere is the root of the others."""
    names = {row[ID] for row in rows}
    top = next((row for row in rows if not draft.is_empty(row) and draft.head(row[ID]) == ROOT), None)
    for row in rows:
        if draft.is_empty(row):
            _demand_inside(row, names, None)
            continue
        head = draft.head(row[ID])
        if head in (*names, ROOT, NO_VALUE):
            _demand_inside(row, names, None)
            continue
        _demand_inside(row, names, head)
        new, as_ = (ROOT, label) if top is None else (top[ID], row[DEPREL])
        top = top or row
        if row[DEPS] != NO_VALUE:
            deps = split_deps(row[DEPS]) or []
            row[DEPS] = "|".join(f"{new}:{as_}" if of == head else f"{of}:{name}" for of, name in deps)
        marks.free(row, "head", "deprel")
        set_arc(draft, row[ID], new, as_)


def _demand_inside(row: list[str], names: set[str], head: str | None) -> None:
    """Enhanced dependencies may not lead elsewhere, but from the word's own head."""
    for of, name in split_deps(row[DEPS]) or []:
        if of not in (*names, ROOT, head):
            raise RefusedEditError(
                "deps",
                f"The enhanced dependency {of}:{name} of word {row[ID]} leads elsewhere: change DEPS first.",
            )


def join_sentences(first: Block, second: Block) -> Block:
    """One sentence of two; the second hangs on the root of the first."""
    for line in second.comments:
        key = line.lstrip("# \t").partition("=")[0].strip().partition(" ")[0]
        if key in ("newdoc", "newpar"):
            raise RefusedEditError(
                "sentence", f"The next sentence begins anew ({line}): remove that comment first."
            )
    draft, other = Draft(first), Draft(second)
    root = next((row[ID] for row in draft.words if draft.head(row[ID]) == ROOT), None)
    names = {row[ID]: f"n{row[ID]}" for row in other.rows}  # a point stays in those of empty nodes
    for row in other.rows:
        before = row[HEAD], row[DEPREL]
        row[ID] = names[row[ID]]
        if row[DEPS] != NO_VALUE:
            deps = split_deps(row[DEPS])
            if deps is None or any(of not in (*names, ROOT) for of, _ in deps):
                raise RefusedEditError(
                    "deps", f"DEPS cannot be renumbered ({row[DEPS][:60]}): change it first."
                )
            row[DEPS] = "|".join(_moved(dep, before, names, root) for dep in deps)
        row[MISC] = _moved_misc(row[MISC], names)
        if before[0] == ROOT and root is not None:
            row[HEAD], row[DEPREL] = root, JOINED_LABEL
            marks.free(row, "head", "deprel")
        else:
            row[HEAD] = names.get(before[0], before[0])
    draft.rows += other.rows
    draft.multiwords += [Multiword(names[one.first], names[one.last], one.row) for one in other.multiwords]
    draft.comments += [
        line
        for line in second.comments
        if _key(line) not in _OF_ANOTHER_SENTENCE and line not in draft.comments
    ]
    draft.tokens_changed = True
    made = replace(draft.finish(), tail=second.tail).with_comment(marks.CHECKED, None)
    for block in (first, second):
        if (name := block.comment(marks.PARSED_BY)) is not None:
            made = made.with_comment(marks.PARSED_BY, name)
    return made


def _key(line: str) -> str:
    return line.lstrip("#").partition("=")[0].strip()


def _moved(dep: tuple[str, str], basic: tuple[str, str], names: dict[str, str], root: str | None) -> str:
    head, label = dep
    if head == ROOT and basic[0] == ROOT and root is not None:
        return f"{root}:{JOINED_LABEL}"
    return f"{names.get(head, head)}:{label}"


def _moved_misc(misc: str, names: dict[str, str]) -> str:
    """Constraints that name words of the second sentence."""
    for key in ("FixedHead", "NotHead", "Subtree"):
        if (value := misc_value(misc, key)) is not None:
            made = value
            for separator in (",", "-"):
                made = separator.join(names.get(part, part) for part in made.split(separator))
            misc = with_misc(misc, key, made)
    return misc
