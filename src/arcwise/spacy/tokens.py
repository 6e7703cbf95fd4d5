"""spaCy's tokens of arcwise's words: all of the text is in them, white space too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from arcwise.spacy.extensions import MULTIWORD, TEXT
from arcwise.treebank import Treebank


class Tokenized(NamedTuple):
    """A document of spaCy's and which of its tokens are arcwise's words, in order."""

    doc: Doc
    words: list[int]


def tokenized(vocab: Vocab, treebank: Treebank, text: str) -> Tokenized:
    """The words of a treebank as tokens, with the sentences that it has, and nothing else.

    Words of a multiword token that are pieces of it, `ca` and `n't`, stay such. Others, `de` and `le` of
    `du`, stand in its place with a space between them.
    """
    forms = treebank.column("form")
    spans = treebank.spans
    tokens = _Tokens(text)
    begin = 0
    while begin < len(forms):
        span = spans[begin]
        end = begin + 1
        # Words of a multiword token share its place.
        while end < len(forms) and spans[end] == span:
            end += 1
        tokens.add(forms[begin:end], span)
        begin = end
    tokens.finish()
    starts = [False] * len(tokens.texts)
    for first in treebank.first_words[:-1].tolist():
        starts[tokens.words[first]] = True
    if starts:
        # White space at the beginning is a part of the first sentence.
        starts[0] = True
        for index in range(1, tokens.words[0] + 1 if tokens.words else 0):
            starts[index] = False
    doc = Doc(vocab, words=tokens.texts, spaces=tokens.spaces, sent_starts=starts)
    if tokens.multiword:
        doc.user_data[MULTIWORD] = tokens.multiword
    if tokens.differs:
        doc.user_data[TEXT] = text
    return Tokenized(doc, tokens.words)


class _Tokens:
    """Tokens as they are put one after the other."""

    def __init__(self, text: str) -> None:
        self.texts: list[str] = []
        self.spaces: list[bool] = []
        self.words: list[int] = []
        self.multiword: list[list[int | str]] = []
        self.differs = False
        self._text = text
        self._end = 0

    def add(self, forms: Sequence[str], span: tuple[int, int]) -> None:
        """The words of a token, and where it stands."""
        begin, end = span
        self._gap(begin)
        written = self._text[begin:end]
        first = len(self.texts)
        if len(forms) == 1:
            self._word(written or forms[0], False)
        else:
            is_cut = "".join(forms) == written
            self.differs |= not is_cut
            for form in forms:
                self._word(form, not is_cut)
            self.spaces[-1] = False
            self.multiword.append([first, len(self.texts), written])
        self._end = end

    def finish(self) -> None:
        """The white space at the end."""
        self._gap(len(self._text))

    def _word(self, text: str, space: bool) -> None:
        self.words.append(len(self.texts))
        self.texts.append(text)
        self.spaces.append(space)

    def _gap(self, begin: int) -> None:
        """White space up to the next token: one space goes with the token before, the rest is a token."""
        if begin <= self._end:
            return
        gap = self._text[self._end : begin]
        if self.texts and gap[0] == " ":
            self.spaces[-1] = True
            gap = gap[1:]
        if gap:
            self.texts.append(gap)
            self.spaces.append(False)
