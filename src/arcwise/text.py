r"""Raw text and treebanks: what a treebank's text was, and treebanks from text that is cut already.

    >>> treebank = from_tokens([["Dogs", "bark", "."]])
    >>> rebuild(treebank)
    'Dogs bark . '

White space stands in MISC: `SpaceAfter=No` where a token is followed by none, and, where it is not one plain
space, `SpacesAfter`, `SpacesBefore` and `SpacesInToken`, as UDPipe writes them, with the escapes `\s` for a
space, `\t`, `\r`, `\n`, `\p` for `|` and `\\`; other white space is `\u` and its code (`\u00A0`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from arcwise import _core
from arcwise.errors import LongSentenceWarning, OptionError, TreebankError
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
_LONG_WORD = f"has a word of {MAX_CHARACTERS:,} characters or more"
_SHOWN_WORDS, _SHOWN_CHARACTERS = 5, 20  # of a sentence, to name it


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


Cursor = _core.TextCursor
"""How far a text has been put together: what the parts of a stream hand on to each other."""


def rebuild(treebank: Treebank) -> str:
    """The text that a treebank was made of, to the byte if it was made by a `Segmenter`.

    Of other treebanks: tokens with a space between them but where `SpaceAfter=No` or `SpacesAfter` says
    otherwise, and a blank line before each paragraph and document, as the raw text of the CoNLL 2018 shared
    task, but without line breaks within paragraphs.
    """
    return _core.rebuild(_in_conllu(treebank))


def word_spans(treebank: Treebank, cursor: Cursor | None = None) -> list[tuple[int, int]]:
    """Where each word begins and ends in the text: `TokenRange` in MISC or, without, in the rebuilt text.

    Counted in code points from 0, the end not included; words of a multiword token share its place. The
    parts of a stream share a cursor.

    >>> word_spans(from_tokens([["Dogs", "bark", "."]]))
    [(0, 4), (5, 9), (10, 11)]
    """
    return _core.word_spans(_in_conllu(treebank), cursor or Cursor())


def raw_sentences(treebank: Treebank) -> Iterator[RawSentence]:
    """The tokens of each sentence, multiword tokens as one.

    Where MISC is silent on the white space after a token, the comment `# text` tells whether there is any.
    """
    core = _in_conllu(treebank)
    return (_raw_sentence(core, sentence) for sentence in range(len(treebank)))


def _raw_sentence(core: _core.Treebank, sentence: int) -> RawSentence:
    tokens, starts_paragraph = _core.raw_sentence(core, sentence)
    raw = (RawToken(text, before, after, tuple(words), span) for text, before, after, words, span in tokens)
    return RawSentence(tuple(raw), starts_paragraph)


def _in_conllu(treebank: Treebank) -> _core.Treebank:
    if treebank.format != "conllu":
        raise TreebankError(
            f"{treebank.source} is CoNLL-X, which does not say where the text has spaces; use CoNLL-U."
        )
    return treebank._core


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
