"""Training, an epoch at a time: what is learnt, how good it is, and how to stop and go on."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from arcwise import _core, features, model_file
from arcwise.errors import FeatureError, ModelError, OptionError
from arcwise.options import TrainingOptions
from arcwise.parser import ModelInfo, Parser, as_arrays, columns_of
from arcwise.treebank import Treebank

CHECKPOINT = "checkpoint"
WORDS_A_STEP = 2000
"""How many words are trained on between two looks at the clock, the keyboard and the progress bar."""


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to."""

    number: int
    loss: float
    """The mean loss of a decision: the share of wrong ones (perceptron), or the log loss (adagrad)."""
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

    >>> treebank = Treebank.from_string("1\\tGo\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> training = Training(treebank, options=TrainingOptions(epochs=2))
    >>> [epoch.number for epoch in training.epochs()]
    [1, 2]
    >>> parser = training.parser()
    """

    def __init__(
        self,
        treebank: Treebank,
        *,
        dev: Treebank | None = None,
        options: TrainingOptions | None = None,
        threads: int = 1,
    ) -> None:
        self.options = (options or TrainingOptions()).resolved()
        self.treebank = treebank
        self.dev = dev
        self.threads = threads
        self.templates = self._templates() if self.options.learner != "network" else []
        try:
            self._core = self._trainer()
        except ValueError as error:
            raise OptionError(str(error)) from error
        self.history: list[Epoch] = []
        self._best: Parser | None = None
        self._under_way = _Tally()

    def _trainer(self) -> _core.Trainer:
        o = self.options
        run = _core.RunOptions(
            system=o.system,
            root_first=o.root == "first",
            single_root=o.single_root,
            scheme=o.encoding if o.nonprojective == "lift" else None,
            oracle=str(o.oracle),
            policy=str(o.policy),
            k=o.k,
            p=o.p,
            seed=o.seed,
        )
        if o.learner == "network":
            columns = columns_of(self.treebank)
            tokens = [t for t in (o.tokens or "lower shape prefix suffix upos xpos feats feature").split() if t not in ("upos","xpos","feats","lemma") or t in columns]
            states = (o.states or "S0 S1 S2 N0 N1 S0l S0r N0l S0.deprel S1.deprel S2.deprel S0l.deprel S0l2.deprel S0r.deprel S0r2.deprel N0l.deprel N0l2.deprel S0~N0.distance S0.left-count S0.right-count N0.left-count").split()
            self.network = dict(encoder=o.encoder, layers=o.layers, window=o.window, width=o.width, hidden=o.hidden,
                 token_inputs=tokens, longest_affix=o.affixes, state_inputs=states)
            return _core.Trainer.network(
                self.treebank._core, run, tokens=tokens, longest_affix=o.affixes, states=states,
                encoder=o.encoder, layers=o.layers, window=o.window, width=o.width, hidden=o.hidden,
                rate=o.rate, decay=o.decay, average=o.average, clip=o.clip, dropout=o.dropout,
                hidden_dropout=o.hidden_dropout, word_dropout=o.word_dropout, batch=o.batch,
                epochs=o.epochs, threads=self.threads, vectors=None, vector_keys=None, tune_vectors=False,
            )
        return _core.Trainer.linear(
            self.treebank._core,
            run,
            learner=o.learner,
            templates=self.templates,
            alpha=o.alpha,
            rho=o.rho,
            penalty=o.penalty,
            cutoff=o.cutoff,
        )

    def _templates(self) -> list[str]:
        o = self.options
        columns = columns_of(self.treebank)
        if o.features in features.SETS:
            lines = features.builtin(o.features, o.system, columns)
        else:
            own = features.read(o.features)
            features.check(own, o.system)
            lines = features.resolve(own, columns)
            if not lines:
                raise FeatureError(
                    f"Every template of {o.features} needs a column that the treebank does not have."
                )
        features.check(lines, o.system)
        return lines

    @property
    def sentences(self) -> int:
        """Sentences that are trained on."""
        return int(self._core.sentences)

    @property
    def words(self) -> int:
        """Words in an epoch."""
        return int(self._core.words)

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
        while len(self.history) < self.options.epochs:
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

    def _epoch(self, on_step: Callable[[int, int], None] | None) -> Epoch:
        number = len(self.history) + 1
        tally = self._under_way
        # A run may have been stored after the last step of an epoch, and before the epoch was over.
        while tally.words == 0 or not self._core.epoch_is_done:
            started = time.perf_counter()
            try:
                progress = self._core.run(WORDS_A_STEP)
            except ValueError as error:
                raise OptionError(str(error)) from error
            tally.add(progress, time.perf_counter() - started)
            if on_step is not None:
                on_step(number, tally.words)
        last = number == self.options.epochs
        uas = las = None
        if self.dev is not None or last:
            parser = self._frozen(number)
            if self.dev is not None:
                uas, las = _attachment(parser, self.dev, self.threads)
            best = max((e.dev_las for e in self.history if e.dev_las is not None), default=-1.0)
            if las is None or las > best:
                self._best = parser
        self._under_way = _Tally()
        epoch = tally.epoch(number, uas, las)
        self.history.append(epoch)
        return epoch

    def _frozen(self, number: int) -> Parser:
        if self.options.learner == "network":
            frozen = self._core.freeze_network()
            frozen |= {"scale":1.0,"features":len(frozen["keys"]),"weights":sum(frozen[n].size for n in ("tokens","encoder_weights","positions","moves","extras"))}
        else:
            frozen = self._core.freeze_linear()
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
            scale=frozen["scale"],
            features=frozen["features"],
            weights=frozen["weights"],
            training={"epoch": number},
            network=getattr(self,"network",None),
        )
        return Parser(info, as_arrays(frozen))

    def _with_history(self, parser: Parser) -> Parser:
        kept = parser.info.training["epoch"]
        training = {
            "epoch": kept,
            "treebank": Path(self.treebank.source).name,
            "sentences": int(self._core.sentences),
            "words": self.words,
            "left_out": self.left_out,
            "lifted": self.lifted,
            "fingerprint": _fingerprint(self.treebank),
            "dev": None if self.dev is None else Path(self.dev.source).name,
            "epochs": [{"loss": e.loss, "dev_uas": e.dev_uas, "dev_las": e.dev_las} for e in self.history],
        }
        info = ModelInfo(**{**parser.info.__dict__, "training": training})
        return Parser(info, parser._arrays)

    def save_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Stores the run as it stands, so that `resume` can take it up and end in the same model."""
        state = dict(self._core.state())
        arrays = {f"learner.{name}": np.asarray(array) for name, array in state.pop("learner").items()}
        arrays["order"] = np.asarray(state.pop("order"))
        best = None
        if self._best is not None:
            best = self._best.info.to_header()
            arrays |= {f"best_{name}": array for name, array in self._best._arrays.items()}
        header = {
            "kind": CHECKPOINT,
            "options": self.options.to_dict(),
            "templates": self.templates,
            "fingerprint": _fingerprint(self.treebank),
            "dev_fingerprint": None if self.dev is None else _fingerprint(self.dev),
            "history": [asdict(epoch) for epoch in self.history],
            "under_way": asdict(self._under_way),
            "state": state,
            "best": best,
        }
        model_file.write(path, header, arrays)

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Takes up the run of a checkpoint; the treebanks and options must be the same."""
        header, arrays = model_file.read(path, CHECKPOINT)
        if header.get("fingerprint") != _fingerprint(self.treebank):
            raise ModelError(f"{path} is from a run on another treebank: resume with the same one.")
        dev = None if self.dev is None else _fingerprint(self.dev)
        if header.get("dev_fingerprint") != dev:
            raise ModelError(f"{path} is from a run with another dev set: resume with the same one.")
        mine, its = self.options.to_dict(), header.get("options")
        # More epochs than planned are welcome: nothing in a run depends on how many are to come.
        if not isinstance(its, dict) or {**its, "epochs": None} != {**mine, "epochs": None}:
            raise ModelError(f"{path} is from a run with other options: resume with the same ones.")
        if header.get("templates") != self.templates:
            raise ModelError(f"{path} is from a run with other features: resume with the same ones.")
        try:
            self._core.restore(
                order=arrays["order"],
                learner={n.removeprefix("learner."): a for n, a in arrays.items() if n.startswith("learner.")},
                **header["state"],
            )
            self.history = [Epoch(**epoch) for epoch in header["history"]]
            self._under_way = _Tally(**header["under_way"])
            if header["best"] is not None:
                own = {n.removeprefix("best_"): a for n, a in arrays.items() if n.startswith("best_")}
                self._best = Parser(ModelInfo.from_header(header["best"]), own)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{path} is a damaged checkpoint: start again without it.") from error


@dataclass
class _Tally:
    """An epoch as it is being trained."""

    loss: float = 0.0
    wrong: int = 0
    decisions: int = 0
    words: int = 0
    seconds: float = 0.0

    def add(self, progress: _core.TrainingProgress, seconds: float) -> None:
        self.loss += progress.loss
        self.wrong += progress.wrong
        self.decisions += progress.decisions
        self.words += progress.words
        self.seconds += seconds

    def epoch(self, number: int, dev_uas: float | None, dev_las: float | None) -> Epoch:
        return Epoch(
            number=number,
            loss=self.loss / max(1, self.decisions),
            wrong=self.wrong,
            decisions=self.decisions,
            words=self.words,
            seconds=self.seconds,
            dev_uas=dev_uas,
            dev_las=dev_las,
        )


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


def _fingerprint(treebank: Treebank) -> str:
    return hashlib.sha256(treebank.to_bytes()).hexdigest()
