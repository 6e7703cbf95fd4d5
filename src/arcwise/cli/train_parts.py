"""`arcwise train`: what comes before the parser, and what is left of it to resume with."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise._progress import Bar
from arcwise.cli.common import counted, file_size
from arcwise.errors import ModelError, OptionError

if TYPE_CHECKING:
    from arcwise.segmenter import Segmenter, SegmenterInfo
    from arcwise.segmenter_options import SegmenterOptions
    from arcwise.tagger import Tagger, TaggerInfo
    from arcwise.tagger_options import TaggerOptions
    from arcwise.treebank import Treebank

Say = Callable[[str], None]


def given_options(text: str | None) -> dict[str, Any]:
    """Options from `key=value,key=value`.

    >>> given_options("epochs=10,encoder=conv,rate=0.01")
    {'epochs': 10, 'encoder': 'conv', 'rate': 0.01}
    """
    found: dict[str, Any] = {}
    for part in filter(None, (text or "").split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise OptionError(f"'{part}' is no option: write KEY=VALUE, with commas between several.")
        found[key.strip().replace("-", "_")] = _value(value.strip())
    return found


def options_of(kind: Any, seed: int, text: str | None) -> Any:
    """Options of this kind with what was given for them."""
    try:
        return kind.from_dict({"seed": seed, **given_options(text)})
    except TypeError:
        raise OptionError(f"'{text}' has a word where a number is needed, or a number for a word.") from None


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


class Parts:
    """The segmenter and the tagger of a run, and the treebank with predicted tags.

    They are trained one after the other and kept in a folder until the model is written, so that a run that
    is broken off finds them again.
    """

    def __init__(
        self,
        output: str,
        treebank: Treebank,
        dev: Treebank | None,
        *,
        segmenter: SegmenterOptions,
        tagger: TaggerOptions,
        jobs: int,
        say: Say,
        check_interrupts: Callable[[], None],
        quiet: bool,
    ) -> None:
        self.folder = Path(f"{output}.parts")
        self.treebank, self.dev = treebank, dev
        self.of_segmenter, self.of_tagger = segmenter, tagger
        self.jobs = jobs
        self._say, self._check, self._quiet = say, check_interrupts, quiet

    @property
    def any(self) -> bool:
        """Whether something is left of an earlier run."""
        return self.folder.is_dir()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def segmenter(self) -> Segmenter:
        from arcwise.segmenter import Segmenter
        from arcwise.segmenter_training import SegmenterTraining

        path = self.folder / "segmenter.model"
        if path.exists():
            segmenter = Segmenter.load(path)
            self._demand_same(segmenter.info, self.of_segmenter)
            return segmenter
        training = SegmenterTraining(self.treebank, dev=self.dev, options=self.of_segmenter)
        with Bar("segmenter", training.options.epochs, shown=not self._quiet) as bar:
            for epoch in training.epochs():
                bar.show(epoch.number, f"epoch {epoch.number}/{training.options.epochs}")
                self._check()
        segmenter = training.segmenter()
        scores = ""
        if self.dev is not None:
            found = segmenter.evaluate(self.dev)
            words, sentences = (found[name].f1 for name in ("Words", "Sentences"))
            scores = f" (dev F1 of words {words:.2f}, of sentences {sentences:.2f})"
        self._keep(segmenter, path, f"Segmenter{scores}")
        return segmenter

    def tagger(self) -> Tagger:
        from arcwise.tagger import Tagger
        from arcwise.tagger_training import TaggerTraining

        path = self.folder / "tagger.model"
        if path.exists():
            tagger = Tagger.load(path)
            epochs = self.of_tagger.epochs or tagger.info.options.epochs
            self._demand_same(tagger.info, replace(self.of_tagger, epochs=epochs))
            return tagger
        training = TaggerTraining(self.treebank, dev=self.dev, options=self.of_tagger, threads=self.jobs)
        with Bar("tagger", training.words * training.planned, shown=not self._quiet) as bar:

            def on_step(epoch: int, words: int) -> None:
                bar.show((epoch - 1) * training.words + words, f"epoch {epoch}/{training.planned}")
                self._check()

            tagger = training.finish(on_step)
        scores = ""
        if self.dev is not None:
            found = tagger.evaluate(self.dev, threads=self.jobs)
            named = {"UPOS": found.upos, "XPOS": found.xpos, "FEATS": found.feats, "LEMMA": found.lemma}
            known = [f"{name} {score:.2f}" for name, score in named.items() if score is not None]
            scores = f" (dev {', '.join(known)})"
        self._keep(tagger, path, f"Tagger{scores}")
        return tagger

    def with_predicted_tags(self, folds: int) -> Treebank:
        """The treebank with tags from taggers that have not seen the sentences."""
        from arcwise.jackknifing import jackknife
        from arcwise.treebank import Treebank

        folds = min(folds, len(self.treebank))
        path = self.folder / f"jackknifed-{folds}.{self.treebank.format}"
        if path.exists():
            found = Treebank.read(path)
            if found.column("form") == self.treebank.column("form"):
                return found
            raise self._of_another_run()
        self._say(f"Tagging the treebank by cross-validation: {folds} folds, {self.jobs} at a time.")
        with Bar("jackknifing", 1000, shown=not self._quiet) as bar:

            def on_step(share: float) -> None:
                bar.show(round(1000 * share), f"{share * folds:.1f} of {folds} folds")
                self._check()

            tagged = jackknife(
                self.treebank, folds=folds, jobs=self.jobs, options=self.of_tagger, on_step=on_step
            )
        self.folder.mkdir(exist_ok=True)
        tagged.write(path)
        return tagged

    def _keep(self, component: Any, path: Path, told: str) -> None:
        self.folder.mkdir(exist_ok=True)
        component.save(path)
        self._say(f"{told}: {file_size(path.stat().st_size)}, {counted(self.treebank.word_count, 'word')}.")

    def _demand_same(self, info: SegmenterInfo | TaggerInfo, options: object) -> None:
        """Refuses what an earlier run has left if it was of other treebanks or with other options."""
        own = (
            options,
            len(self.treebank),
            self.treebank.word_count,
            Path(self.treebank.source).name,
            None if self.dev is None else Path(self.dev.source).name,
        )
        about = info.training
        if own != (info.options, about["sentences"], about["words"], about["treebank"], about["dev"]):
            raise self._of_another_run()

    def _of_another_run(self) -> ModelError:
        return ModelError(
            f"{self.folder} is from a run on other treebanks or with other options: resume with the same "
            "ones, or start without --resume."
        )
