"""The parser: trained from a treebank, stored in one file, applied to text."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from arcwise import _core, model_file, names
from arcwise._kinds import of_wrong_kind
from arcwise._numpy import np
from arcwise.calibration.fitting import Calibration
from arcwise.constraints import Compiled, Given, compiled
from arcwise.encoder import Encoder
from arcwise.errors import ModelError, OptionError, TreebankError
from arcwise.grammar import Grammar, learn
from arcwise.learners import Learner, learner
from arcwise.model_file import PIPELINE, Arrays, Component, Stored, own_part
from arcwise.options import COLUMNS, MAX_WORDS, ParseOptions, ParserOptions
from arcwise.probabilities import SAMPLES, SEED, Marginals, demand_probabilities, marginals
from arcwise.probabilities import parse as parse_with_probabilities
from arcwise.treebank import Sentence, Treebank, can_be_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.evaluation import Evaluation
    from arcwise.hc.ranker import Ranker
    from arcwise.silver import GivenSilver
    from arcwise.tagger import Tagger
    from arcwise.trace import Trace
    from arcwise.trace_moves import ByHand, Guides
    from arcwise.transitions.system import AsDescribed, System
    from arcwise.updating import UpdateOptions

KIND = "parser"
RANKING_WEIGHTS = "ranking_weights"
STATE = "state."
"""What the names of arrays begin with that only a learner has a use for."""
_OF_SOME = ("network", "search", "calibration", "ranking", "state", "grammar")
LEAST_BEAM_OF_NBEST = 8
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class ModelInfo:
    """What a parser is made of, as its model file says."""

    options: ParserOptions
    templates: list[str]
    label_names: list[str]
    labels: list[tuple[int, int, bool]]
    """What each label of a move means: name, the name of the head it was lifted from, on a path."""
    left: list[int]
    right: list[int]
    root: list[int]
    completion: int
    """The label of a word that is given the root word for a head, for want of another."""
    single_root: bool
    scale: float
    features: int
    weights: int
    training: dict[str, Any]
    """Where the parser comes from: treebank, its fingerprint and size, scores by epoch."""
    network: dict[str, Any] | None = None
    """The shape and the inputs of a network; None for a linear model."""
    search: dict[str, Any] | None = None
    """How what was learnt by learning to search is asked; None for what scores moves."""
    calibration: Calibration | None = None
    """What was fitted to held-out trees, so that probabilities are true to them; None before `calibrate`."""
    ranking: dict[str, Any] | None = None
    """The ranker of HC-search, how much the beam's scores count beside its own (alpha), and the width of the
    beam; None for a parser without one."""
    state: dict[str, Any] | None = None
    """How many steps the learner has made whose state is kept, and its size in bytes; None: it is not."""
    grammar: Grammar | None = None
    """What trees of the treebank are never like, which its trees can be kept to; None: it knows no rules."""

    @property
    def learner(self) -> Learner:
        """What has learnt the model, and knows how to use it."""
        return learner(self.options.learner.name)

    def to_header(self) -> dict[str, Any]:
        header = {**self.__dict__, "options": self.options.to_dict()}
        if self.calibration is not None:
            header["calibration"] = self.calibration.to_dict()
        if self.grammar is None:
            del header["grammar"]
        else:
            header["grammar"] = self.grammar.to_header()
        return header

    @classmethod
    def from_header(
        cls, header: Mapping[str, Any], system: System | type[AsDescribed] | None = None
    ) -> ModelInfo:
        """What a model file says; a system that is written in Python has to be given."""
        try:
            values = {name: header[name] for name in cls.__dataclass_fields__ if name not in _OF_SOME}
            values |= {name: header.get(name) for name in _OF_SOME}
            values["options"] = ParserOptions.from_dict(values["options"], system)
            values["labels"] = [(int(b), int(f), bool(p)) for b, f, p in values["labels"]]
            if values["calibration"] is not None:
                values["calibration"] = Calibration.from_dict(values["calibration"])
            if values["grammar"] is not None:
                values["grammar"] = Grammar.from_header(values["grammar"])
            if wrong := of_wrong_kind(cls, values):
                raise ModelError(f"The model is damaged: what it has for {wrong[0]} is of another kind.")
            names = values["label_names"]
            if not isinstance(names, list) or not all(map(can_be_label, names)):
                raise ModelError("The model is damaged: a label cannot be written as DEPREL.")
            known = range(len(names))
            if not all(base in known and lifted < len(names) for base, lifted, _ in values["labels"]):
                raise ModelError("The model is damaged: a label has no name.")
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"The model is damaged: {error}.") from error


class Candidate(NamedTuple):
    """One of the best trees of a sentence."""

    sentence: Sentence
    score: float
    """The logarithm of the probability of the moves that built it, if the learner has probabilities
    (`adagrad`, `network`); for a perceptron, the sum of their scores. With samples, the logarithm of
    its share of the draws."""


class Parser(Stored):
    """A trained parser. Immutable, and safe to use from several threads.

    Get one with `arcwise.load(path)` or `Parser.train(treebank)`.
    """

    KINDS: ClassVar[tuple[str, ...]] = (KIND, PIPELINE)

    def __init__(
        self,
        info: ModelInfo,
        arrays: Mapping[str, model_file.Array],
        encoder: Encoder | None = None,
    ) -> None:
        """The arrays of an encoder that is given need not be among the others."""
        self.info = info
        self._arrays = (Arrays({}) if encoder is None else encoder.arrays) | arrays
        options = info.options
        # Arcs of moves have these labels; the treebank may know more of them.
        used = {base for base, *lifted in info.labels if lifted == [_core.NOT_LIFTED, False]}
        try:
            learner = info.learner
            self.encoder = encoder or learner.encoder(info, self._arrays)
            self._model = learner.model(info, self._arrays, self.encoder)
            self._core = _core.Parser(
                **names.for_the_core(options.system.name),
                root_first=options.system.root == "first",
                single_root=info.single_root,
                labels=info.labels,
                left=info.left,
                right=info.right,
                root=info.root,
                completion=info.completion,
                scheme=options.system.scheme,
                probabilistic=learner.probabilistic,
                model=self._model,
                grammar=None if info.grammar is None else info.grammar.for_the_core(info.label_names, used),
            )
        except ValueError as error:  # which says by itself what is damaged
            raise ModelError(str(error)) from error
        except (KeyError, TypeError) as error:
            raise ModelError(f"The model is damaged: {error}") from error
        self.ranker: Ranker | None = None
        """What chooses among the trees of a beam in HC-search."""
        self.alpha = 1.0
        """How much the beam's scores count beside the ranker's."""
        if info.ranking is not None:
            self._take_ranker(info.ranking)

    def _take_ranker(self, ranking: Mapping[str, Any]) -> None:
        from arcwise.hc.ranker import Ranker

        try:
            self.alpha, self._width = float(ranking["alpha"]), int(ranking["beam"])
            self.ranker = Ranker.from_header(ranking, self._arrays[RANKING_WEIGHTS])
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"The ranker is damaged: {error}.") from error
        if not (0 <= self.alpha <= 1 and 1 <= self._width < 2**31):
            raise ModelError("The ranker is damaged: its alpha or its beam is out of range.")
        self._ranker = self.ranker.core(self.info.label_names)

    def with_ranker(self, ranker: Ranker, alpha: float, *, beam: int | None = None) -> Parser:
        """The same parser with a ranker, which then chooses among the trees of a beam (HC-search).

        `alpha`, from 0 to 1, is how much the beam's own scores count. The beam is as wide as it was for the
        candidates that the ranker was trained on, unless its width is given.
        """
        if not 0 <= alpha <= 1:
            raise OptionError("Alpha is a share: choose a number from 0 to 1.")
        width = ParseOptions(beam=ranker.options.beam if beam is None else beam).beam
        self._check_search(width)
        ranking = {**ranker.to_header(), "alpha": alpha, "beam": width}
        info = replace(self.info, ranking=ranking)
        return Parser(info, {**self._arrays, RANKING_WEIGHTS: ranker.weights}, self.encoder)

    @property
    def _given(self) -> dict[str, Any]:
        """The transition system, if it is written in Python."""
        system = self.info.options.system.name
        return {} if isinstance(system, str) else {"system": system}

    def to_component(self) -> Component:
        """The parser as a part of a model file."""
        return Component(KIND, self.info.to_header(), self._arrays)

    @classmethod
    def from_component(
        cls,
        component: Component,
        encoder: Encoder | None = None,
        system: System | type[AsDescribed] | None = None,
    ) -> Parser:
        """The parser that `to_component` was asked of, on an encoder that others may have, too."""
        own = own_part(component, KIND)
        return cls(ModelInfo.from_header(own.header, system), own.arrays, encoder)

    @classmethod
    def load(cls, path: PathLike, *, system: System | None = None) -> Parser:
        """Opens a model file. All of it is checked.

        A parser whose transition system is written in Python needs that `system`, which is not in the file.
        """
        return cls._load(path, system=system)

    @classmethod
    def train(
        cls,
        treebank: Treebank | PathLike,
        *,
        dev: Treebank | PathLike | None = None,
        options: ParserOptions | None = None,
        threads: int = 1,
        keep_training_state: bool = False,
        grammar: bool = True,
        silver: GivenSilver | None = None,
        **changes: Any,
    ) -> Parser:
        """Trains a parser on a treebank.

        With `dev`, the epoch with the best LAS on it is kept; without, the last. Options can be given
        whole or one by one. `threads` parse dev and, two at most, train a network; the parser is the same
        for any number. With `keep_training_state` it keeps what its learner needs for `update`. With
        `grammar` it learns rules of the treebank, too, which its trees can be kept to. A network can learn
        from `silver` trees, too, those of another parser: a treebank, or files, which may be compressed and
        of any size.

        >>> from arcwise import Treebank
        >>> treebank = Treebank.from_string("1\\tGo\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
        >>> parser = Parser.train(treebank, epochs=1)
        """
        from arcwise.training import Training

        if options is not None and changes:
            raise OptionError("Give the options whole or one by one, not both.")
        training = Training(
            as_treebank(treebank),
            dev=None if dev is None else as_treebank(dev),
            options=options or ParserOptions.of(**changes),
            threads=threads,
            keep_training_state=keep_training_state,
            silver=silver,
        )
        parser = training.finish()
        return parser.with_grammar(learn(training.as_seen)) if grammar else parser

    def update(
        self,
        sentences: Treebank | PathLike | Sentence | Iterable[Sentence],
        *,
        replay: Treebank | PathLike | None = None,
        options: UpdateOptions | None = None,
        threads: int = 1,
        **changes: Any,
    ) -> Parser:
        """A parser that has learnt from corrected trees as well; this one stays as it is.

        With `replay`, the treebank that the parser was trained on, some of its sentences are learnt again
        along with the corrected ones. Options as of `UpdateOptions`, whole or one by one. A network goes on
        from its training state, if it has kept one, or else from its weights; other learners need one.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> treebank = treebank.with_trees([2, 0], [0, 1], ["nsubj", "root"])
        >>> parser = Parser.train(treebank, epochs=1, learner="perceptron", keep_training_state=True)
        >>> corrected = treebank.with_trees([0, 1], [1, 0], ["nsubj", "root"])
        >>> parser.update(corrected, rate=1).parse(corrected).heads.tolist()
        [0, 1]
        """
        from arcwise.updating import Update, UpdateOptions

        if options is not None and changes:
            raise OptionError("Give the options whole or one by one, not both.")
        options = options or UpdateOptions(**changes)
        return Update(self, sentences, replay=replay, options=options, threads=threads).finish()

    @property
    def training_state(self) -> dict[str, model_file.Array]:
        """What the learner goes on from in `update`, by name; empty if it was not kept."""
        return {name.removeprefix(STATE): a for name, a in self._arrays.items() if name.startswith(STATE)}

    def with_training_state(self, steps: int, parts: Mapping[str, model_file.Array]) -> Parser:
        """The same parser with what its learner is to go on from."""
        state = {"steps": steps, "bytes": sum(array.nbytes for array in parts.values())}
        arrays = {STATE + name: array for name, array in parts.items()}
        plain = self.without_training_state()
        return Parser(replace(plain.info, state=state), {**plain._arrays, **arrays}, self.encoder)

    def without_training_state(self) -> Parser:
        """The same parser in a smaller file: one that can parse, but of which some cannot be updated."""
        if self.info.state is None:
            return self
        arrays = {name: array for name, array in self._arrays.items() if not name.startswith(STATE)}
        return Parser(replace(self.info, state=None), arrays, self.encoder)

    def with_grammar(self, grammar: Grammar | None) -> Parser:
        """The same parser, whose trees can be kept to these rules, or to none."""
        if grammar is not None and not grammar.rules:
            grammar = None
        return self if grammar == self.info.grammar else self.with_info(replace(self.info, grammar=grammar))

    def with_info(self, info: ModelInfo) -> Parser:
        """The same parser, of which something else is said."""
        return Parser(info, self._arrays, self.encoder)

    @property
    def needs_tags(self) -> bool:
        """Whether it was always shown tags, if there were any, when it was trained."""
        return self.info.learner.needs_tags(self.info)

    def without_tags(self) -> Parser:
        """The same parser, which takes no notice of words' tags; one that needs tags stays as it is."""
        info = self.info.learner.without_tags(self.info)
        return self if info is self.info else self.with_info(info)

    def parse(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        options: ParseOptions | None = None,
        *,
        tagger: Tagger | None = None,
        tags: Treebank | None = None,
        own: NDArray[np.bool_] | None = None,
        **changes: Any,
    ) -> Treebank:
        """Gives every word a head and a label, and before that the tags of a `tagger`, if there is one.

        Takes a treebank, a sentence or several, or lists of words; gives back a treebank with the same
        words, in the same order. Options as of `ParseOptions`, whole or one by one:
        ``parser.parse(sentences, beam=8, probabilities="moves")``.

        Without any, moves are chosen by the search that the parser was made for: with a ranker HC-search, a
        beam if it was trained with one, otherwise greedily. `adagrad` and `network` have probabilities;
        those of a parser that was calibrated (see `calibrate`) are as often right as they say.

        Rules of a `grammar` go by the tags of words (UPOS); if the parser is not to see them, by those of
        `tags`, a treebank of the same words, which trees are then given to. Where these are a tagger's `own`,
        a tag that does not go with the tree may give way to one that does.
        """
        o = ParseOptions.of(options, changes)
        search, width = self._search(o)
        self._check_search(width)
        if o.probabilities is not None:
            self._check_draws(o.constraints)
        treebank = to_sentences(sentences)
        how: dict[str, Any] = {"threads": o.threads, "grammar": o.grammar}
        how["beam"] = None if width == 1 else width
        if search == "hc":
            how |= {"ranker": self._ranker, "alpha": self.alpha}
        if tagger is not None and own is None:
            plain = o.probabilities is None and o.constraints is None and search != "hc"
            if plain and tagger.shares_with(self):
                core = self._core.annotate(treebank._core, tagger._core, self.info.label_names, **how)
                return Treebank(core, treebank.source)
            treebank = tagger.tag(treebank, threads=o.threads)
        given = self._compiled(o.constraints, treebank)
        how |= {"constraints": given.core, **self._tagging(tagger, tags, own, o.grammar)}
        onto = treebank if tags is None else tags
        if o.probabilities is not None:
            calibration = self._calibration if o.calibrated else Calibration()
            return parse_with_probabilities(self._core, treebank, onto, o, calibration, given, how)
        heads, labels, retagged = self._core.parse(treebank._core, **how)
        return onto._retagged(retagged).with_trees(heads, labels, given.label_names)

    def _tagging(
        self,
        tagger: Tagger | None,
        tags: Treebank | None,
        own: NDArray[np.bool_] | None,
        grammar: bool,
    ) -> dict[str, Any]:
        """How the core is told of tags, for which rules of a grammar have a use alone."""
        told: dict[str, Any] = {"tags": None if tags is None else tags._core}
        if not grammar or self.info.grammar is None:
            return told
        if tagger is not None and (own is not None or tagger.shares_with(self)):
            told |= {"tagger": tagger._core, "to_tag": None if own is None else own.astype(np.uint8)}
        return told

    def nbest(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        k: int,
        *,
        samples: int | None = None,
        tagger: Tagger | None = None,
        tags: Treebank | None = None,
        own: NDArray[np.bool_] | None = None,
        **changes: Any,
    ) -> list[list[Candidate]]:
        """The best trees of every sentence, best first: up to `k` that differ in a head or a label.

        They are those that a beam ends with, as wide as `k` and no narrower than 8, or than the parser was
        trained with, if its width is not given. The first is that of `parse` with this beam and these
        constraints. With `samples` they are those that are drawn most often, in any system, and their scores
        the logarithms of their shares of the draws; they know of no grammar. Other options as of
        `ParseOptions`: `beam`, `constraints`, `grammar`, `seed` and `threads`; `tags`, `tagger` and `own` as
        of `parse`. Where the best tree breaks rules of a grammar, they are those of another beam, which looks
        for trees that break none.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> treebank = treebank.with_trees([2, 0], [0, 1], ["nsubj", "root"])
        >>> parser = Parser.train(treebank, learner="adagrad", alpha=0.03, epochs=1)
        >>> from math import exp
        >>> for sentence, score in parser.nbest(treebank, 2)[0]:
        ...     print(sentence.heads.tolist(), f"{exp(score):.1f}")
        [2, 0] 0.9
        [0, 1] 0.1
        """
        if k < 1:
            raise OptionError("Ask for at least one tree.")
        known = ("beam", "constraints", "grammar", "seed", "threads")
        refused = [name for name in changes if name not in known]
        if refused:
            raise OptionError(f"The best trees have no use for {refused[0]}: leave it out.")
        o = ParseOptions(**changes, samples=ParseOptions.samples if samples is None else samples)
        beam, threads, constraints = o.beam, o.threads, o.constraints
        if samples is None:
            if beam is None:
                beam = max(k, self._trained_beam or LEAST_BEAM_OF_NBEST)
            self._check_search(beam)
            if beam < k:
                raise OptionError(
                    f"A beam of {beam} ends with no more than {beam} trees: widen it, or lower k."
                )
            treebank = to_sentences(sentences)
            given = self._compiled(constraints, treebank)
            told = self._tagging(tagger, tags, own, o.grammar)
            best = self._core.best(treebank._core, k, beam, threads, given.core, o.grammar, **told)
        else:
            if beam is not None:
                raise OptionError("The best trees come from a beam or from samples: ask for one of them.")
            self._check_draws(constraints)
            treebank = to_sentences(sentences)
            given = self._compiled(constraints, treebank)
            best = self._core.drawn(
                treebank._core, k, samples, o.seed, threads, self._calibration.temperature, given.core
            )
        counts, scores = best["counts"], best["scores"].tolist()
        onto = (treebank if tags is None else tags)._retagged(best.get("retagged"))
        trees = onto.select(np.repeat(np.arange(len(treebank)), counts).tolist())
        trees = trees.with_trees(best["heads"], best["labels"], given.label_names)
        ends = np.cumsum(counts).tolist()
        return [
            [Candidate(trees[tree], scores[tree]) for tree in range(end - count, end)]
            for end, count in zip(ends, counts.tolist(), strict=True)
        ]

    def marginals(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        *,
        samples: int = SAMPLES,
        seed: int = SEED,
        threads: int = 1,
    ) -> Marginals:
        """The probabilities of all arcs that are drawn in so many trees of the model's, for every word.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> treebank = treebank.with_trees([2, 0], [0, 1], ["nsubj", "root"])
        >>> parser = Parser.train(treebank, learner="adagrad", alpha=0.03, epochs=1)
        >>> for word, head, deprel, prob in parser.marginals(treebank, samples=1000)[0]:
        ...     print(word, head, deprel, f"{prob:.1f}")
        1 2 nsubj 0.9
        1 0 root 0.1
        2 0 root 0.9
        2 1 nsubj 0.1
        """
        o = ParseOptions(samples=samples, seed=seed, threads=threads)
        demand_probabilities(self.info.options)
        temperature = self._calibration.temperature
        return marginals(self._core, to_sentences(sentences), self.info.label_names, o, temperature)

    def trace(
        self,
        sentence: Sentence | Sequence[str],
        *,
        gold: Sentence | None = None,
        grammar: bool = True,
        tags: Sentence | None = None,
        tagger: Tagger | None = None,
        moves: ByHand | None = None,
        follow: Guides = "model",
        most_moves: int | None = None,
    ) -> Trace:
        """The greedy parse of a sentence step by step: states, legal moves and how probable each of them is.

        With a gold tree also what each move costs against it. `grammar` and `tags` as of `parse`; the tags
        are those of a `tagger`, if there is one. Where the greedy tree breaks a rule, these are the moves to
        the one that `parse` gives in its place.

        `moves` are taken by hand, at steps counted from 1: `{4: "SHIFT", 7: "LEFT(nsubj)"}`. The others are
        the model's or, with a gold tree and `follow="oracle"`, the best-scored of those that cost least;
        `follow={5: "oracle"}` is so from a step on. A trace of more than `most_moves` (a million by default)
        is refused.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> treebank = treebank.with_trees([2, 0], [0, 1], ["nsubj", "root"])
        >>> parser = Parser.train(treebank, learner="adagrad", alpha=0.03, epochs=1)
        >>> print(parser.trace(treebank[0], gold=treebank[0]))
        step  stack  buffer          move             prob  cost
           1         Dogs bark ROOT  → SHIFT         1.000     0
           2  Dogs   bark ROOT       → LEFT(nsubj)   0.879     0
                                       SHIFT         0.061     2
                                       RIGHT(nsubj)  0.061     2
           3         bark ROOT       → SHIFT         1.000     0
           4  bark   ROOT            → LEFT(root)    1.000     0
        """
        if isinstance(sentence, Sentence):
            treebank, index = sentence._treebank, sentence._index
        else:
            treebank, index = Treebank.from_words([sentence]), 0
        from arcwise.trace import trace

        one = None if tags is None else tags._treebank.select([tags._index])
        own = None if tagger is None else np.ones(1, bool)
        told = {"grammar": grammar, **self._tagging(tagger, one, own, grammar)}
        told.pop("to_tag", None)
        return trace(
            self._core,
            self.info,
            treebank,
            index,
            gold,
            self._calibration,
            told,
            moves,
            follow,
            most_moves,
        )

    def parse_file(
        self, path: PathLike, options: ParseOptions | None = None, **changes: Any
    ) -> Iterator[Treebank]:
        """Parses a file of any size, a few megabytes at a time.

        Options as of `parse`, and those of reading as of `Treebank.stream`.
        Sentences of more than 200,000 words are refused, unless `max_words` says otherwise.
        """
        parsing = {n: changes.pop(n) for n in list(changes) if n in ParseOptions.__dataclass_fields__}
        o = ParseOptions.of(options, parsing)
        for part in Treebank.stream(path, **{"check_trees": False, "max_words": MAX_WORDS, **changes}):
            yield self.parse(part, o)

    def evaluate(
        self, gold: Treebank | PathLike, options: ParseOptions | None = None, **changes: Any
    ) -> Evaluation:
        """Parses the words of a treebank and compares the trees with its own; options as of `parse`."""
        treebank = as_treebank(gold)
        from arcwise.evaluation import evaluate

        system = self.parse(treebank, options, **changes)
        return evaluate(treebank, system, name=repr(self))

    @property
    def _trained_beam(self) -> int | None:
        return self.info.learner.beam_of(self.info.options)

    def _search(self, options: ParseOptions) -> tuple[str, int | None]:
        """What is meant by a search and a width, either of which may not be given."""
        trained, search, beam = self._trained_beam, options.search, options.beam
        if search is None:
            search = "hc" if self.ranker is not None else "greedy" if beam is None and not trained else "beam"
        if search == "greedy":
            return search, None
        if search == "hc" and self.ranker is None:
            raise OptionError(
                "This parser has no ranker: train one with 'arcwise train --search hc', or search greedily "
                "or with a beam."
            )
        if beam is None:
            beam = trained or LEAST_BEAM_OF_NBEST if self.ranker is None else self._width
        return search, beam

    def calibrate(
        self,
        treebank: Treebank | PathLike,
        options: ParseOptions | None = None,
        *,
        on_step: Callable[[int, int], None] | None = None,
        **changes: Any,
    ) -> Parser:
        """The same parser with probabilities that are true to a treebank it was not trained on.

        Fits a temperature to the moves and a map to the probabilities of heads and of labels, by either
        estimate; the trees stay the same. Options as of `parse`: give the search that the parser will be
        used with, if not its own.
        """
        o = ParseOptions.of(options, changes)
        search, beam = self._search(o)
        self._check_search(beam)
        from arcwise.calibration.fitting import calibrate

        fitted = calibrate(self, as_treebank(treebank), replace(o, search=search, beam=beam), on_step=on_step)
        return self.with_calibration(fitted)

    def with_calibration(self, calibration: Calibration | None) -> Parser:
        """The same parser with this calibration, or without any."""
        other = copy.copy(self)
        other.info = replace(self.info, calibration=calibration)
        return other._come_from(None)

    @property
    def _calibration(self) -> Calibration:
        return self.info.calibration or Calibration()

    def _check_search(self, beam: int | None) -> None:
        if beam is None:
            return
        system, learner = self.info.options.system.name, self.info.learner
        if not names.system(system).left_to_right:
            raise OptionError(
                f"A beam goes from left to right, and {system} does not: parse greedily, without a beam."
            )
        if not learner.scores_moves:
            raise OptionError(
                f"What was learnt by {learner.title} ({learner.name}) has no beam: parse greedily, without "
                "one."
            )

    def _compiled(self, constraints: Given | None, treebank: Treebank) -> Compiled:
        system = self.info.options.system.name
        if constraints is not None and not names.system(system).constraints:
            able = names.systems_with("constraints")
            raise OptionError(
                f"{system} cannot say which moves constraints leave: parse without constraints, or train "
                f"another system, {', '.join(able[:-1])} or {able[-1]}."
            )
        return compiled(constraints, treebank, self.info.label_names)

    def _check_draws(self, constraints: Given | None) -> None:
        demand_probabilities(self.info.options)
        system = self.info.options.system.name
        if constraints is not None and not names.system(system).left_to_right:
            raise OptionError(
                f"{str(system).capitalize()} has no probabilities under constraints: do without the ones or "
                "the others, or train another system."
            )

    def missing_columns(self, treebank: Treebank) -> list[str]:
        """The columns that the parser was trained with and the treebank has nothing in.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> parser = Parser.train(treebank.with_trees([2, 0], [0, 1], ["nsubj", "root"]), epochs=1)
        >>> parser.missing_columns(Treebank.from_words([["Cats", "purr"]]))
        ['upos']
        """
        templates = self.ranker.templates if self.ranker is not None else ()
        used = {atom.rpartition(".")[2] for template in templates for atom in template.split()}
        used |= self.info.learner.attributes(self.info)
        return [name for name in COLUMNS if name in used and name not in columns_of(treebank)]

    def __repr__(self) -> str:
        options = self.info.options
        encoder = "" if self.encoder is None else f" ({options.network.encoder})"
        return f"<Parser: {options.system}, {options.learner}{encoder}, {self.info.weights:,} weights>"


def as_treebank(treebank: Treebank | PathLike) -> Treebank:
    return treebank if isinstance(treebank, Treebank) else Treebank.read(treebank)


def to_sentences(sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]]) -> Treebank:
    if isinstance(sentences, Treebank):
        return sentences
    if isinstance(sentences, Sentence):
        sentences = [sentences]
    given = list(sentences)
    whole = [sentence for sentence in given if isinstance(sentence, Sentence)]
    if not whole:
        return Treebank.from_words([words for words in given if not isinstance(words, Sentence)])
    if len(whole) < len(given):
        raise TreebankError("Sentences and lists of words are mixed: give all of one kind.")
    treebank = whole[0]._treebank
    if all(sentence._treebank is treebank for sentence in whole):
        return treebank.select(sentence._index for sentence in whole)
    return Treebank.concat(sentence._treebank.select([sentence._index]) for sentence in whole)


def columns_of(treebank: Treebank) -> list[str]:
    """The columns that hold anything, of those that features look at."""
    enough = max(1, treebank.word_count // 1000)
    return [name for name in COLUMNS if treebank.word_count - treebank.column(name).count("_") >= enough]
