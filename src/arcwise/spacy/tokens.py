"""spaCy's tokens of arcwise's words: all of the text is in them, white space too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH, SENT_START
from spacy.tokens import Doc
from spacy.vocab import Vocab

from arcwise import _core
from arcwise.spacy.extensions import MULTIWORD, TEXT
from arcwise.treebank import Treebank

_READ = "arcwise"
"""In `Doc.user_hooks`: what the tokenizer has read, until the component takes it."""


class Tokenized(NamedTuple):
    """A document of spaCy's and which of its tokens are arcwise's words, in order."""

    doc: Doc
    words: NDArray[np.int64]


class Read(NamedTuple):
    """A document's words as arcwise reads them."""

    treebank: Treebank
    words: NDArray[np.int64]


def tokenized(vocab: Vocab, treebank: Treebank, text: str) -> Tokenized:
    """The words of a treebank as tokens, with the sentences that it has, and nothing else.

    Words of a multiword token that are pieces of it, `ca` and `n't`, stay such. Others, `de` and `le` of
    `du`, stand in its place with a space between them.
    """
    texts, spaces, starts, words, multiword, differs = _core.spaced_tokens(treebank._core, text)
    doc = Doc(vocab, words=texts, spaces=spaces)
    if texts:
        doc.from_array([SENT_START], np.where(starts, 1, -1).astype(np.uint64)[:, np.newaxis])
    if multiword:
        doc.user_data[MULTIWORD] = multiword
    if differs:
        doc.user_data[TEXT] = text
    return Tokenized(doc, words)


def keep_read(made: Tokenized, treebank: Treebank) -> None:
    """Spares the component from reading again what the tokenizer has read."""
    made.doc.user_hooks[_READ] = Read(treebank, made.words), _state(made.doc)


def take_read(doc: Doc) -> Read | None:
    """What the tokenizer has read, if tokens and sentences are still the same."""
    kept = doc.user_hooks.pop(_READ, None)
    if kept is None:
        return None
    read, state = kept
    now = _state(doc)
    return read if now.shape == state.shape and (now == state).all() else None


def _state(doc: Doc) -> NDArray[Any]:
    state: NDArray[Any] = doc.to_array([ORTH, SENT_START])
    return state
