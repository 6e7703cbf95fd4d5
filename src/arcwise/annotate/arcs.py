"""Arcs that are drawn by hand: a tree stays a tree, or the reason why it would not is told."""

from __future__ import annotations

from collections.abc import Callable

from arcwise.annotate import marks
from arcwise.annotate.lines import DEPREL, DEPS, FORM, HEAD, ID, MISC, ROOT, Draft, split_deps
from arcwise.annotate.refusals import RefusedEditError
from arcwise.corrections import NO_VALUE, without_probabilities

LabelFor = Callable[[Draft, str, str], str | None]
"""A label for an arc to a word (its name) from a head, or None."""
ANY_LABEL = "dep"


def give_head(
    draft: Draft, name: str, head: str, deprel: str | None, *, swap: bool, follow: bool, label: LabelFor
) -> None:
    """Gives a word a head, which is then fixed.

    If other arcs are in the way (the head stands below the word, or another word is under ROOT), they give
    way where the parser finds others anyway (`follow`, unless they are fixed) or if they are told to
    (`swap`).
    """
    row = draft.word(name)
    if head != ROOT:
        head = draft.word(head)[ID]
    if head == name:
        raise RefusedEditError("cycle", f"“{row[FORM]}” cannot be its own head: choose another word.")
    old_head, old_label, at_root = draft.head(name), row[DEPREL], root_label(draft)
    if head != old_head:
        if head == ROOT:
            _make_way_at_the_root(draft, name, swap=swap, follow=follow, label=label)
        else:
            _make_way_above(draft, name, head, swap=swap, follow=follow)
    if deprel is None:
        old = old_head, old_label
        deprel = at_root if head == ROOT else _label(draft, name, head, old, label)
        fields = ["head", "deprel"] if head == ROOT else ["head"]
    else:
        fields = ["head", "deprel"]
    set_arc(draft, name, head, deprel)
    if draft.block.format == "conllu":
        marks.fix(row, *fields)
        if fields == ["head"] and head != old_head:
            marks.free(row, "deprel")


def _label(draft: Draft, name: str, head: str, old: tuple[str, str], label: LabelFor) -> str:
    old_head, old_label = old
    if head == old_head and old_label != NO_VALUE:
        return old_label
    return label(draft, name, head) or (ANY_LABEL if old_head in (ROOT, NO_VALUE) else old_label)


def root_label(draft: Draft) -> str:
    """As the sentence has it; treebanks differ."""
    for row in draft.words:
        if draft.resolved(row[HEAD]) == ROOT and row[DEPREL] != NO_VALUE:
            return row[DEPREL]
    return "root"


def set_arc(draft: Draft, name: str, head: str, deprel: str) -> None:
    """Writes an arc; DEPS follow where they say the same as the basic tree, and what MISC says of an old arc
    goes."""
    row = draft.row(name)
    before = draft.resolved(row[HEAD]), row[DEPREL]
    if before == (head, deprel):
        return
    row[HEAD], row[DEPREL] = head, deprel
    if draft.block.format == "conllx":
        return
    row[MISC] = without_probabilities(row[MISC])
    if row[DEPS] != NO_VALUE and (deps := split_deps(row[DEPS])) is not None and before in deps:
        made = [(head, deprel) if dep == before else dep for dep in deps]
        row[DEPS] = "|".join(f"{of}:{as_}" for of, as_ in dict.fromkeys(made))


def _path(draft: Draft, name: str) -> list[str]:
    """A word and those above it."""
    path: list[str] = []
    while name not in (ROOT, NO_VALUE) and name not in path:
        path.append(name)
        name = draft.head(name)
    return path


def _is_fixed(draft: Draft, name: str) -> bool:
    return draft.block.format == "conllu" and "head" in marks.fixed_fields(draft.row(name)[MISC])


def _make_way_above(draft: Draft, name: str, head: str, *, swap: bool, follow: bool) -> None:
    """If the head stands below the word, what is between them moves to where the word was."""
    path = _path(draft, head)
    if name not in path:
        return
    between = path[: path.index(name)]
    free = [one for one in between if not _is_fixed(draft, one)]
    if not swap and (not follow or not free):
        words = " → ".join(draft.row(one)[FORM] for one in [head, *path[1 : path.index(name) + 1]])
        fixed = " All of these arcs are fixed." if follow else ""
        raise RefusedEditError(
            "cycle",
            f"“{draft.row(head)[FORM]}” stands below “{draft.row(name)[FORM]}” ({words}), and two words "
            f"cannot be above each other.{fixed} Let “{draft.row(between[-1])[FORM]}” take its place first.",
            {"op": "head", "word": name, "head": head, "swap": True},
        )
    mover = between[-1] if swap or not free else free[-1]
    row = draft.row(name)
    if draft.block.format == "conllu":
        marks.free(draft.row(mover), "head", "deprel")
    set_arc(draft, mover, draft.head(name), row[DEPREL])


def _make_way_at_the_root(draft: Draft, name: str, *, swap: bool, follow: bool, label: LabelFor) -> None:
    """The word that was under ROOT goes below the one that is now."""
    roots = [row[ID] for row in draft.words if draft.resolved(row[HEAD]) == ROOT and row[ID] != name]
    if not roots:
        return
    fixed = [root for root in roots if _is_fixed(draft, root)]
    if not swap and (not follow or fixed):
        root = (fixed or roots)[0]
        raise RefusedEditError(
            "second_root",
            f"“{draft.row(root)[FORM]}” is under ROOT already, and one word is. Put it below "
            f"“{draft.row(name)[FORM]}”, or give it another head first.",
            {"op": "head", "word": name, "head": 0, "swap": True},
        )
    old = draft.row(name)[DEPREL]
    for root in roots:
        if draft.block.format == "conllu":
            marks.free(draft.row(root), "head", "deprel")
        found = label(draft, root, name) or (old if old not in (NO_VALUE, "root") else ANY_LABEL)
        set_arc(draft, root, name, found)
