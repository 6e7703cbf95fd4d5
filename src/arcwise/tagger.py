r"""The tagger: UPOS, XPOS, FEATS and lemmas of words, learnt from a treebank.

>>> text = "1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t_\t_\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t_\t_\t_\t_\n\n"
>>> tagger = Tagger.train(Treebank.from_string(text), epochs=30)
>>> tagged = tagger.tag([["Dogs", "bark"]])
>>> tagged.column("lemma"), tagged.column("feats")
(['dog', 'bark'], ['Number=Plur', '_'])
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from arcwise import _core, dictionary, model_file, network
from arcwise._kinds import of_wrong_kind
from arcwise._numpy import np
from arcwise.dictionary import Line
from arcwise.encoder import Encoder
from arcwise.errors import ModelError, OptionError
from arcwise.model_file import PIPELINE, Arrays, Component, Stored, own_part
from arcwise.options.tagger import TaggerOptions
from arcwise.parser import Parser, as_treebank, to_sentences
from arcwise.treebank import Sentence, Treebank, can_be_label

KIND = "tagger"
COLUMNS = {c.name.lower(): c for c in (_core.Column.UPOS, _core.Column.XPOS, _core.Column.FEATS)}
PathLike = str | os.PathLike[str]
Rule = tuple[str, str, str, str, str]
Reach = tuple[list[int], list[int], list[tuple[int, int]]]


@dataclass(frozen=True)
class TaggerInfo:
    """What a tagger is made of, as its model file says."""

    options: TaggerOptions
    columns: list[str]
    """Those of upos, xpos and feats that it gives to words."""
    analyses: list[list[str]]
    """The values of these columns that occur together."""
    rules: list[Rule]
    """From forms to lemmas: the case of the letters (`lower`, `same`, `title` or `upper`); what the form
    begins with, and the lemma in its place; what it ends with, and the lemma in its place."""
    choices: list[tuple[int, int]]
    """Which rules the network chooses from: a value of the first column, and a rule that goes with it."""
    training: dict[str, Any]
    """Where the tagger comes from: treebank, its fingerprint and size, scores by epoch."""
    dictionary: list[Line] = field(default_factory=list)
    """What a user knows of some words."""
    restricts: bool = True
    """Whether these words may have no other analyses."""
    signs: list[list[str]] = field(default_factory=list)
    """Forms of the treebank that have no letter or digit, each with the UPOS that it may have; without any if
    it may have all. If there are none, nothing is known of such forms."""
    reach: Reach | None = None
    """How words come to a lemma of the treebank that no choice leads to: the values of the first column whose
    words may follow any rule; those whose words may follow two of their own, one after the other; and of the
    former where a rule leads astray, by value and rule."""

    def to_header(self) -> dict[str, Any]:
        return {**self.__dict__, "options": self.options.to_dict()}

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> TaggerInfo:
        try:
            # Taggers of earlier versions know no signs, and no other ways to lemmas.
            header = {"signs": [], "reach": None, **header}
            values = {name: header[name] for name in cls.__dataclass_fields__}
            values["options"] = TaggerOptions.from_dict(values["options"])
            values["rules"] = [tuple(rule) for rule in values["rules"]]
            values["dictionary"] = [dictionary.checked(line) for line in values["dictionary"]]
            values["choices"] = [(int(value), int(rule)) for value, rule in values["choices"]]
            if values["reach"] is not None:
                once, twice, astray = values["reach"]
                astray = [(int(value), int(rule)) for value, rule in astray]
                values["reach"] = (list(map(int, once)), list(map(int, twice)), astray)
            if wrong := of_wrong_kind(cls, values):
                raise ModelError(f"The tagger is damaged: what it has for {wrong[0]} is of another kind.")
            texts = [text for analysis in values["analyses"] for text in analysis]
            # A part of a rule may be empty.
            texts += [part for rule in values["rules"] for part in rule if part != ""]
            texts += [text for line in values["dictionary"] for text in line]
            texts += [text for sign in values["signs"] for text in sign]
            if not all(map(can_be_label, texts)):
                raise ModelError("The tagger is damaged: a value cannot be written in its column.")
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"The tagger is damaged: {error}.") from error


@dataclass(frozen=True)
class TagScores:
    """How many words in a hundred have what the gold standard says, by column; None where it says nothing."""

    upos: float | None
    xpos: float | None
    feats: float | None
    lemma: float | None
    all_tags: float
    """UPOS, XPOS and FEATS together."""

    @property
    def mean(self) -> float:
        """Of the columns that there are."""
        known = [s for s in (self.upos, self.xpos, self.feats, self.lemma) if s is not None]
        return sum(known) / max(1, len(known))


class Tagger(Stored):
    """A trained tagger. Immutable, and safe to use from several threads."""

    KINDS: ClassVar[tuple[str, ...]] = (KIND, PIPELINE)

    def __init__(
        self,
        info: TaggerInfo,
        arrays: Mapping[str, model_file.Array],
        encoder: Encoder | None = None,
    ) -> None:
        """The arrays of an encoder that is given need not be among the others."""
        self.info = info
        self._arrays = (Arrays({}) if encoder is None else encoder.arrays) | arrays
        try:
            # The moves that are tags: as many as there are beginnings of analyses.
            tags = {tuple(a[:n]) for a in info.analyses for n in range(1, len(info.columns) + 1)}
            self.encoder = encoder or Encoder.of_network(info.options.network, self._arrays)
            model = network.model(self.encoder, info.options.network, self._arrays, len(tags))
            raw = self._arrays.raw
            lexicon_rules: Any = array("i", raw("lexicon_rules").tolist())
            self._core = _core.Tagger(
                columns=[COLUMNS[name] for name in info.columns],
                analyses=info.analyses,
                rules=info.rules,
                choices=info.choices,
                lexicon_keys=raw("lexicon_keys"),
                lexicon_rules=lexicon_rules,
                lemma_keys=raw("lemma_keys"),
                model=model,
                dictionary=info.dictionary,
                restricts=info.restricts,
                signs=info.signs,
                reach=info.reach,
            )
        except ValueError as error:  # which says by itself what is damaged
            raise ModelError(str(error)) from error
        except (KeyError, TypeError) as error:
            raise ModelError(f"The tagger is damaged: {error}") from error

    @classmethod
    def train(
        cls,
        treebank: Treebank | PathLike,
        *,
        dev: Treebank | PathLike | None = None,
        options: TaggerOptions | None = None,
        threads: int = 1,
        **changes: Any,
    ) -> Tagger:
        """Trains a tagger on the columns of a treebank that hold anything.

        With `dev`, the epoch with the best mean of the columns' accuracies on it is kept; without, the last.
        Options can be given whole or one by one. `threads` tag dev and, two at most, train; the tagger is the
        same for any number.
        """
        from arcwise.tagger_training import TaggerTraining

        if options is not None and changes:
            raise OptionError("Give the options whole or one by one, not both.")
        training = TaggerTraining(
            as_treebank(treebank),
            dev=None if dev is None else as_treebank(dev),
            options=options or TaggerOptions(**changes),
            threads=threads,
        )
        return training.finish()

    def tag(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        *,
        threads: int = 1,
    ) -> Treebank:
        """Gives every word its tags and its lemma, as far as the tagger was trained on them.

        Takes a treebank, a sentence or several, or lists of words; gives back a treebank with the same words,
        in the same order. Everything else is as it stood.
        """
        if threads < 1:
            raise OptionError("Tagging takes at least one thread.")
        treebank = to_sentences(sentences)
        return Treebank(self._core.tag(treebank._core, threads), treebank.source)

    def shares_with(self, parser: Parser) -> bool:
        """Whether it looks at words as a parser's network has encoded them."""
        return bool(parser._core.shares_encoder_with(self._core))

    def evaluate(self, gold: Treebank | PathLike, *, threads: int = 1) -> TagScores:
        """Tags the words of a treebank and compares the columns with its own."""
        treebank = as_treebank(gold)
        return compare(treebank, self.tag(treebank, threads=threads))

    def with_dictionary(self, lines: PathLike | Iterable[Sequence[str]], *, restrict: bool = True) -> Tagger:
        """The same tagger with a dictionary, which is stored with it and takes the place of an older one.

        Lines have form, UPOS, XPOS, FEATS and lemma, in a file (with tabs between) or as they are; `_` is
        any. A word whose form, or lower-cased form, is there has no other analyses than those of its lines,
        and their lemmas. Without `restrict`, only the lemmas count.

        >>> words = Treebank.from_words([["the", "saw"]], upos=[["DET", "NOUN"]], lemma=[["the", "saw"]])
        >>> tagger = Tagger.train(words, epochs=1).with_dictionary([("saw", "DET", "_", "_", "sawn")])
        >>> tagger.tag([["saw"]]).to_string().split()[2:4]
        ['sawn', 'DET']

        Raises:
            OptionError: The file cannot be read, or a word is given what the tagger was not trained on.
        """
        if isinstance(lines, (str, os.PathLike)):
            own = dictionary.read_dictionary(lines)
        else:
            own = [dictionary.checked(line) for line in lines]
        if not all(can_be_label(text) for line in own for text in line):
            raise OptionError("The dictionary has a tab or a line end in a value: it could not be written.")
        try:
            return self.with_info(replace(self.info, dictionary=own, restricts=restrict))
        except ModelError as error:
            raise OptionError(str(error)) from error

    def with_info(self, info: TaggerInfo) -> Tagger:
        """The same tagger, of which something else is said."""
        return Tagger(info, self._arrays, self.encoder)

    def to_component(self) -> Component:
        """The tagger as a part of a model file."""
        return Component(KIND, self.info.to_header(), self._arrays)

    @classmethod
    def from_component(cls, component: Component, encoder: Encoder | None = None) -> Tagger:
        """The tagger that `to_component` was asked of, on an encoder that others may have, too."""
        own = own_part(component, KIND)
        return cls(TaggerInfo.from_header(own.header), own.arrays, encoder)

    def __repr__(self) -> str:
        lemmas = ", lemma" if self.info.rules else ""
        return f"<Tagger: {', '.join(self.info.columns)}{lemmas}, {len(self.info.analyses):,} analyses>"


def compare(gold: Treebank, system: Treebank) -> TagScores:
    """How the tags and lemmas of the same words agree."""
    columns = {}
    right: dict[str, np.ndarray[Any, np.dtype[np.bool_]]] = {}
    for name in (*COLUMNS, "lemma"):
        values = np.array(gold.column(name), dtype=object)
        right[name] = values == np.array(system.column(name), dtype=object)
        columns[name] = _percentage(right[name]) if (values != "_").any() else None
    return TagScores(**columns, all_tags=_percentage(np.all([right[name] for name in COLUMNS], axis=0)))


def _percentage(right: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    return 100 * float(right.mean()) if len(right) > 0 else 0.0
