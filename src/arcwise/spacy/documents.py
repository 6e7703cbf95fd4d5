"""arcwise's documents as spaCy's, and back."""

from __future__ import annotations

from functools import cache
from typing import Any

import spacy
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from arcwise.corrections import NO_VALUE
from arcwise.document import Document
from arcwise.errors import TreebankError
from arcwise.spaces import escaped, written_spaces
from arcwise.spacy.extensions import MULTIWORD, TEXT
from arcwise.spacy.filling import ROOT, fill
from arcwise.spacy.tokens import tokenized
from arcwise.treebank import Treebank


def to_spacy(document: Document, vocab: Vocab | None = None) -> Doc:
    """A document of spaCy's with all that this one knows of its words: see `Document.to_spacy`."""
    treebank = document.treebank
    heads = treebank.heads
    has_trees = bool((heads >= 0).all())
    if not has_trees and (heads >= 0).any():
        raise TreebankError(
            f"{treebank.source} has words with a head and words without, and spaCy has whole trees or none: "
            "parse it first, with constraints that keep its heads."
        )
    if has_trees:
        treebank.check(single_root=False)
    made = tokenized(_shared_vocab() if vocab is None else vocab, treebank, document.text)
    probabilities = bool((treebank.head_probs == treebank.head_probs).any())
    fill([made], treebank, trees=has_trees, probabilities=probabilities)
    return made.doc


def from_spacy(doc: Doc) -> Document:
    """A document of what spaCy's knows: see `Document.from_spacy`."""
    multiword = {int(begin): (int(end), str(text)) for begin, end, text in doc.user_data.get(MULTIWORD, ())}
    rows = _Rows(doc)
    spans = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    for span in spans:
        rows.add(list(span), multiword)
    treebank = Treebank.from_string(rows.text(), check_trees=rows.has_trees, source="<spaCy>")
    return Document(treebank, str(doc.user_data.get(TEXT, doc.text)))


@cache
def _shared_vocab() -> Vocab:
    """For documents that no pipeline is to work on: it knows what white space and punctuation are."""
    vocab: Vocab = spacy.blank("xx").vocab
    return vocab


class _Rows:
    """A document's sentences as CoNLL-U."""

    def __init__(self, doc: Doc) -> None:
        self._lines: list[str] = []
        self.has_trees = doc.has_annotation("DEP") and doc.has_annotation("HEAD")
        self._before = ""  # white space before the first word of all

    def add(self, tokens: list[Token], multiword: dict[int, tuple[int, str]]) -> None:
        """A sentence; white space is what comes after a word, or before the first."""
        words = [token for token in tokens if token.text.strip()]
        if not words:
            space = "".join(token.text_with_ws for token in tokens)
            if not self._lines:
                self._before += space
            return
        ids = {token.i: id for id, token in enumerate(words, start=1)}
        if words[0].i > tokens[0].i:
            self._before += "".join(token.text_with_ws for token in tokens if token.i < words[0].i)
        within = -1
        for token in words:
            spaces = _space_after(token)
            if (found := multiword.get(token.i)) is not None:
                end, text = found
                within = end
                last = max(id for i, id in ids.items() if i < end)
                misc = self._misc(text, _space_after(token.doc[end - 1]))
                self._line(f"{ids[token.i]}-{last}", _form(text), *[NO_VALUE] * 7, misc)
            misc = NO_VALUE if token.i < within else self._misc(token.text, spaces)
            self._line(str(ids[token.i]), _form(token.text), *self._columns(token, ids), NO_VALUE, misc)
        self._lines.append("")

    def text(self) -> str:
        """All of it."""
        return "".join(f"{line}\n" for line in self._lines)

    def _line(self, *columns: str) -> None:
        self._lines.append("\t".join(columns))

    def _columns(self, token: Token, ids: dict[int, int]) -> list[str]:
        head, label = NO_VALUE, NO_VALUE
        if self.has_trees:
            above = token
            while above.head.i != above.i and above.head.i not in ids:
                above = above.head
            is_root = above.head.i == above.i
            head = "0" if is_root else str(ids[above.head.i])
            label = "root" if token.dep_ == ROOT else token.dep_
        return [
            _value(token.lemma_),
            _value(token.pos_),
            _value(token.tag_),
            _value(str(token.morph)),
            head,
            _value(label),
        ]

    def _misc(self, text: str, spaces: str) -> str:
        said = []
        if self._before:
            said.append(f"SpacesBefore={escaped(self._before)}")
            self._before = ""
        if text != _form(text):
            said.append(f"SpacesInToken={escaped(text)}")
        if after := written_spaces(spaces):
            said.append(after)
        return "|".join(said) or NO_VALUE


def _space_after(token: Token) -> str:
    """All white space up to the next word."""
    space = str(token.whitespace_)
    doc: Any = token.doc
    following = token.i + 1
    while following < len(doc) and not doc[following].text.strip():
        space += doc[following].text_with_ws
        following += 1
    return space


def _form(text: str) -> str:
    return " ".join(text.split())


def _value(value: str) -> str:
    return " ".join(value.split()) or NO_VALUE
