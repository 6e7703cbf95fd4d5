"""Heads, labels, tags and probabilities of a treebank, written into spaCy's documents in one go for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import IDS as PARTS_OF_SPEECH
from spacy.tokens import Doc

from arcwise.spacy.tokens import Tokenized
from arcwise.treebank import Treebank

ROOT = "ROOT"
"""How spaCy calls the label of a root, which is `root` in UD."""
SPACE_TAG, SPACE_LABEL = "_SP", "dep"
"""What spaCy gives white space."""


def fill(tokenized: Sequence[Tokenized], treebank: Treebank, *, trees: bool, probabilities: bool) -> None:
    """Writes what a treebank says of the words of several documents, one after the other.

    Its sentences become those of the documents. Where no `trees` are known, sentences alone are marked.
    """
    if not tokenized:
        return
    vocab = tokenized[0].doc.vocab
    tokens: NDArray[np.int64] = np.concatenate([one.words for one in tokenized])
    columns = {
        TAG: _ids(treebank, "xpos", vocab.strings.add),
        POS: _ids(treebank, "upos", lambda tag: PARTS_OF_SPEECH.get(tag, 0)),
        MORPH: _ids(treebank, "feats", vocab.morphology.add),
        LEMMA: _ids(treebank, "lemma", vocab.strings.add),
    }
    first_of_words = np.repeat(treebank.first_words[:-1], np.diff(treebank.first_words))
    if trees:
        heads = _single_rooted(treebank, first_of_words)
        is_root = heads == 0
        head_words = np.where(is_root, np.arange(len(heads)), first_of_words + heads - 1)
        columns[HEAD] = (tokens[head_words] - tokens).astype(np.uint64)
        columns[DEP] = _ids(treebank, "deprel", lambda label: vocab.strings.add(_label(label)))
    else:
        starts = first_of_words == np.arange(len(first_of_words))
        columns[SENT_START] = np.where(starts, 1, -1).astype(np.uint64)
    space = {
        TAG: vocab.strings.add(SPACE_TAG),
        POS: PARTS_OF_SPEECH["SPACE"],
        DEP: vocab.strings.add(SPACE_LABEL),
    }
    names = list(columns)
    # Of all documents at once; numpy takes its time for each.
    first_tokens = np.cumsum([0, *(len(one.doc) for one in tokenized)])
    first_words = np.cumsum([0, *(len(one.words) for one in tokenized)])
    places = tokens + np.repeat(first_tokens[:-1], np.diff(first_words))
    values = np.zeros((int(first_tokens[-1]), len(columns)), np.uint64)
    for number, ids in enumerate(columns.values()):
        values[places, number] = ids
    is_space = np.ones(len(values), bool)
    is_space[places] = False
    known = (treebank.head_probs, treebank.deprel_probs) if probabilities else ()
    for number, (doc, words) in enumerate(tokenized):
        begin, end = int(first_tokens[number]), int(first_tokens[number + 1])
        if begin == end:
            continue
        own = values[begin:end]
        if len(words) < end - begin:
            _add_spaces(own, words, is_space[begin:end], names, space)
        doc.from_array(names, own)
        if probabilities:
            its = slice(int(first_words[number]), int(first_words[number + 1]))
            _add_probabilities(doc, words.tolist(), *(of_words[its] for of_words in known))


def _add_spaces(
    values: NDArray[np.uint64],
    words: NDArray[np.int64],
    is_space: NDArray[np.bool_],
    names: list[Any],
    space: dict[Any, int],
) -> None:
    """What white space is given."""
    spaces = np.flatnonzero(is_space)
    for number, name in enumerate(names):
        if name == HEAD:
            values[spaces, number] = (_neighbours(words, spaces) - spaces).astype(np.uint64)
        elif name == SENT_START:
            values[:, number] = _starts(values[:, number], is_space)
        else:
            values[spaces, number] = space.get(name, 0)


def _neighbours(words: NDArray[np.int64], spaces: NDArray[np.int64]) -> NDArray[np.int64]:
    """What white space hangs on: the word before it, or else the first; without any, its first token."""
    if len(words) == 0:
        return np.zeros_like(spaces)
    neighbours: NDArray[np.int64] = words[np.maximum(np.searchsorted(words, spaces) - 1, 0)]
    return neighbours


def _starts(values: NDArray[np.uint64], is_space: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Where sentences start; white space starts none but the first."""
    starts = values.copy()
    starts[is_space] = np.int64(-1).astype(np.uint64)
    if is_space[0]:
        if (~is_space).any():
            starts[int(np.argmin(is_space))] = np.int64(-1).astype(np.uint64)
        starts[0] = 1
    return starts


def _single_rooted(treebank: Treebank, first_of_words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Heads; a word under ROOT that is not the first of its sentence hangs on that one.

    For spaCy, every word under ROOT is a sentence of its own.
    """
    heads = treebank.heads.astype(np.int64)
    roots = np.flatnonzero(heads == 0)
    if len(roots) == len(treebank):
        return heads
    firsts: dict[int, int] = {}
    for root in roots.tolist():
        sentence = int(first_of_words[root])
        first = firsts.setdefault(sentence, root)
        if first != root:
            heads[root] = first - sentence + 1
    return heads


def _label(label: str) -> str:
    return ROOT if label == "root" else label


def _ids(treebank: Treebank, column: str, id_of: Callable[[str], int]) -> NDArray[np.uint64]:
    """The numbers that spaCy knows values by; 0 where there is none."""
    codes, values = treebank.categories(column)
    ids = np.array([*map(id_of, values), 0], np.uint64)
    found: NDArray[np.uint64] = ids[codes]  # where -1 leads to the last
    return found


def _add_probabilities(
    doc: Doc, words: list[int], heads: NDArray[np.float32], deprels: NDArray[np.float32]
) -> None:
    # What `token._.head_prob = …` does, for all at once.
    places = [doc[word].idx for word in words]
    for name, values in (("head_prob", heads), ("deprel_prob", deprels)):
        doc.user_data.update(
            (("._.", name, place, None), value)
            for place, value in zip(places, values.tolist(), strict=True)
            if value == value
        )
