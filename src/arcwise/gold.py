"""Gold trees as a parser's oracle takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from arcwise import _core
from arcwise._numpy import np
from arcwise.errors import TreebankError
from arcwise.names import system
from arcwise.treebank import Sentence, Treebank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.parser import ModelInfo

Tree: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32]]"


def gold_tree(info: ModelInfo, gold: Sentence) -> Tree:
    """Heads, lifted where the parser lifts, and labels of moves; those that it lacks are unknown."""
    names = {name: i for i, name in enumerate(info.label_names)}
    known = {label: i for i, label in enumerate(info.labels)}
    labels = np.array([names.get(token.deprel or "", -1) for token in gold], dtype=np.int32)
    heads = np.array(gold.heads, dtype=np.int32)
    if not system(info.options.system.name).projective:
        return heads, np.array(
            [known.get((label, _core.NOT_LIFTED, False), -1) for label in labels], np.int32
        )
    try:
        heads, base, lifted_from, path = _core.projectivize(heads, labels, info.options.system.encoding)
    except ValueError as error:
        where = f"{gold._treebank.source}:{gold.line}: " + (f"sentence {gold.id}: " if gold.id else "")
        raise TreebankError(f"{where}the heads make no tree. {error}") from error
    lifted = zip(base.tolist(), lifted_from.tolist(), path.tolist(), strict=True)
    return heads, np.array([known.get(label, -1) for label in lifted], dtype=np.int32)


def gold_trees(info: ModelInfo, gold: Treebank) -> Tree:
    """The same of a whole treebank, one tree after the other."""
    trees = [gold_tree(info, sentence) for sentence in gold]
    return np.concatenate([heads for heads, _ in trees]), np.concatenate([labels for _, labels in trees])
