"""Training, an epoch at a time: what is learnt, how good it is, and how to stop and go on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from arcwise import _core, model_file, names, network, tagging
from arcwise.errors import FeatureError, ModelError, OptionError, VectorsError, says_by_itself
from arcwise.learners import Inputs, Learnt, Run, learner
from arcwise.options import ParserOptions
from arcwise.options.tagger import TaggerOptions
from arcwise.parser import ModelInfo, Parser, columns_of
from arcwise.silver import GivenSilver, SilverTrees
from arcwise.tagger import COLUMNS, Tagger, TaggerInfo
from arcwise.treebank import Treebank, fingerprint

if TYPE_CHECKING:
    from arcwise.distillation import Teachers

CHECKPOINT = "checkpoint"
WORDS_A_STEP = 2000
"""How many words are trained on between two looks at the clock, the keyboard and the progress bar."""


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to."""

    number: int
    loss: float
    """The mean loss of a decision: the share of wrong ones (perceptron; with a beam a sentence is one), or
    the log loss (adagrad, network: minus the log of the probability of all correct moves together)."""
    wrong: int
    decisions: int
    words: int
    seconds: float
    dev_uas: float | None = None
    dev_las: float | None = None

    @property
    def words_per_second(self) -> float:
        return self.words / self.seconds if self.seconds > 0 else 0.0


