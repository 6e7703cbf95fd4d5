"""Documents as lists of dicts, in the form of Stanza's `Document.to_dict()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arcwise.document import Document
from arcwise.errors import TreebankError
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.spaces import written_spaces
from arcwise.treebank import Treebank

_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def to_dict(document: Document) -> list[list[dict[str, Any]]]:
    """What `Document.to_dict` gives."""
    return [_sentence(sentence) for sentence in document]


def _sentence(sentence: Sentence) -> list[dict[str, Any]]:
    starting = {token.ids[0]: token for token in sentence.multiword_tokens}
    has_places = sentence.format == "conllu"
    found: list[dict[str, Any]] = []
    within = 0  # a multiword token: the id of its last word
    for word in sentence:
        place = {"start_char": word.start, "end_char": word.end} if has_places else {}
        if (token := starting.get(word.id)) is not None:
            within = token.ids[1]
            found.append({"id": token.ids, "text": token.form, **_given(misc=token.misc), **place})
        values = {name: getattr(word, name) for name in _COLUMNS}
        own_place = {} if word.id <= within else place
        found.append({"id": word.id, "text": word.form, **_given(**values), **own_place})
    return found


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != NO_VALUE}


def from_dict(sentences: Sequence[Sequence[Mapping[str, Any]]], text: str | None = None) -> Document:
    """What `Document.from_dict` gives."""
    ends = [_place(entry, "end_char") for sentence in sentences for entry in _tokens(sentence)]
    starts = [_place(entry, "start_char") for sentence in sentences for entry in _tokens(sentence)]
    # What comes after each token: nothing of the last one is known without the text.
    starts = [*starts[1:], None if text is None else len(text)]
    spaces = iter([_space(end, start, text) for end, start in zip(ends, starts, strict=True)])
    lines: list[str] = []
    for number, sentence in enumerate(sentences):
        for entry, is_token in _entries(sentence):
            space = next(spaces) if is_token else ""
            lines.append("\t".join(_row(entry, space, f"sentence {number} (counted from 0)")))
        lines.append("")
    treebank = Treebank.from_string("".join(f"{line}\n" for line in lines), source="<dicts>")
    return Document(treebank, text)


def _ids(entry: Mapping[str, Any]) -> tuple[int, ...]:
    """One, or the first and the last of a multiword token; Stanza has (1,) for 1 at times."""
    try:
        id = entry["id"]
        return (int(id),) if isinstance(id, int | str) else tuple(map(int, id))
    except (KeyError, TypeError, ValueError) as error:
        raise TreebankError(
            f"A word has no id that counts it in its sentence: {dict(entry)!r:.200}."
        ) from error


def _entries(sentence: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Words and multiword tokens, and whether each stands in the text itself."""
    within = 0
    for entry in sentence:
        ids = _ids(entry)
        yield entry, ids[0] > within
        if len(ids) > 1:
            within = ids[-1]


def _tokens(sentence: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [entry for entry, is_token in _entries(sentence) if is_token]


def _place(entry: Mapping[str, Any], name: str) -> int | None:
    place = entry.get(name)
    return place if isinstance(place, int) else None


def _space(end: int | None, next_start: int | None, text: str | None) -> str:
    """The white space after a token, as MISC says it."""
    if end is None or next_start is None:
        return ""
    return written_spaces(text[end:next_start] if text is not None else " " * (next_start - end))


def _row(entry: Mapping[str, Any], space: str, where: str) -> list[str]:
    values = {name: entry.get(name) for name in _COLUMNS}
    misc = [item for item in str(values["misc"] or "").split("|") if item and item != NO_VALUE]
    if space and not any(item.startswith(("SpaceAfter=", "SpacesAfter=")) for item in misc):
        misc.append(space)
    values["misc"] = "|".join(misc)
    if not isinstance(entry.get("text"), str):
        raise TreebankError(f"{where}: a word has no text: {dict(entry)!r:.200}.")
    row = ["-".join(map(str, _ids(entry))), str(entry["text"])]
    row += [NO_VALUE if value is None or value == "" else str(value) for value in values.values()]
    if any(character in value for value in row for character in "\t\n\r"):
        raise TreebankError(f"{where}: the word {entry['text']!r:.100} has a tab or a line end in it.")
    return row
