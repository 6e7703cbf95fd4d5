"""A whole pipeline that learns from corrections: tags and lemmas as well as trees, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise.calibration.fitting import LEAST_SENTENCES, LEAST_WORDS
from arcwise.errors import OptionError, TreebankError
from arcwise.given_tags import sentences_with_tags
from arcwise.parser import PathLike
from arcwise.tagger import Tagger, compare
from arcwise.tagger_updating import TaggerUpdate, demand_known, unknown_together
from arcwise.treebank import Sentence, Treebank
from arcwise.updating import Update, UpdateOptions, joined, sample, with_trees

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline

Run = Update | TaggerUpdate
LEAST_COMPARED, MOST_COMPARED = 20, 1000
"""Sentences of the replay treebank that were not learnt again, on which the pipelines are compared."""


@dataclass(frozen=True)
class Scores:
    """How many words in a hundred are right, of those of which a treebank says something; else None."""

    uas: float | None = None
    las: float | None = None
    upos: float | None = None
    xpos: float | None = None
    feats: float | None = None
    lemma: float | None = None


@dataclass(frozen=True)
class Change:
    """What an update has changed on some sentences."""

    where: str
    sentences: int
    before: Scores
    after: Scores

    def __str__(self) -> str:
        names = {
            "uas": "UAS",
            "las": "LAS",
            "upos": "UPOS",
            "xpos": "XPOS",
            "feats": "FEATS",
            "lemma": "lemmas",
        }
        after = asdict(self.after)
        parts = [
            f"{names[name]} {old:.2f} before, {after[name]:.2f} now"
            for name, old in asdict(self.before).items()
            if old is not None
        ]
        return f"On {self.where}: {'; '.join(parts)}."


class PipelineUpdate:
    """A run that goes on training a pipeline with corrected sentences; `pipeline()` is the improved one.

    A tagger and a parser that share a network learn together and go on sharing it. Others learn one after the
    other, the parser from the tags of the better tagger. `finish` trains all, `runs` gives them one by one.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        sentences: Treebank | PathLike | Sentence | Iterable[Sentence],
        *,
        replay: Treebank | PathLike | None = None,
        test: Treebank | PathLike | None = None,
        options: UpdateOptions | None = None,
        threads: int = 1,
    ) -> None:
        self.before = pipeline
        self.options = options or UpdateOptions()
        self.threads = threads
        self.corrected = with_trees(sentences)
        if not len(self.corrected):
            raise TreebankError(f"{self.corrected.source} has no sentence to learn from: give at least one.")
        self.replay = None if replay is None else with_trees(replay)
        self.test = None if test is None else with_trees(test)
        self._replayed = 0
        self.notes: list[str] = []
        """What could not be learnt, and what no longer holds."""
        self._tagger, self._parser = pipeline.tagger, pipeline.parser
        if pipeline.tagger is None and pipeline.parser is None:
            raise OptionError("A segmenter cannot be updated: train it again.")
        if pipeline.tagger is not None:
            demand_known(self.corrected, pipeline.tagger)
            self._note_what_is_new(pipeline.tagger)

    def _note_what_is_new(self, tagger: Tagger) -> None:
        new = unknown_together(self.corrected, tagger)
        if new:
            columns = ", ".join(name.upper() for name in tagger.info.columns)
            self.notes.append(
                f"{len(new):,} of {self.corrected.word_count:,} words have {columns} that never stand "
                f"together in what the tagger was trained on ({' '.join(new[0])}): they are learnt as far as "
                "they do. An update brings no new ones: to have them, train on a treebank with them."
            )

    def runs(self) -> Iterator[Run]:
        """What is to be trained one after the other: each has `epochs`."""
        pipeline, tagger, parser = self.before, self.before.tagger, self.before.parser
        if pipeline.shares_a_network:
            assert parser is not None
            run = Update(
                parser,
                self._without_own_trees(self._tagged(self.corrected)),
                replay=None if self.replay is None else self._tagged(self.replay),
                options=self.options,
                threads=self.threads,
                tagger=tagger,
            )
            yield run
            self._replayed = 0 if run.replayed is None else len(run.replayed)
            self._tagger, self._parser = run.tagger(), run.parser()
            return
        if tagger is not None and (own := self._update_of(tagger)) is not None:
            yield own
            self._tagger = own.tagger()
        if parser is not None and bool((self.corrected.heads >= 0).any()):
            now = self._made()
            of_parser = Update(
                parser,
                now.for_parser(self.corrected),
                replay=None if self.replay is None else now.for_parser(self.replay),
                options=self.options,
                threads=self.threads,
            )
            yield of_parser
            self._replayed = 0 if of_parser.replayed is None else len(of_parser.replayed)
            self._parser = of_parser.parser()

    def _tagged(self, treebank: Treebank) -> Treebank:
        """Sentences without tags have nothing to say of them: the tagger keeps its own."""
        return self.before.tagged(treebank, "given", threads=self.threads).treebank

    def _without_own_trees(self, corrected: Treebank) -> Treebank:
        """Where the tree of a sentence is what it would be anyway, someone has looked at its tags alone, or
        agrees: there is nothing to learn of it, and much to unlearn elsewhere."""
        own = self.before.parse(corrected, tags="new", threads=self.threads)
        names = {name: number for number, name in enumerate(own.label_names)}
        numbers = np.array([names.get(name, -2) for name in corrected.label_names] + [-1], dtype=np.int32)
        differs = (own.heads != corrected.heads) | (own.labels != numbers[corrected.labels])
        taught = np.logical_or.reduceat(differs, corrected.first_words[:-1])
        kept = np.repeat(taught, np.diff(corrected.first_words))
        heads, labels = (np.where(kept, values, -1) for values in (corrected.heads, corrected.labels))
        return corrected.with_trees(heads, labels, corrected.label_names)

    def _update_of(self, tagger: Tagger) -> TaggerUpdate | None:
        has_tags = np.flatnonzero(sentences_with_tags(self.corrected, tagger)).tolist()
        if not has_tags:
            return None
        corrected = self.corrected.select(has_tags)
        options = self.options.resolved("network", self.replay is not None, corrected.word_count)
        assert options.rate is not None and options.epochs is not None
        treebank = corrected
        if self.replay is not None:
            again = sample(len(self.replay), options.replayed * len(corrected), options.seed)
            treebank = joined([corrected, self.replay.select(again)])
        return TaggerUpdate(
            tagger,
            treebank,
            len(corrected),
            rate=options.rate,
            epochs=options.epochs,
            threads=self.threads,
        )

    def finish(self) -> Pipeline:
        """Trains all that is to be trained, and gives the pipeline."""
        for run in self.runs():
            for _ in run.epochs():
                pass
        return self.pipeline()

    def pipeline(self, on_step: Callable[[int, int], None] | None = None) -> Pipeline:
        """The pipeline that has learnt. Its probabilities are calibrated anew with the test set.

        `on_step` is told how far that is.
        """
        made, before = self._made(), self.before.parser
        parser = made.parser
        if parser is None or before is None or before.info.calibration is None or parser is before:
            return made
        test = self.test
        if test is None or len(test) < LEAST_SENTENCES or int((test.heads >= 0).sum()) < LEAST_WORDS:
            self.notes.append(
                "The probabilities are no longer calibrated, as they were fitted to the model before: fit "
                "them again to trees that it was not trained on ('arcwise calibrate', or an update with a "
                "test set)."
            )
            return made
        beam = before.info.calibration.about.get("beam")
        fitted = parser.calibrate(
            made.for_parser(test, threads=self.threads),
            beam=beam if type(beam) is int else None,
            threads=self.threads,
            on_step=on_step,
        )
        return made.with_parser(fitted)

    def _made(self) -> Pipeline:
        return replace(self.before, tagger=self._tagger, parser=self._parser)

    def changes(self) -> list[Change]:
        """What has changed on the corrected sentences, on the test set, and where nothing was corrected: on
        other sentences of the replay treebank than those that were learnt again."""
        made = self._made()
        found = [self._change("the corrected sentences", self.corrected, made)]
        if self.test is not None:
            found.append(self._change(self.test.source, self.test, made))
        if self.replay is not None:
            others = self.replay.select(self._others()[:MOST_COMPARED])
            where = f"{len(others):,} other sentences of {self.replay.source}"
            found.append(self._change(where, others, made))
        return found

    def _others(self) -> list[int]:
        """Sentences of the replay treebank that were not learnt again, or any if these are few."""
        assert self.replay is not None
        again = set(sample(len(self.replay), self._replayed, self.options.seed))
        anyone = sample(len(self.replay), len(self.replay), self.options.seed + 1)
        others = [number for number in anyone if number not in again]
        return others if len(others) >= LEAST_COMPARED else anyone

    def _change(self, where: str, gold: Treebank, now: Pipeline) -> Change:
        return Change(
            where, len(gold), *(scores(model, gold, threads=self.threads) for model in (self.before, now))
        )


def scores(pipeline: Pipeline, gold: Treebank, *, threads: int = 1) -> Scores:
    """How a pipeline does on the words of a treebank, as far as it has the parts and the treebank says."""
    from arcwise.evaluation import evaluate

    system = pipeline.annotated(gold, threads=threads)
    found: dict[str, float | None] = {}
    if pipeline.parser is not None and bool((gold.heads >= 0).any()):
        attachment = evaluate(gold, system, conll18=False).attachment
        found |= {"uas": attachment.uas, "las": attachment.las}
    if pipeline.tagger is not None:
        tags = compare(gold, system)
        given = (*pipeline.tagger.info.columns, *(["lemma"] if pipeline.tagger.info.rules else []))
        found |= {name: getattr(tags, name) for name in given}
    return Scores(**found)
