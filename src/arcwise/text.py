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
from dataclasses import dataclass, replace

from arcwise.errors import TreebankError
from arcwise.treebank import Treebank

__all__ = [
    "RawSentence",
    "RawToken",
    "from_horizontal",
    "from_tokens",
    "from_vertical",
    "raw_sentences",
    "rebuild",
]

BLANK_LINE = "\n\n"
_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")
_TEXT = re.compile(r"# *text *= *(.*)")
_ESCAPED = re.compile(r"\\([strnp\\]|u[0-9A-Fa-f]{4})")


@dataclass(frozen=True)
class RawToken:
    """A token as it stands in the text, white space around it, and the words of a multiword token."""

    text: str
    before: str
    after: str | None  #: None where nothing but the default, a space, is known of it.
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawSentence:
    """The tokens of a sentence; `starts_paragraph` also where a document starts."""

    tokens: tuple[RawToken, ...]
    starts_paragraph: bool


def rebuild(treebank: Treebank) -> str:
    """The text that a treebank was made of, to the byte if it was made by a `Segmenter`.

    Of other treebanks: tokens with a space between them but where `SpaceAfter=No` or `SpacesAfter` says
    otherwise, and a blank line before each paragraph and document, as the raw text of the CoNLL 2018 shared
    task, but without line breaks within paragraphs.
    """
    parts: list[str] = []
    for sentence, following in _with_next(raw_sentences(treebank)):
        for token in sentence.tokens:
            parts += (token.before, token.text, " " if token.after is None else token.after)
        if following is not None and following.starts_paragraph and not _knows_space(sentence.tokens[-1]):
            parts[-1] = BLANK_LINE
    return "".join(parts)


def _knows_space(token: RawToken) -> bool:
    """Is the white space after a token known, and not only whether there is any?"""
    return bool(token.after)


def _with_next(sentences: Iterable[RawSentence]) -> Iterator[tuple[RawSentence, RawSentence | None]]:
    last = None
    for sentence in sentences:
        if last is not None:
            yield last, sentence
        last = sentence
    if last is not None:
        yield last, None


def raw_sentences(treebank: Treebank) -> Iterator[RawSentence]:
    """The tokens of each sentence, multiword tokens as one.

    Where MISC is silent on the white space after a token, the comment `# text` tells whether there is any.
    """
    if treebank.format != "conllu":
        raise TreebankError(
            f"{treebank.source} is CoNLL-X, which does not say where the text has spaces; use CoNLL-U."
        )
    lines: list[str] = []
    for line in treebank.to_string().split("\n"):
        line = line.removesuffix("\r")
        if line:
            lines.append(line)
        elif lines:
            yield _sentence(lines)
            lines = []


def _sentence(lines: Iterable[str]) -> RawSentence:
    tokens: list[RawToken] = []
    forms: list[str] = []
    starts_paragraph, text = False, None
    last_of_range = 0
    for line in lines:
        if line.startswith("#"):
            starts_paragraph |= _NEW_PARAGRAPH.match(line) is not None
            if (comment := _TEXT.match(line)) is not None:
                text = comment[1]
            continue
        id, form, *_, misc = line.split("\t")
        _, hyphen, last = id.partition("-")
        if "." in id:
            continue
        if not hyphen and int(id) <= last_of_range:
            tokens[-1] = replace(tokens[-1], words=(*tokens[-1].words, form))
            continue
        if hyphen:
            last_of_range = int(last)
        tokens.append(_token(form, misc))
        forms.append(form)
    if text is not None:
        tokens = _as_in_text(tokens, forms, text)
    return RawSentence(tuple(tokens), starts_paragraph)


def _as_in_text(tokens: list[RawToken], forms: list[str], text: str) -> list[RawToken]:
    """The tokens with no white space after them where the text has none and MISC does not say."""
    result = []
    for token, form in zip(tokens, forms, strict=True):
        if not text.startswith(form):
            return tokens
        after = text[len(form) :]
        text = after.lstrip()
        touches = token.after is None and len(text) == len(after) > 0
        result.append(replace(token, after="") if touches else token)
    return result


def _token(form: str, misc: str) -> RawToken:
    if "Space" not in misc:
        return RawToken(form, "", None)
    values = dict(part.partition("=")[::2] for part in misc.split("|"))
    after = "" if values.get("SpaceAfter") == "No" else None
    if "SpacesAfter" in values:
        after = _unescaped(values["SpacesAfter"])
    text = values.get("SpacesInToken")
    before = _unescaped(values.get("SpacesBefore", ""))
    return RawToken(form if text is None else _unescaped(text), before, after)


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
