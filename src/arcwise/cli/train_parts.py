"""`arcwise train`: what comes before the parser, and what is left of it to resume with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise._progress import Bar
from arcwise.cli.common import counted, file_size
from arcwise.cli.kept import Kept, treebank_made_from
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.model_file import Component
    from arcwise.segmenter import Segmenter
    from arcwise.segmenter_options import SegmenterOptions
    from arcwise.tagger import Tagger
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
    is broken off finds them again. A new part makes `outdated`, a checkpoint of what came after older ones,
    useless.
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
        outdated: Path | None = None,
    ) -> None:
        self.kept = Kept(Path(f"{output}.parts"))
        self.treebank, self.dev = treebank, dev
        self.of_segmenter, self.of_tagger = segmenter, tagger
        self.jobs = jobs
        self._say, self._check, self._quiet = say, check_interrupts, quiet
        self._outdated = outdated

    def segmenter(self) -> Segmenter:
        from arcwise.segmenter import Segmenter
        from arcwise.segmenter_training import SegmenterTraining

        made_from = self._made_from(self.of_segmenter, self.dev)
        kept = self.kept.find("segmenter", made_from)
        if kept is not None:
            return Segmenter.from_component(kept)
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
        self._keep("segmenter", segmenter, made_from, f"Segmenter{scores}")
        return segmenter

    def tagger(self) -> Tagger:
        from arcwise.tagger import Tagger
        from arcwise.tagger_training import TaggerTraining

        made_from = self._made_from(self.of_tagger, self.dev)
        kept = self.kept.find("tagger", made_from)
        if kept is not None:
            return Tagger.from_component(kept)
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
        self._keep("tagger", tagger, made_from, f"Tagger{scores}")
        return tagger

    def with_predicted_tags(self, folds: int) -> Treebank:
        """The treebank with tags from taggers that have not seen the sentences."""
        import numpy as np

        from arcwise.jackknifing import jackknife
        from arcwise.model_file import Component
        from arcwise.treebank import Treebank

        folds = min(folds, len(self.treebank))
        made_from = {**self._made_from(self.of_tagger, None), "folds": folds}
        kept = self.kept.find("jackknifed", made_from)
        if kept is not None:
            return Treebank.from_string(
                kept.arrays["text"].tobytes(),
                format=self.treebank.format,
                check_trees=False,
                source=self.treebank.source,
            )
        self._say(f"Tagging the treebank by cross-validation: {folds} folds, {self.jobs} at a time.")
        with Bar("jackknifing", 1000, shown=not self._quiet) as bar:

            def on_step(share: float) -> None:
                bar.show(round(1000 * share), f"{share * folds:.1f} of {folds} folds")
                self._check()

            tagged = jackknife(
                self.treebank, folds=folds, jobs=self.jobs, options=self.of_tagger, on_step=on_step
            )
        text = np.frombuffer(tagged.to_bytes(), np.uint8)
        self._store("jackknifed", Component("treebank", {}, {"text": text}), made_from)
        return tagged

    def _made_from(self, options: SegmenterOptions | TaggerOptions, dev: Treebank | None) -> dict[str, Any]:
        return {
            "treebank": treebank_made_from(self.treebank),
            "dev": treebank_made_from(dev),
            "options": options.to_dict(),
        }

    def _keep(self, name: str, component: Any, made_from: dict[str, Any], told: str) -> None:
        path = self._store(name, component.to_component(), made_from)
        self._say(f"{told}: {file_size(path.stat().st_size)}, {counted(self.treebank.word_count, 'word')}.")

    def _store(self, name: str, part: Component, made_from: dict[str, Any]) -> Path:
        if self._outdated is not None:
            self._outdated.unlink(missing_ok=True)
        return self.kept.keep(name, part, made_from)
