r"""Raw text and treebanks: what a treebank's text was, and treebanks from text that is cut already.

    >>> treebank = from_tokens([["Dogs", "bark", "."]])
    >>> rebuild(treebank)
    'Dogs bark . '

White space stands in MISC: `SpaceAfter=No` where a token is followed by none, and, where it is not one plain
space, `SpacesAfter`, `SpacesBefore` and `SpacesInToken`, as UDPipe writes them, with the escapes `\s` for a
space, `\t`, `\r`, `\n`, `\p` for `|` and `\\`; other white space is `\u` and its code (`\u00A0`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arcwise.errors import TreebankError
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.treebank import Treebank

__all__ = [
    "Cursor",
    "RawSentence",
    "RawToken",
    "from_horizontal",
    "from_tokens",
    "from_vertical",
    "raw_sentences",
    "rebuild",
    "word_spans",
]

BLANK_LINE = "\n\n"
_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")
_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?=\||$)")
_ESCAPED = re.compile(r"\\([strnp\\]|u[0-9A-Fa-f]{4})")


class RawToken(NamedTuple):
    """A token as it stands in the text, white space around it, and the words of a multiword token."""

    text: str
    before: str
    after: str | None  #: None where nothing but the default, a space, is known of it.
    words: tuple[str, ...] = ()
    span: tuple[int, int] | None = None  #: Where MISC says that it stands.


@dataclass(frozen=True)
class RawSentence:
    """The tokens of a sentence; `starts_paragraph` also where a document starts."""

    tokens: tuple[RawToken, ...]
    starts_paragraph: bool


@dataclass
class Cursor:
    """How far a text has been put together: what the parts of a stream hand on to each other."""

    end: int = 0  #: Of the last token, in code points.
    last: RawToken | None = None

    @property
    def space(self) -> str:
        """The white space after the last token."""
        if self.last is None:
            return ""
        return " " if self.last.after is None else self.last.after


def rebuild(treebank: Treebank) -> str:
    """The text that a treebank was made of, to the byte if it was made by a `Segmenter`.

    Of other treebanks: tokens with a space between them but where `SpaceAfter=No` or `SpacesAfter` says
    otherwise, and a blank line before each paragraph and document, as the raw text of the CoNLL 2018 shared
    task, but without line breaks within paragraphs.
    """
    cursor = Cursor()
    parts = [part for space, token in _placed(treebank, cursor) for part in (space, token.before, token.text)]
    return "".join([*parts, cursor.space])


def word_spans(treebank: Treebank, cursor: Cursor | None = None) -> list[tuple[int, int]]:
    """Where each word begins and ends in the text: `TokenRange` in MISC or, without, in the rebuilt text.

    Counted in code points from 0, the end not included; words of a multiword token share its place. The
    parts of a stream share a cursor.

    >>> word_spans(from_tokens([["Dogs", "bark", "."]]))
    [(0, 4), (5, 9), (10, 11)]
    """
    cursor = cursor or Cursor()
    spans: list[tuple[int, int]] = []
    for space, token in _placed(treebank, cursor):
        begin = cursor.end + len(space) + len(token.before)
        span = token.span or (begin, begin + len(token.text))
        spans += [span] * max(1, len(token.words))
        cursor.end = span[1]
    return spans


def _placed(treebank: Treebank, cursor: Cursor) -> Iterator[tuple[str, RawToken]]:
    """All tokens, each with the white space between it and the one before it."""
    for sentence in raw_sentences(treebank):
        space = cursor.space
        if sentence.starts_paragraph and cursor.last is not None and not cursor.last.after:
            space = BLANK_LINE  # unless MISC knows better, and not only that there is none
        for token in sentence.tokens:
            yield space, token
            cursor.last = token
            space = cursor.space


def raw_sentences(treebank: Treebank) -> Iterator[RawSentence]:
    """The tokens of each sentence, multiword tokens as one.

    Where MISC is silent on the white space after a token, the comment `# text` tells whether there is any.
    """
    if treebank.format != "conllu":
        raise TreebankError(
            f"{treebank.source} is CoNLL-X, which does not say where the text has spaces; use CoNLL-U."
        )
    return map(_raw_sentence, treebank)


def _raw_sentence(sentence: Sentence) -> RawSentence:
    tokens: list[RawToken] = []
    forms: list[str] = []
    last_of_range = 0
    for id, form, *_, misc in sentence.rows:
        if "." in id:
            continue
        if "-" in id:
            last_of_range = int(id.partition("-")[2])
        elif int(id) <= last_of_range:
            tokens[-1] = tokens[-1]._replace(words=(*tokens[-1].words, form))
            continue
        tokens.append(_token(form, misc))
        forms.append(form)
    if (text := sentence.comment("text")) is not None:
        tokens = _as_in_text(tokens, forms, text)
    starts_paragraph = any(map(_NEW_PARAGRAPH.match, sentence.comments))
    return RawSentence(tuple(tokens), starts_paragraph)


def _as_in_text(tokens: list[RawToken], forms: list[str], text: str) -> list[RawToken]:
    """The tokens with no white space after them where the text has none and MISC does not say."""
    if (
        "".join([token.text + (" " if token.after is None else token.after) for token in tokens]).strip()
        == text
    ):
        return tokens  # the common case, and the quickest way to see it
    result, end = [], 0
    for token, form in zip(tokens, forms, strict=True):
        if not text.startswith(form, end):
            return tokens
        end += len(form)
        touches = token.after is None and end < len(text) and not text[end].isspace()
        result.append(token._replace(after="") if touches else token)
        while text[end : end + 1].isspace():
            end += 1
    return result


def _token(form: str, misc: str) -> RawToken:
    span = None
    if "TokenRange=" in misc and (found := _RANGE.search(misc)):
        span = int(found[1]), int(found[2])
    if "Space" not in misc:
        return RawToken(form, "", None, span=span)
    values = dict(part.partition("=")[::2] for part in misc.split("|"))
    after = "" if values.get("SpaceAfter") == "No" else None
    if "SpacesAfter" in values:
        after = _unescaped(values["SpacesAfter"])
    text = _unescaped(values.get("SpacesInToken", "")) or form
    return RawToken(text, _unescaped(values.get("SpacesBefore", "")), after, span=span)


def without_range(misc: str) -> str:
    """A value of MISC without `TokenRange`."""
    return _RANGE.sub("", misc).removeprefix("|") or NO_VALUE if "TokenRange=" in misc else misc


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1]) or chr(int(found[1][1:], 16)), value)


def from_tokens(sentences: Iterable[Sequence[str]], *, source: str = "<tokens>") -> Treebank:
    """A treebank of tokens; the text has a space between them, as far as is known."""
    return Treebank.from_words(sentences, source=source)


def from_horizontal(text: str, *, source: str = "<text>") -> Treebank:
    """A treebank of text with a sentence a line and white space between tokens.

    >>> from_horizontal("Dogs bark .\\nCats do not .").word_count
    7
    """
    return from_tokens(filter(None, (line.split() for line in text.splitlines())), source=source)


def from_vertical(text: str, *, source: str = "<text>") -> Treebank:
    """A treebank of text with a token a line and blank lines between sentences.

    >>> from_vertical("Dogs\\nbark\\n\\nNew York\\nsleeps\\n")[1][0].form
    'New York'
    """
    lines = [line.strip() for line in text.splitlines()]
    sentences: list[list[str]] = [[]]
    for line in lines:
        if line:
            sentences[-1].append(line.replace("\t", " "))
        elif sentences[-1]:
            sentences.append([])
    return from_tokens(filter(None, sentences), source=source)