class Training:
    """A training run. It can be interrupted, stored after any step, and taken up again.

    `threads` parse dev, and two of them can train a network; the model is the same for any number. With
    `keep_training_state` the parser can be updated from where training ended (see `Parser.update`). With
    options for a `tagger`, one is learnt along with the parser: they share a network that makes of words
    what both of them look at, and the parser does without tags. `silver` trees, of another parser, are learnt
    from beside those of the treebank (see `SilverOptions`). If some sentences are variants of others, these
    come first, and there are `own_sentences` of them.

    >>> treebank = Treebank.from_string("1\\tGo\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> training = Training(treebank, options=ParserOptions(epochs=2))
    >>> [epoch.number for epoch in training.epochs()]
    [1, 2]
    >>> parser = training.parser()
    """

    def __init__(
        self,
        treebank: Treebank,
        *,
        dev: Treebank | None = None,
        options: ParserOptions | None = None,
        threads: int = 1,
        keep_training_state: bool = False,
        tagger: TaggerOptions | None = None,
        silver: GivenSilver | None = None,
        own_sentences: int | None = None,
    ) -> None:
        if threads < 1:
            raise OptionError("Training takes at least one thread.")
        self.silver = None if silver is None else SilverTrees.of(silver)
        options = options or ParserOptions()
        if self.teachers is not None:
            options, treebank = self.teachers.options_of_student(options), self.teachers.gold(treebank)
        self.options = options.resolved()
        self.learner = learner(self.options.learner.name)
        if self.silver is not None and not self.learner.learns_from_silver:
            raise OptionError(
                f"The learner {self.options.learner} does not learn from silver trees: choose a network, or "
                "put them behind the treebank's own in one file."
            )
        if self.silver is None and self.options.silver is not None:
            raise OptionError("Options of silver trees are given, but no such trees: name a file (silver).")
        if tagger is not None and not self.learner.shares_encoder(self.options):
            raise OptionError(
                "A tagger can share the network of a parser that can do without tags: lower the share of "
                "sentences whose tags it is shown (shown_tags), or train them apart (separate_tagger)."
            )
        if self.options.patience is not None and dev is None:
            raise OptionError("Patience waits for a better score on a dev set: give one, or leave it out.")
        self.options = self.learner.planned(
            self.options, treebank.word_count, shared=tagger is not None, silver=self.silver
        )
        self.treebank = treebank
        self.own_sentences = own_sentences
        self.dev = dev
        self._dev_for_parser = dev
        if dev is not None and tagger is not None:
            self._dev_for_parser = dev.without(*COLUMNS)
        self.threads = threads
        self.keep_training_state = keep_training_state
        self.tagger_options = tagger
        self.tagging_set: _core.TaggingSet | None = None
        """What a tagger learns that is trained along."""
        try:
            self.inputs = self._inputs()
            self.run = self._run()
            self._core = self.learner.trainer(self.run)
        except (FeatureError, VectorsError):
            raise
        except ValueError as error:
            raise OptionError(str(error)) from error
        self.history: list[Epoch] = []
        self._best: Parser | None = None
        self._best_tagger: Tagger | None = None
        self._under_way = Tally()
        self._in_vain = 0  # chunks of silver trees that had nothing to teach, one after the other

    @property
    def as_seen(self) -> Treebank:
        """The treebank without what is left out."""
        columns = [name for name in self.options.leave_out if name in COLUMNS]
        return self.treebank.without(*columns) if columns else self.treebank

    def _inputs(self) -> Inputs:
        """What the learner looks at."""
        columns = [c for c in columns_of(self.treebank) if c not in self.options.leave_out]
        return self.learner.inputs(self.options, columns, self.treebank)

    def _run(self) -> Run:
        """What the trainer is made for."""
        run = Run(
            self.treebank,
            self.options,
            self.inputs,
            self._run_options(),
            self.threads,
            silver=self.silver,
            own_sentences=self.own_sentences,
        )
        if self.tagger_options is None:
            return run
        inputs = (self.network or {})["token_inputs"]
        if "lemma" in inputs:
            raise OptionError(
                "A parser that shares its network with a tagger cannot look at lemmas, which the tagger "
                "gives: leave them out of tokens, or train them apart (separate_tagger)."
            )
        self.tagger_options = tagging.along(self.tagger_options, self.options, inputs)
        self.tagging_set = tagging.tagging_set_of(self.treebank, self.tagger_options, self.own_sentences)
        return replace(run, tagger=(self.tagging_set, self.tagger_options))

    @property
    def teachers(self) -> Teachers | None:
        """Who say what is to be learnt of text without trees."""
        return None if self.silver is None else self.silver.teachers

    def _run_options(self, known: _core.LabelSet | None = None) -> _core.RunOptions:
        o = self.options
        if known is None and self.teachers is not None:
            known = self.teachers.label_set()
        return _core.RunOptions(
            **names.for_the_core(o.system.name),
            root_first=o.system.root == "first",
            single_root=o.system.single_root,
            scheme=o.system.scheme,
            # Learning to search has neither, and its reference is the dynamic oracle; training with a beam
            # has an oracle and no policy.
            oracle=o.policy.oracle or "dynamic",
            policy=o.policy.name or "static",
            k=o.policy.k,
            p=o.policy.p,
            seed=o.seed,
            known=known,
        )

    @property
    def templates(self) -> list[str]:
        """The feature templates of a linear model."""
        return self.inputs.templates

    @property
    def network(self) -> dict[str, Any] | None:
        """The shape and the inputs of a network, as `ModelInfo` has them."""
        return self.inputs.network

    @property
    def planned(self) -> int:
        """Epochs to be trained, unless patience ends first."""
        assert self.options.epochs is not None
        return self.options.epochs

    @property
    def done(self) -> bool:
        """Whether all epochs are trained, or those of late were no better on dev than one before them."""
        if len(self.history) >= self.planned:
            return True
        best = self._best_on_dev()
        patience = self.options.patience
        return patience is not None and best is not None and len(self.history) - best.number >= patience

    def _best_on_dev(self) -> Epoch | None:
        """The first of the epochs with the best LAS on dev."""
        scored = [epoch for epoch in self.history if epoch.dev_las is not None]
        return max(scored, key=lambda epoch: epoch.dev_las or 0.0, default=None)

    @property
    def weight_count(self) -> int | None:
        """How many weights a network has; None for a linear model, which has as many as it needs."""
        return self._core.parameters

    @property
    def sentences(self) -> int:
        """Sentences that are trained on."""
        return int(self._core.sentences)

    @property
    def words(self) -> int:
        """Words of the treebank in an epoch."""
        return int(self._core.words)

    def words_until(self, epoch: int) -> int:
        """Words in so many epochs, with those of silver trees."""
        words = epoch * self.words
        if self.silver is not None:
            mixed = network.silver_epochs(self.options)
            words += round(network.silver_words(self.run) * min(epoch, mixed) / mixed)
        return words

    @property
    def left_out(self) -> int:
        """Sentences that are not trained on: non-projective and skipped, or without any head."""
        return int(self._core.left_out)

    @property
    def lifted(self) -> int:
        """Arcs that were lifted to make trees projective."""
        return int(self._core.lifted)

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one word under ROOT."""
        return bool(self._core.single_root)

    def epochs(self, on_step: Callable[[int, int], None] | None = None) -> Iterator[Epoch]:
        """Trains an epoch at a time until all are done, calling `on_step(epoch, words so far)`."""
        while not self.done:
            yield self._epoch(on_step)

    def finish(self) -> Parser:
        """Trains all epochs that are left and gives the parser."""
        for _ in self.epochs():
            pass
        return self.parser()

    def parser(self) -> Parser:
        """The parser of the best epoch on dev, or of the last one."""
        if self._best is None:
            raise OptionError("There is no parser before the end of the first epoch.")
        return self._with_history(self._best)

    def tagger(self) -> Tagger | None:
        """The tagger that was learnt along with this parser."""
        if self._best_tagger is None:
            return None
        epochs = [{"loss": e.loss, "dev": None} for e in self.history]
        return tagging.with_history(self._best_tagger, self.treebank, self.dev, epochs)

    def _epoch(self, on_step: Callable[[int, int], None] | None) -> Epoch:
        number = len(self.history) + 1
        tally = self._under_way
        self._train(tally, number, lambda words: on_step and on_step(number, words))
        uas = las = None
        if self.dev is not None or number == self.planned:
            learnt = self._learnt()
            parser = self._frozen(number, learnt)
            if self._dev_for_parser is not None:
                uas, las = _attachment(parser, self._dev_for_parser, self.threads)
            best = self._best_on_dev()
            if las is None or best is None or best.dev_las is None or las > best.dev_las:
                self._best = self._with_state(parser) if self.keep_training_state else parser
                self._best_tagger = self._frozen_tagger(parser, learnt)
        self._under_way = Tally()
        epoch = tally.epoch(number, uas, las)
        self.history.append(epoch)
        return epoch

    def _train(self, tally: Tally, number: int, on_step: Callable[[int], None]) -> None:
        """Trains what is left of an epoch."""
        tally.run_epoch(self._core, on_step, give=self._give_silver)

    def _give_silver(self, number: int) -> None:
        """Gives the trainer a chunk of silver trees that it waits for."""
        assert self.silver is not None and self.options.silver is not None
        chunk = self.silver.chunk(number, self.options.silver.min_confidence)
        try:
            self._core.give_silver(chunk._core)
        except ValueError as error:  # a checkpoint has led here
            raise ModelError(str(error)) from error
        self._in_vain = self._in_vain + 1 if self._core.wanted_silver == number + 1 else 0
        if self._in_vain > self.silver.chunk_count:
            raise OptionError(
                f"There is nothing to learn from in {self.silver.name}: no head is known, or none of such "
                "confidence (silver_min_confidence)."
            )

    def _learnt(self) -> Learnt:
        try:
            return self._core.learnt()
        except ValueError as error:  # which says what to change
            raise OptionError(str(error)) from error

    def _frozen(self, number: int, learnt: Learnt) -> Parser:
        frozen = self.learner.frozen(self.options, self.inputs, learnt)
        info = ModelInfo(
            options=self.options,
            templates=self.templates,
            label_names=list(self.treebank.label_names),
            labels=list(self._core.labels),
            left=list(self._core.left),
            right=list(self._core.right),
            root=list(self._core.root),
            completion=self._core.completion,
            single_root=bool(self._core.single_root),
            scale=frozen.scale,
            features=frozen.features,
            weights=frozen.weights,
            training={"epoch": number},
            network=self.network,
            search=frozen.search,
            state=None,
        )
        return Parser(info, frozen.arrays)

    def _frozen_tagger(self, parser: Parser, learnt: Learnt) -> Tagger | None:
        """The tagger that was learnt along with a parser."""
        if self.tagger_options is None or self.tagging_set is None:
            return None
        epoch = parser.info.training["epoch"]
        return tagging.tagger_of(
            self.tagger_options, self.tagging_set, learnt, self.treebank, epoch, parser.encoder
        )

    def _with_state(self, parser: Parser) -> Parser:
        state = self._core.settled()
        arrays = {name: np.asarray(array) for name, array in state["learner"].items()}
        return parser.with_training_state(state["steps"], arrays)

    def _with_history(self, parser: Parser) -> Parser:
        kept = parser.info.training["epoch"]
        training = {
            "epoch": kept,
            "treebank": Path(self.treebank.source).name,
            "sentences": int(self._core.sentences),
            "words": self.words,
            "left_out": self.left_out,
            "lifted": self.lifted,
            "fingerprint": fingerprint(self.treebank),
            "dev": None if self.dev is None else Path(self.dev.source).name,
            "vectors": self._vectors_in_brief(),
            **self._silver_in_brief(),
            "epochs": [{"loss": e.loss, "dev_uas": e.dev_uas, "dev_las": e.dev_las} for e in self.history],
        }
        return parser.with_info(replace(parser.info, training=training))

    def _vectors_in_brief(self) -> dict[str, Any] | None:
        vectors = self.inputs.vectors
        if vectors is None:
            return None
        return {
            "file": ", ".join(Path(path).name for path in self.options.network.vector_files),
            "words": len(vectors),
            "width": vectors.width,
            "fingerprint": vectors.fingerprint,
        }

    def _silver_in_brief(self) -> dict[str, Any]:
        if self.silver is None:
            return {}
        own = self.silver
        about: dict[str, Any] = {"file": own.name, "sentences": own.sentences, "words": own.words}
        if own.teachers is not None:
            about["teachers"] = own.teachers.name
        return {"silver": {**about, "fingerprint": own.fingerprint}}

    @property
    def _vectors_fingerprint(self) -> str | None:
        return None if self.inputs.vectors is None else self.inputs.vectors.fingerprint

    def made_from(self) -> dict[str, Any]:
        """All that decides what comes of the run, as JSON."""
        return {
            "options": self.options.to_dict(),
            "templates": self.templates,
            "network": self.network,
            "tagger_options": None if self.tagger_options is None else self.tagger_options.to_dict(),
            "keep_training_state": self.keep_training_state,
            "fingerprint": fingerprint(self.treebank),
            "vectors_fingerprint": self._vectors_fingerprint,
            "dev_fingerprint": None if self.dev is None else fingerprint(self.dev),
            **({} if self.silver is None else {"silver_fingerprint": self.silver.fingerprint}),
        }

    def save_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Stores the run as it stands, so that `resume` can take it up and end in the same model."""
        state = dict(self._core.state())
        arrays = {f"learner.{name}": np.asarray(array) for name, array in state.pop("learner").items()}
        arrays["order"] = np.asarray(state.pop("order"))
        best = None
        if self._best is not None:
            best = self._best.info.to_header()
            arrays |= {f"best_{name}": array for name, array in self._best._arrays.items()}
        best_tagger = None
        if self._best_tagger is not None:
            best_tagger = self._best_tagger.info.to_header()
            shared = self._best_tagger.encoder.arrays  # which the parser has, too
            own = {n: a for n, a in self._best_tagger._arrays.items() if n not in shared}
            arrays |= {f"tagger_{name}": array for name, array in own.items()}
        header = {
            "kind": CHECKPOINT,
            **self.made_from(),
            "history": [asdict(epoch) for epoch in self.history],
            "under_way": asdict(self._under_way),
            "state": state,
            "best": best,
            "best_tagger": best_tagger,
        }
        model_file.write(path, header, arrays)

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Takes up the run of a checkpoint; the treebanks, vectors and options must be the same."""
        header, arrays = model_file.read(path, CHECKPOINT)
        self._refuse_another_run(path, header)
        try:
            self._core.restore(
                order=arrays["order"],
                learner={
                    n.removeprefix("learner."): a for n, a in arrays.items() if n.startswith("learner.")
                },
                **header["state"],
            )
            self.history = [_stored(Epoch, epoch) for epoch in header["history"]]
            if [epoch.number for epoch in self.history] != list(range(1, len(self.history) + 1)):
                raise ModelError("The epochs are not one after the other.")
            self._under_way = _stored(Tally, header["under_way"])
            if header["best"] is not None:
                own = {n.removeprefix("best_"): a for n, a in arrays.items() if n.startswith("best_")}
                name = self.options.system.name
                system = None if isinstance(name, str) else name
                self._best = Parser(ModelInfo.from_header(header["best"], system), own)
            if header["best_tagger"] is not None:
                own = {n.removeprefix("tagger_"): a for n, a in arrays.items() if n.startswith("tagger_")}
                shared = None if self._best is None else self._best.encoder
                self._best_tagger = Tagger(TaggerInfo.from_header(header["best_tagger"]), own, shared)
        except model_file.DAMAGE as error:
            raise ModelError(f"{path} is a damaged checkpoint: start again without it.") from error

    def _refuse_another_run(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        def refuse(other: str, remedy: str = "resume with the same ones") -> ModelError:
            return ModelError(f"{path} is from a run {other}: {remedy}.")

        if header.get("fingerprint") != fingerprint(self.treebank):
            raise refuse("on another treebank", "resume with the same one")
        dev = None if self.dev is None else fingerprint(self.dev)
        if header.get("dev_fingerprint") != dev:
            raise refuse("with another dev set", "resume with the same one")
        silver = None if self.silver is None else self.silver.fingerprint
        if header.get("silver_fingerprint") != silver:
            raise refuse("with other silver trees, or without", "resume with the same")
        its = _options_of(header, self.options)
        if its is None or replace(its, epochs=None) != replace(self.options, epochs=None):
            raise refuse("with other options")
        # More epochs than planned are welcome where nothing in a run depends on how many are to come.
        if self.learner.plans_epochs and its.epochs != self.planned:
            raise refuse(
                f"of {its.epochs} epochs, not {self.planned}",
                f"a {self.learner.title}'s learning rate depends on their number, so resume with the same",
            )
        tagger = None if self.tagger_options is None else self.tagger_options.to_dict()
        its_tagger = header.get("tagger_options")
        if isinstance(its_tagger, dict):
            its_tagger = {**TaggerOptions().to_dict(), **its_tagger}
        if its_tagger != tagger:
            raise refuse("with other options of a tagger")
        if (header.get("templates"), header.get("network")) != (self.templates, self.network):
            raise refuse("with other features")
        if header.get("keep_training_state", False) != self.keep_training_state:
            its_way = "without" if self.keep_training_state else "with"
            raise refuse(f"{its_way} a training state to keep", f"resume {its_way} one (keep_training_state)")
        if self._vectors_fingerprint not in (None, header.get("vectors_fingerprint")):
            raise refuse("with other vectors in the file", "resume with the same")


def _options_of(header: dict[str, Any], mine: ParserOptions) -> ParserOptions | None:
    """The options of a checkpoint, if it can be one of a run like mine.

    Those that there were not yet when it was written have their defaults.
    """
    system = None if isinstance(mine.system.name, str) else mine.system.name
    try:
        return ParserOptions.from_dict(header["options"], system)
    except model_file.DAMAGE:
        return None


@dataclass
class Tally:
    """An epoch as it is being trained."""

    loss: float = 0.0
    wrong: int = 0
    decisions: int = 0
    words: int = 0
    seconds: float = 0.0

    @property
    def mean_loss(self) -> float:
        """Of a decision."""
        return self.loss / max(1, self.decisions)

    def run_epoch(
        self,
        core: _core.Trainer,
        on_step: Callable[[int], None],
        words: int | None = None,
        give: Callable[[int], None] | None = None,
    ) -> None:
        """Trains what is left of an epoch, or so many words of it, calling `on_step(words so far)`.

        Silver trees that are wanted are given by `give(number of the chunk)`.
        """
        # A run may have been stored after the last step of an epoch, and before the epoch was over.
        while self.words == 0 or not (core.epoch_is_done or (words is not None and self.words >= words)):
            started = time.perf_counter()
            try:
                progress = core.run(WORDS_A_STEP if words is None else min(WORDS_A_STEP, words - self.words))
            except (ValueError, RuntimeError) as error:
                if says_by_itself(error):
                    raise
                raise OptionError(str(error)) from error
            while give is not None and (wanted := core.wanted_silver) is not None:
                give(wanted)
            self.add(progress, time.perf_counter() - started)
            on_step(self.words)

    def add(self, progress: _core.TrainingProgress, seconds: float) -> None:
        self.loss += progress.loss
        self.wrong += progress.wrong
        self.decisions += progress.decisions
        self.words += progress.words
        self.seconds += seconds

    def epoch(self, number: int, dev_uas: float | None, dev_las: float | None) -> Epoch:
        return Epoch(
            number=number,
            loss=self.mean_loss,
            wrong=self.wrong,
            decisions=self.decisions,
            words=self.words,
            seconds=self.seconds,
            dev_uas=dev_uas,
            dev_las=dev_las,
        )


Counts = TypeVar("Counts", Epoch, Tally)
_MOST = 2**53


def _stored(cls: type[Counts], values: Any) -> Counts:
    """Numbers of a run as a checkpoint has them, which may hold anything."""
    own = cls(**values)
    for part in fields(cls):
        value, kinds = getattr(own, part.name), (int,) if part.type == "int" else (int, float)
        if value is None and part.default is None:
            continue
        if type(value) not in kinds or (type(value) is int and not 0 <= value <= _MOST):
            raise ModelError(f"What is stored as {part.name} is no such number.")
    return own


def _attachment(parser: Parser, gold: Treebank, threads: int) -> tuple[float, float]:
    """UAS and LAS over all words whose gold head is known."""
    system = parser.parse(gold, threads=threads)
    known = gold.heads >= 0
    total = max(1, int(known.sum()))
    names = {name: number for number, name in enumerate(system.label_names)}
    # A gold label that the parser has never seen is none of its labels.
    numbers = np.array([names.get(name, -2) for name in gold.label_names] + [-2], dtype=np.int32)
    right_head = known & (gold.heads == system.heads)
    right = right_head & (numbers[gold.labels] == system.labels)
    return 100 * int(right_head.sum()) / total, 100 * int(right.sum()) / total
