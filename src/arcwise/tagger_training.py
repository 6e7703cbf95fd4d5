"""Training a tagger, an epoch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from arcwise import _core, network, tagging
from arcwise.errors import OptionError
from arcwise.options.tagger import WITH_VECTORS, TaggerOptions
from arcwise.tagger import Tagger, TagScores
from arcwise.training import Tally
from arcwise.treebank import Treebank


@dataclass(frozen=True)
class TaggerEpoch:
    """What one epoch came to."""

    number: int
    loss: float
    """Of a decision: minus the log of the probability of the correct moves together."""
    words: int
    seconds: float
    dev: TagScores | None = None


class TaggerTraining:
    """A training run of a tagger.

    If some sentences are variants of others, these come first, and there are `own_sentences` of them.
    `threads` tag dev, and two of them can train; the tagger is the same for any number.
    """

    def __init__(
        self,
        treebank: Treebank,
        *,
        dev: Treebank | None = None,
        options: TaggerOptions | None = None,
        threads: int = 1,
        own_sentences: int | None = None,
    ) -> None:
        if threads < 1:
            raise OptionError("Training takes at least one thread.")
        options = options or TaggerOptions()
        if WITH_VECTORS & set(options.tokens.split()):
            raise OptionError(
                "Only a tagger that shares the network of a parser has pre-trained vectors: give them to the "
                "parser (vectors), or leave them out of tokens."
            )
        self.options = replace(options, epochs=network.epochs(options.epochs, treebank.word_count))
        self.treebank = treebank
        self.dev = dev
        self.threads = threads
        self.own_sentences = own_sentences
        self.history: list[TaggerEpoch] = []
        self._best: Tagger | None = None
        try:
            self._set, self._core = self._trainer()
        except ValueError as error:
            raise OptionError(str(error)) from error

    def _trainer(self) -> tuple[_core.TaggingSet, _core.Trainer]:
        o = self.options
        tagging_set = self._tagging_set()
        run = _core.RunOptions(
            system="tagging",
            root_first=False,
            single_root=None,
            scheme=None,
            oracle="dynamic",
            policy="explore",
            k=o.k,
            p=o.p,
            seed=o.seed,
        )
        of_network = network.options_of_tagger(
            o,
            self.treebank.word_count,
            self.threads,
            own_sentences=self.own_sentences,
            **self._network_options(),
        )
        return tagging_set, _core.Trainer.tagger(self.treebank._core, run, of_network, tagging_set)

    def _tagging_set(self) -> _core.TaggingSet:
        """What the treebank teaches."""
        return tagging.tagging_set_of(self.treebank, self.options, self.own_sentences)

    def _network_options(self) -> Mapping[str, Any]:
        """What else there is to say of how the network learns."""
        return {}

    @property
    def planned(self) -> int:
        """Epochs to be trained."""
        assert self.options.epochs is not None
        return self.options.epochs

    @property
    def words(self) -> int:
        """Words in an epoch."""
        return int(self._core.words)

    def epochs(self, on_step: Callable[[int, int], None] | None = None) -> Iterator[TaggerEpoch]:
        """Trains an epoch at a time until all are done, calling `on_step(epoch, words so far)`."""
        while len(self.history) < self.planned:
            yield self._epoch(len(self.history) + 1, on_step)

    def finish(self, on_step: Callable[[int, int], None] | None = None) -> Tagger:
        """Trains all epochs that are left and gives the tagger."""
        for _ in self.epochs(on_step):
            pass
        return self.tagger()

    def tagger(self) -> Tagger:
        """The tagger of the best epoch on dev, or of the last one."""
        if self._best is None:
            raise OptionError("There is no tagger before the end of training, or of an epoch scored on dev.")
        epochs = [{"loss": e.loss, "dev": None if e.dev is None else asdict(e.dev)} for e in self.history]
        return tagging.with_history(self._best, self.treebank, self.dev, epochs)

    def _epoch(self, number: int, on_step: Callable[[int, int], None] | None) -> TaggerEpoch:
        tally = Tally()
        tally.run_epoch(self._core, lambda words: on_step and on_step(number, words))
        scores = None
        if self.dev is not None or number == self.planned:
            tagger = self._frozen(number)
            if self.dev is not None:
                scores = tagger.evaluate(self.dev, threads=self.threads)
            before = [epoch.dev.mean for epoch in self.history if epoch.dev is not None]
            if scores is None or scores.mean > max(before, default=-1.0):
                self._best = tagger
        epoch = TaggerEpoch(number, tally.mean_loss, tally.words, tally.seconds, scores)
        self.history.append(epoch)
        return epoch

    def _frozen(self, number: int) -> Tagger:
        try:
            return tagging.tagger_of(self.options, self._set, self._core.learnt(), self.treebank, number)
        except ValueError as error:
            raise OptionError(str(error)) from error
