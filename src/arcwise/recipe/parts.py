"""What comes before the parser: a segmenter, a tagger, and the treebank with predicted tags."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from arcwise._terminal import counted, file_size
from arcwise.recipe.kept import Kept, treebank_made_from

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arcwise.model_file import Component
    from arcwise.options.pipeline import PipelineOptions
    from arcwise.recipe.reporting import Reporter
    from arcwise.segmenter import Segmenter
    from arcwise.tagger import Tagger
    from arcwise.treebank import Treebank


class Parts:
    """They are trained one after the other and kept in a folder until the model is written, so that a run
    that is broken off finds them again. `on_new` hears that a part was made anew: what came after an older
    one is of no use any more.
    """

    def __init__(
        self,
        folder: Path | None,
        treebank: Treebank,
        dev: Treebank | None,
        *,
        options: PipelineOptions,
        jobs: int,
        reporter: Reporter,
        on_new: Callable[[], None],
    ) -> None:
        self.kept = Kept(folder)
        self.treebank, self.dev = treebank, dev
        self.options = options
        self.jobs = jobs
        self.reporter = reporter
        self._on_new = on_new
        self._seconds = 0.0  # that the tagger took

    def segmenter(self) -> Segmenter:
        from arcwise.segmenter import Segmenter
        from arcwise.segmenter_training import SegmenterTraining

        options = self.options.segmenter
        made_from = self._made_from(options, self.dev)
        kept = self.kept.find("segmenter", made_from)
        if kept is not None:
            return Segmenter.from_component(kept)
        training = SegmenterTraining(self.treebank, dev=self.dev, options=options)
        with self.reporter.work("segmenter", options.epochs):
            for epoch in training.epochs():
                self.reporter.part_epoch("segmenter", epoch)
                self.reporter.step(epoch.number, f"epoch {epoch.number}/{options.epochs}")
        segmenter = training.segmenter()
        scores = ""
        if self.dev is not None:
            found = segmenter.evaluate(self.dev)
            words, sentences = (found[name].f1 for name in ("Words", "Sentences"))
            scores = f" (dev F1 of words {words:.2f}, of sentences {sentences:.2f})"
        self._keep("segmenter", segmenter, made_from, f"Segmenter{scores}")
        return segmenter

    def tagger(self) -> Tagger:
        from arcwise.augmentation import with_variants
        from arcwise.tagger import Tagger
        from arcwise.tagger_training import TaggerTraining

        options = self.options.tagger
        made_from = {**self._made_from(options, self.dev), "augment": self.options.augment}
        kept = self.kept.find("tagger", made_from)
        if kept is not None:
            return Tagger.from_component(kept)
        started = time.monotonic()
        treebank = with_variants(self.treebank, self.options.augment, options.seed)
        training = TaggerTraining(
            treebank,
            dev=self.dev,
            options=options,
            threads=self.jobs,
            own_sentences=len(self.treebank),
        )
        with self.reporter.work("tagger", training.words * training.planned):

            def on_step(epoch: int, words: int) -> None:
                done = (epoch - 1) * training.words + words
                self.reporter.step(done, f"epoch {epoch}/{training.planned}")

            for epoch in training.epochs(on_step):
                self.reporter.part_epoch("tagger", epoch)
        tagger = training.tagger()
        self._seconds = time.monotonic() - started
        scores = ""
        if self.dev is not None:
            of_dev = tagger.evaluate(self.dev, threads=self.jobs)
            named = {"UPOS": of_dev.upos, "XPOS": of_dev.xpos, "FEATS": of_dev.feats, "LEMMA": of_dev.lemma}
            known = [f"{name} {score:.2f}" for name, score in named.items() if score is not None]
            scores = f" (dev {', '.join(known)})"
        self._keep("tagger", tagger, made_from, f"Tagger{scores}")
        return tagger

    def with_predicted_tags(self, folds: int) -> Treebank:
        """The treebank with tags from taggers that have not seen the sentences."""
        import numpy as np

        from arcwise.jackknifing import jackknife
        from arcwise.model_file import Component
        from arcwise.treebank import Treebank

        options = self.options.tagger
        folds = min(folds, len(self.treebank))
        made_from = {**self._made_from(options, None), "folds": folds}
        kept = self.kept.find("jackknifed", made_from)
        if kept is not None:
            return Treebank.from_string(
                kept.arrays["text"].tobytes(),
                format=self.treebank.format,
                check_trees=False,
                source=self.treebank.source,
            )
        minutes = self._seconds * (folds - 1) / 60
        long = "" if minutes < 1 else f", about {minutes:.0f} min"
        self.reporter.say(
            f"Tagging the treebank by cross-validation: {folds} folds, {self.jobs} at a time{long}."
        )
        with self.reporter.work("jackknifing", 1000):
            tagged = jackknife(
                self.treebank,
                folds=folds,
                jobs=self.jobs,
                options=options,
                on_step=lambda share: self.reporter.step(
                    round(1000 * share), f"{share * folds:.1f} of {folds} folds"
                ),
            )
        text = np.frombuffer(tagged.to_bytes(), np.uint8)
        self._store("jackknifed", Component("treebank", {}, {"text": text}), made_from)
        return tagged

    def _made_from(self, options: Any, dev: Treebank | None) -> dict[str, Any]:
        return {
            "treebank": treebank_made_from(self.treebank),
            "dev": treebank_made_from(dev),
            "options": options.to_dict(),
        }

    def _keep(self, name: str, component: Any, made_from: dict[str, Any], told: str) -> None:
        part = component.to_component()
        self._store(name, part, made_from)
        size = sum(array.nbytes for array in part.arrays.values())
        self.reporter.say(f"{told}: {file_size(size)}, {counted(self.treebank.word_count, 'word')}.")

    def _store(self, name: str, part: Component, made_from: dict[str, Any]) -> None:
        self._on_new()
        self.kept.keep(name, part, made_from)
