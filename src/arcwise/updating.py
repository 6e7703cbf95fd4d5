"""Learning from corrections: a trained parser goes on with trees that someone has put right."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcwise import _core, learners, network, tagging
from arcwise.errors import ModelError, OptionError, TreebankError
from arcwise.grammar import Grammar
from arcwise.learners import Inputs, Run
from arcwise.numbering import numbered_as
from arcwise.options import AdaGradOptions, NetworkOptions
from arcwise.parser import RANKING_WEIGHTS, Parser, PathLike
from arcwise.tagger import Tagger
from arcwise.training import Tally, Training
from arcwise.treebank import Sentence, Treebank, fingerprint

WORDS_IN_A_BATCH = 20
"""Corrected words in a network's training step."""


@dataclass(frozen=True, kw_only=True)
class UpdateOptions:
    """How a parser learns from corrections.

    Attributes:
        epochs: Passes over the corrected sentences; None: from 40 to 6 for a network, the fewer the more
            words there are, 20 with replay; otherwise 5, for l2s 3.
        rate: A network's learning rate at first, which falls to next to nothing in a straight line, or by
            how much a perceptron changes its weights at a mistake; None: what suits the learner, more with
            replay than without. Other learners have rates of their own, which they go on with.
        replayed: How many sentences of the replay treebank are learnt with each corrected one, others in
            every epoch.
        seed: Of the order, of exploration and of which sentences are replayed.
    """

    epochs: int | None = None
    rate: float | None = None
    replayed: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        for holds, sentence in (
            (
                self.epochs is None or 1 <= self.epochs < 2**31,
                "An update takes at least one epoch, and less than 2^31.",
            ),
            (self.rate is None or 0 < self.rate < math.inf, "The rate must be a positive number."),
            (self.replayed >= 1, "At least one sentence is replayed with each: or leave replay out."),
            (0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."),
        ):
            if not holds:
                raise OptionError(sentence)

    def resolved(self, learner: str, replay: bool, words: int) -> UpdateOptions:
        """The same with epochs and rate filled in, for so many corrected words.

        >>> options = UpdateOptions().resolved("perceptron", replay=False, words=100)
        >>> options.epochs, options.rate
        (5, 0.1)
        """
        own = learners.learner(learner)
        rate = own.rate_of_replay if replay else own.rate_of_update
        if self.rate is not None and rate is None:
            raise OptionError(f"The learner {learner} goes on with rates of its own: leave the rate out.")
        return replace(
            self, epochs=self.epochs or own.passes_of_update(words, replay), rate=self.rate or rate
        )


class Update(Training):
    """A run that goes on training a parser with corrected trees; `parser()` is the improved one.

    The labels and what the parser looks at stay as they are. Words that it has no vector for are known by
    their endings and shapes, as in parsing. A `tagger` that shares the parser's network learns tags and
    lemmas along with it, and goes on sharing it: `tagger()`.
    """

    def __init__(
        self,
        parser: Parser,
        sentences: Treebank | PathLike | Sentence | Iterable[Sentence],
        *,
        replay: Treebank | PathLike | None = None,
        options: UpdateOptions | None = None,
        threads: int = 1,
        tagger: Tagger | None = None,
    ) -> None:
        about = parser.info
        self.before = parser
        self.tagger_before = tagger
        options = options or UpdateOptions()
        self.corrected = _known(with_trees(sentences), parser)
        self.update_options = options.resolved(
            str(about.options.learner), replay is not None, self.corrected.word_count
        )
        self.replayed = self._sample(replay) if replay is not None else None
        treebank, epochs = self.corrected, self.passes
        if self.replayed is not None:
            # All passes in one, so that each has other sentences to replay.
            treebank, epochs = joined([self.corrected] * epochs + [self.replayed]), 1
        words = about.training.get("words")
        if type(words) is not int or words < 1 or not isinstance(about.training.get("updates", []), list):
            raise ModelError(
                "The parser does not say what it was trained on, and cannot be updated: get the file again, "
                "or train the model again."
            )
        learner = about.options.learner
        if isinstance(learner, NetworkOptions):
            learner = replace(
                learner,
                batch=WORDS_IN_A_BATCH * (1 if self.replayed is None else 1 + self.update_options.replayed),
                rate=self.update_options.rate or learner.rate,
                average=network.AVERAGE_OF_UPDATE,
                **(network.NOTHING_DROPPED if self.replayed is None else {}),
                vectors=None,
                embedding_bits=network.embedding_bits(learner),
            )
        elif isinstance(learner, AdaGradOptions) and learner.penalty is None:
            # That of the treebank which the parser was trained on, and not of this one.
            learner = replace(learner, penalty=1 / (20 * words))
        o = replace(
            about.options,
            epochs=epochs,
            patience=None,
            silver=None,
            system=replace(about.options.system, single_root=about.single_root),
            learner=learner,
        )
        super().__init__(
            treebank, options=o, threads=threads, keep_training_state=parser.info.state is not None
        )
        self._go_on()

    @property
    def passes(self) -> int:
        """Over the corrected sentences, whatever an epoch is."""
        assert self.update_options.epochs is not None
        return self.update_options.epochs

    @property
    def planned(self) -> int:
        """Passes over the corrected sentences. With others that are replayed they make one epoch, in which
        all come in any order, and a pass is a part of it."""
        return self.passes

    @property
    def words(self) -> int:
        """Words in such a pass."""
        return -(-super().words // (1 if self.replayed is None else self.passes))

    def _train(self, tally: Tally, number: int, on_step: Callable[[int], None]) -> None:
        is_last = self.replayed is None or number == self.passes
        tally.run_epoch(self._core, on_step, None if is_last else self.words)

    def _sample(self, replay: Treebank | PathLike) -> Treebank:
        """Some sentences of what the parser was trained on."""
        treebank, options = _known(with_trees(replay), self.before), self.update_options
        wanted = options.replayed * len(self.corrected) * self.passes
        return treebank.select(sample(len(treebank), wanted, options.seed))

    def _inputs(self) -> Inputs:
        about = self.before.info
        return Inputs(about.templates, about.network, about.search)

    def _run(self) -> Run:
        alone = self.replayed is None
        run = replace(super()._run(), before=self.before, rate=self.update_options.rate, alone=alone)
        if self.tagger_before is None:
            return run
        names = ("batch", "rate", "average", *(network.NOTHING_DROPPED if alone else ()))
        shared = {name: getattr(self.options.learner, name) for name in names}
        shared["epochs"] = self.options.epochs
        self.tagger_options = replace(self.tagger_before.info.options, **shared)
        corrected = len(self.corrected) * (1 if self.replayed is None else self.passes)
        self.tagging_set = tagging.corrected_set(self.tagger_before, self.treebank, corrected)
        return replace(run, tagger=(self.tagging_set, self.tagger_options))

    def _run_options(self, known: _core.LabelSet | None = None) -> _core.RunOptions:
        about = self.before.info
        return super()._run_options(
            _core.LabelSet(
                labels=about.labels,
                left=about.left,
                right=about.right,
                root=about.root,
                completion=about.completion,
            )
        )

    def _go_on(self) -> None:
        """Takes up what the parser has learnt, and visits states off the gold path from the first epoch."""
        about = self.before.info
        state = dict(self._core.state())
        try:
            alone = self.replayed is None
            learner = self.learner.taken_up(self.before, state["learner"], alone=alone)
            if self.tagger_before is not None and self.tagging_set is not None:
                learner |= tagging.taken_up(
                    self.tagger_before, self.tagging_set, state["learner"], shared=True, alone=alone
                )
            state |= {"random": self.update_options.seed, "epoch": about.options.policy.k, "learner": learner}
            if about.state is not None:
                state["steps"] = about.state["steps"]
            self._core.restore(**state)
        except ModelError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"The training state of the model is damaged: {error}") from error

    def _with_history(self, parser: Parser) -> Parser:
        before = self.before.info
        # A ranker chooses among the trees of the updated parser as it did before. What was fitted to the
        # probabilities of the old one does not hold of this one's.
        info = replace(
            parser.info,
            options=before.options,
            training=self._history(before.training),
            ranking=before.ranking,
            calibration=None,
            grammar=self._grammar(),
        )
        ranker = {n: a for n, a in self.before._arrays.items() if n == RANKING_WEIGHTS}
        return Parser(info, {**parser._arrays, **ranker}, parser.encoder)

    def _grammar(self) -> Grammar | None:
        """The rules that corrected trees keep to, too."""
        before = self.before.info.grammar
        kept = None if before is None else before.kept_by(self.corrected)
        return kept if kept is not None and kept.rules else None

    def _history(self, training: dict[str, Any]) -> dict[str, Any]:
        """Where what was updated comes from."""
        update = {
            "treebank": Path(self.corrected.source).name,
            "sentences": len(self.corrected),
            "words": self.corrected.word_count,
            "fingerprint": fingerprint(self.corrected),
            **asdict(self.update_options),
            "replayed": 0 if self.replayed is None else len(self.replayed),
        }
        earlier = training.get("updates")
        return {**training, "updates": [*(earlier if isinstance(earlier, list) else []), update]}

    def tagger(self) -> Tagger | None:
        """The tagger that has learnt along with the parser, whose network it shares."""
        before = self.tagger_before
        if self._best_tagger is None or before is None:
            return None
        return tagging.updated(before, self._best_tagger, self.corrected, self._history(before.info.training))


def with_trees(sentences: Treebank | PathLike | Sentence | Iterable[Sentence]) -> Treebank:
    if isinstance(sentences, Treebank):
        return sentences
    if isinstance(sentences, str | os.PathLike):
        return Treebank.read(sentences)
    given = [sentences] if isinstance(sentences, Sentence) else list(sentences)
    if not all(isinstance(sentence, Sentence) for sentence in given):
        raise TreebankError("Corrections are trees: give a treebank, or sentences of one.")
    text = "".join(sentence.to_string("conllu") for sentence in given)
    return Treebank.from_string(text, source="<corrections>")


def _known(treebank: Treebank, parser: Parser) -> Treebank:
    """The treebank with the parser's numbers for labels; refuses what the parser cannot learn from."""
    if not len(treebank):
        raise TreebankError(f"{treebank.source} has no sentence to learn from: give at least one.")
    missing = parser.missing_columns(treebank)
    if missing:
        names = ", ".join(column.upper() for column in missing)
        raise TreebankError(
            f"{treebank.source} lacks {names}, with which the parser was trained: fill it in as for parsing."
        )
    return numbered_as(
        treebank,
        parser.info.label_names,
        "which the parser does not know, and an update brings no new ones",
        "train a parser on a treebank that has it",
    )


def sample(sentences: int, wanted: int, seed: int) -> list[int]:
    """The numbers of so many sentences at random; each comes again only when all have come."""
    chosen: list[int] = []
    order = random.Random(seed)
    while len(chosen) < wanted:
        chosen += order.sample(range(sentences), min(sentences, wanted - len(chosen)))
    return chosen


def joined(parts: Sequence[Treebank]) -> Treebank:
    """Treebanks with the same numbers for labels, one after the other."""
    text = "".join(part.to_string("conllu") for part in parts)
    whole = Treebank.from_string(text, source=parts[0].source, check_trees=False)
    labels = np.concatenate([part.labels for part in parts])
    return whole.with_trees(whole.heads, labels, parts[0].label_names)
