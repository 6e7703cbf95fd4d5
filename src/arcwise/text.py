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
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from arcwise import _core
from arcwise.errors import LongSentenceWarning, OptionError, TreebankError
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.treebank import Treebank

__all__ = [
    "Cursor",
    "RawSentence",
    "RawToken",
    "from_horizontal",
    "from_tokens",
    "from_vertical",
    "horizontal_sentences",
    "raw_sentences",
    "rebuild",
    "vertical_sentences",
    "word_spans",
]

MAX_CHARACTERS = 65_536
"""In a word of text that is cut already: what goes on without white space for longer is cut."""
BLANK_LINE = "\n\n"
_LONG_WORD = f"has a word of {MAX_CHARACTERS:,} characters or more"
_SHOWN_WORDS, _SHOWN_CHARACTERS = 5, 20  # of a sentence, to name it
_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")
_RANGE = re.compile(r"(?:^|\|)TokenRange=([0-9]{1,18}):([0-9]{1,18})(?=\||$)")
_ESCAPED = re.compile(r"\\([strnp\\]|u(?![dD][89a-fA-F])[0-9A-Fa-f]{4})")  # halves of characters are none


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


def from_horizontal(text: str, *, max_words: int | None = None, source: str = "<text>") -> Treebank:
    """A treebank of text with a sentence a line and white space between tokens.

    >>> from_horizontal("Dogs bark .\\nCats do not .").word_count
    7
    """
    return from_tokens(horizontal_sentences([text], max_words=max_words, source=source), source=source)


def from_vertical(text: str, *, max_words: int | None = None, source: str = "<text>") -> Treebank:
    """A treebank of text with a token a line and blank lines between sentences.

    >>> from_vertical("Dogs\\nbark\\n\\nNew York\\nsleeps\\n")[1][0].form
    'New York'
    """
    return from_tokens(vertical_sentences([text], max_words=max_words, source=source), source=source)


def horizontal_sentences(
    chunks: Iterable[str], *, max_words: int | None = None, source: str = "<text>"
) -> Iterator[list[str]]:
    """The sentences of text in chunks, cut anywhere, as `from_horizontal` takes it.

    Longer sentences than `max_words` are cut after punctuation, if there is any, with a
    `LongSentenceWarning`: no more than that and a chunk is ever kept.
    """
    cutter = _Cutter(max_words, source)
    for piece, ends in _lines(chunks, spaces=True):
        yield from cutter.add(piece.split())
        if ends:
            yield from cutter.end()
    yield from cutter.end()


def vertical_sentences(
    chunks: Iterable[str], *, max_words: int | None = None, source: str = "<text>"
) -> Iterator[list[str]]:
    """The same, as `from_vertical` takes it."""
    cutter = _Cutter(max_words, source)
    is_blank = True
    for piece, ends in _lines(chunks, spaces=False):
        if word := piece.strip():
            yield from cutter.add([word.replace("\t", " ")])
            is_blank = False
        elif ends and is_blank:
            yield from cutter.end()
        is_blank |= ends
    yield from cutter.end()


def _lines(chunks: Iterable[str], *, spaces: bool) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each ends; of one that is too long to wait for, pieces (`spaces`: whole words)."""
    rest = ""
    for chunk in chunks:
        lines = (rest + chunk).splitlines(keepends=True)
        rest = lines.pop() if lines and _may_go_on(lines[-1]) else ""
        for line in lines:
            yield line, True
        while len(rest) > MAX_CHARACTERS:
            if spaces and rest[-1].isspace():
                piece, rest = rest, ""
            elif spaces and len(parts := rest.rsplit(maxsplit=1)) > 1:
                piece, rest = parts
            else:
                piece, rest = rest[:MAX_CHARACTERS], rest[MAX_CHARACTERS:]
            yield piece, False
    if rest:
        yield rest, True


def _may_go_on(line: str) -> bool:
    # A line feed may follow a carriage return.
    return line.endswith("\r") or line.splitlines()[0] == line


class _Cutter:
    """Hands on sentences, of whose words it is told bit by bit, and cuts those that are too long."""

    def __init__(self, max_words: int | None, source: str) -> None:
        if max_words is not None and max_words < 1:
            raise OptionError("A sentence has at least one word (max_words).")
        self._most = max_words
        self._source = source
        self._number = 0  # of sentences that are written
        self._words: list[str] = []
        self._written = self._pieces = 0  # of the sentence under way
        self._beginning: list[str] = []
        self._has_long_word = False

    def add(self, words: list[str]) -> Iterator[list[str]]:
        """More words of a sentence; the pieces that can be told from what follows."""
        if words and max(map(len, words)) >= MAX_CHARACTERS:
            self._has_long_word = True
            words = [w[i : i + MAX_CHARACTERS] for w in words for i in range(0, len(w), MAX_CHARACTERS)]
        self._words += words
        while self._most is not None and len(self._words) > self._most:
            half = self._most // 2
            end = half + _core.cut_place(self._words[half : self._most])
            yield self._take(end)

    def end(self) -> Iterator[list[str]]:
        """The sentence ends here, if there is one."""
        if self._words:
            yield self._take(len(self._words))
        number = self._number - self._pieces + 1
        if self._pieces > 1 and self._most is not None:
            warn_of_cut(self._source, number, self._beginning, self._written, self._pieces, self._most)
        if self._has_long_word:
            _warn(self._source, number, self._beginning, _LONG_WORD, "several")
        self._written = self._pieces = 0
        self._has_long_word = False

    def _take(self, end: int) -> list[str]:
        piece, self._words = self._words[:end], self._words[end:]
        if not self._pieces:
            self._beginning = piece[:_SHOWN_WORDS]
        self._number += 1
        self._pieces += 1
        self._written += len(piece)
        return piece


def warn_of_cut(
    source: str, number: int, beginning: Iterable[str], words: int, pieces: int, max_words: int
) -> None:
    """Says that a sentence had more words than it may have."""
    what = f"has {words:,} words, and at most {max_words:,} are taken"
    _warn(source, number, beginning, what, f"{pieces:,}")


def warn_of_cut_characters(source: str, number: int, beginning: Iterable[str], characters: int) -> None:
    """Says that a sentence had more characters than are looked at together."""
    _warn(source, number, beginning, f"goes on for more than {characters:,} characters", "several")


def _warn(source: str, number: int, beginning: Iterable[str], what: str, pieces: str) -> None:
    shown = " ".join(word[:_SHOWN_CHARACTERS] for word in islice(beginning, _SHOWN_WORDS))
    warnings.warn(
        LongSentenceWarning(f"{source}: sentence {number} ({shown} …) {what}: it is cut into {pieces}."),
        stacklevel=2,
    )
