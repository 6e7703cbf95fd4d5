"""The one recipe of a pipeline: which parts are trained, in which order, and how a run goes on.

>>> from arcwise import PipelineOptions, Treebank
>>> garden = Treebank.read("examples/garden/train.conllu")
>>> options = PipelineOptions(components=("tagger", "parser"), parser={"epochs": 2})
>>> epochs = []
>>> training = PipelineTraining(garden, options=options, on_epoch=lambda part, epoch: epochs.append(part))
>>> training.finish()
<Pipeline: tagger, parser>
>>> epochs
['parser', 'parser']
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise import __version__
from arcwise._terminal import counted
from arcwise.errors import ModelError, OptionError
from arcwise.grammar import learn
from arcwise.learners import learner
from arcwise.options.pipeline import FOLDS, PipelineOptions
from arcwise.recipe.kept import Kept, treebank_made_from
from arcwise.recipe.parts import Parts
from arcwise.recipe.ranking import with_ranker
from arcwise.recipe.reporting import Reporter, epoch_line
from arcwise.treebank import fingerprint

if TYPE_CHECKING:
    from arcwise.evaluation.conll18 import Conll18Scores
    from arcwise.parser import Parser
    from arcwise.pipeline import Pipeline
    from arcwise.silver import GivenSilver, SilverTrees
    from arcwise.training import Training
    from arcwise.treebank import Treebank

SECONDS_BETWEEN_CHECKPOINTS = 60.0
TOLD = {
    "tokens": ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"),
    "text": ("Words", "Sentences", "UPOS", "Lemmas", "UAS", "LAS"),
}
"""The scores on dev that a run tells of, by what the pipeline starts from."""
PathLike = str | os.PathLike[str]


class PipelineTraining:
    """A training run of a pipeline: segmenter, tagger, parser and ranker, as far as they are asked for.

    With `store`, the name of a model, a run that is broken off is kept beside it (`NAME.checkpoint`,
    `NAME.parts`, `NAME.hc`) and goes on with `resume`; `remove_kept` clears up. Candidates of HC-search can
    be kept in a folder of their own (`folds`), where the next run with the same options finds them. `jobs`
    folds are trained at a time, `threads` parse dev and, two at most, train a network; the pipeline is the
    same for any number.
    What a run says of itself goes to a `reporter`; `on_epoch` and `progress` are for the usual one.
    """

    def __init__(
        self,
        treebank: Treebank,
        *,
        dev: Treebank | None = None,
        silver: GivenSilver | None = None,
        options: PipelineOptions | None = None,
        threads: int = 1,
        jobs: int = 1,
        store: PathLike | None = None,
        resume: bool = False,
        folds: PathLike | None = None,
        reporter: Reporter | None = None,
        on_epoch: Callable[[str, Any], None] | None = None,
        progress: bool = True,
    ) -> None:
        from arcwise.pipeline import chosen_components

        self.options = options or PipelineOptions()
        self.treebank, self.dev = treebank, dev
        self.threads, self.jobs = threads, jobs
        self.components = chosen_components(treebank, self.options.components)
        self.tags = self._tags()
        self.silver = self._silver(silver)
        self.reporter = reporter or Reporter(progress=progress, on_epoch=on_epoch)
        if resume and store is None:
            raise OptionError("Only what was stored can be resumed: name the model that it was stored for.")
        self.checkpoint = None if store is None else Path(f"{store}.checkpoint")
        self.kept_of_hc = Kept(None if store is None else Path(f"{store}.hc"))
        self.resume = resume
        self._folds = self.kept_of_hc.folder if folds is None else Path(folds)
        self.parts = Parts(
            None if store is None else Path(f"{store}.parts"),
            treebank,
            dev,
            options=self.options,
            jobs=jobs,
            reporter=self.reporter,
            on_new=self._forget_checkpoint,
        )
        self.training: Training | None = None
        """The parser's own run, once there is one."""
        self.summary = ""
        """What was kept of its epochs, in words."""
        if resume and not self.has_kept:
            raise ModelError(f"There is no {self.checkpoint} to go on with (resume): start the run anew.")
        if "parser" in self.components:
            # What is wrong with the options is said before hours of work, not after.
            self.training = self._prepared(self._with_variants(), dev)
            if self.options.ranking is not None:
                from arcwise import hc

                hc.check(treebank, self.training.options, self.options.ranking)

    @property
    def shared(self) -> bool:
        """Whether the tagger and the parser share a network, and are trained together."""
        return self.tags == "shared"

    def _tags(self) -> str:
        asked, both = self.options.tags, {"tagger", "parser"} <= set(self.components)
        own = learner(self.options.parser.learner.name)
        can_share = both and own.has_encoder and self.options.ranking is None  # see PipelineOptions
        if asked == "shared" and not can_share:
            raise OptionError(
                "A parser shares its network with a tagger if both are trained and its learner is a network: "
                "choose predicted or gold tags."
            )
        if not both:
            return "gold"
        return asked or ("shared" if can_share and self.options.folds is None else "predicted")

    def _silver(self, given: GivenSilver | None) -> SilverTrees | None:
        """Silver trees for the parser, and for a tagger that shares its network."""
        from arcwise.silver import SilverTrees

        if given is None:
            return None
        if "parser" not in self.components:
            raise OptionError("Silver trees are for a parser, and none is trained: leave them out (silver).")
        if self.tags == "predicted" or self.options.ranking is not None:
            raise OptionError(
                "Silver trees are for a tagger and a parser that share a network, or for a parser alone: "
                "leave them out (silver), or train neither a separate tagger nor a ranker."
            )
        silver = SilverTrees.of(given)
        if not (self.shared and self.options.augment > 0):
            return silver
        return silver.with_variants_as_in(self.treebank, self.options.augment, self.options.parser.seed)

    def _with_variants(self) -> Treebank:
        """What the parser learns from: a parser that is given tags need not know signs by their form."""
        from arcwise.augmentation import with_variants

        share = self.options.augment if self.shared else 0.0
        return with_variants(self.treebank, share, self.options.parser.seed)

    def _prepared(self, treebank: Treebank, dev: Treebank | None) -> Training:
        from arcwise.training import Training

        return Training(
            treebank,
            dev=dev,
            options=self.options.parser,
            threads=self.threads,
            keep_training_state=self.options.keep_training_state,
            tagger=self.options.tagger if self.shared else None,
            silver=self.silver,
            own_sentences=len(self.treebank),
        )

    def finish(self) -> Pipeline:
        """Trains what is left of the run, and gives the pipeline."""
        from arcwise.pipeline import Pipeline

        if not self.resume:
            self.kept_of_hc.remove()
            self.parts.kept.remove()
        self._announce()
        own: dict[str, Any] = {}
        if "segmenter" in self.components:
            own["segmenter"] = self.parts.segmenter()
        if "tagger" in self.components and not self.shared:
            own["tagger"] = self.parts.tagger()
        if self.training is not None:
            if "tagger" in own and self.tags == "predicted":
                treebank = self.parts.with_predicted_tags(self.options.folds or FOLDS)
                dev = None if self.dev is None else own["tagger"].tag(self.dev, threads=self.jobs)
                self.training = self._prepared(treebank, dev)
            own["parser"] = self._parser(self.training)
            if self.options.grammar:
                seen = self.treebank if "tagger" in self.components else self.training.as_seen
                own["parser"] = own["parser"].with_grammar(learn(seen))
            if self.shared:
                own["tagger"] = self.training.tagger()
        return self._scored(Pipeline(**own, about=self._about()))

    def _announce(self) -> None:
        """Says what will be trained, where that is more than one would think."""
        if self.training is None or self.tags != "predicted":
            return
        folds = min(self.options.folds or FOLDS, len(self.treebank))
        self.reporter.say(
            f"To be trained: a tagger; {folds} more, each of the treebank but for one fold, whose tags the "
            f"parser learns from, as much work as {folds - 1} taggers; then the parser. With gold tags "
            "(gold_tags) it learns from the treebank's own at once, which suits text that comes with such."
        )

    def _parser(self, training: Training) -> Parser:
        from arcwise.parser import Parser

        ranking, made_from = self.options.ranking, None
        if ranking is not None:
            made_from = {
                **training.made_from(),
                "treebank": treebank_made_from(training.treebank),
                "dev": treebank_made_from(training.dev),
            }
            if self.resume and (kept := self.kept_of_hc.find("parser", made_from)) is not None:
                return self._ranked(Parser.from_component(kept), training)
        if self.resume and self.checkpoint is not None and self.checkpoint.exists():
            _take_up(training, self.checkpoint)
        self._run(training)
        parser = training.parser()
        self.summary = _what_was_kept(training, parser)
        if ranking is None or made_from is None:
            return parser
        self.reporter.say(f"{self.summary}.")
        self.kept_of_hc.keep("parser", parser.to_component(), made_from)
        self._forget_checkpoint(always=True)
        return self._ranked(parser, training)

    def _ranked(self, parser: Parser, training: Training) -> Parser:
        assert self.options.ranking is not None
        parser, self.summary = with_ranker(
            parser,
            training.treebank,
            training.dev,
            self.options.ranking,
            jobs=self.jobs,
            folder=self._folds,
            reporter=self.reporter,
        )
        return parser

    def _run(self, training: Training) -> None:
        reporter = self.reporter
        stored = time.monotonic()
        best = max((e.dev_las for e in training.history if e.dev_las is not None), default=None)
        with (
            reporter.work("parser", training.words_until(training.planned)),
            self._kept_if_broken_off(training),
        ):
            reporter.say(_what_is_trained(training))
            if training.history:
                reporter.say(f"Going on in epoch {len(training.history) + 1} of {training.planned}.")
            elif self.checkpoint is not None and self.checkpoint.exists():
                reporter.say(
                    f"{self.checkpoint} is of an earlier run, which could have been gone on with (resume)."
                )

            def on_step(epoch: int, words: int) -> None:
                done = training.words_until(epoch - 1) + words
                reporter.step(done, f"epoch {epoch}/{training.planned}")

            for epoch in training.epochs(on_step):
                better = epoch.dev_las is not None and (best is None or epoch.dev_las > best)
                best = epoch.dev_las if better else best
                reporter.epoch("parser", epoch, epoch_line(training, epoch, better), better=better)
                if training.done:
                    break
                reporter.step(training.words_until(epoch.number), f"epoch {epoch.number}/{training.planned}")
                if self.checkpoint and time.monotonic() - stored > SECONDS_BETWEEN_CHECKPOINTS:
                    training.save_checkpoint(self.checkpoint)
                    stored = time.monotonic()

    @contextlib.contextmanager
    def _kept_if_broken_off(self, training: Training) -> Iterator[None]:
        """A run that its caller ends, between two steps, is stored."""
        try:
            yield
        except BaseException:
            if self.checkpoint is not None and self.reporter.ended:
                training.save_checkpoint(self.checkpoint)
            raise

    @property
    def has_kept(self) -> bool:
        """Whether something is left of a run that this one would go on with."""
        of_hc = self.options.ranking is not None and self.kept_of_hc.has("parser")
        has_checkpoint = self.checkpoint is not None and self.checkpoint.exists()
        return has_checkpoint or of_hc or bool(self.parts.kept)

    def where_it_is_kept(self) -> str | None:
        """What is left of a run that was broken off, in words; None: nothing."""
        if self.kept_of_hc.has("parser"):
            return f"what was done is stored in {self.kept_of_hc.folder}"
        if self.checkpoint is not None and self.checkpoint.exists() and self.reporter.ended:
            return f"the run is stored in {self.checkpoint}"
        return f"what was done is stored in {self.parts.kept.folder}" if self.parts.kept else None

    def remove_kept(self) -> None:
        """Removes what was kept of the run, once its pipeline is written."""
        self.parts.kept.remove()
        self.kept_of_hc.remove()
        self._forget_checkpoint(always=True)

    def _forget_checkpoint(self, *, always: bool = False) -> None:
        if self.checkpoint is not None and (always or not self.resume):
            self.checkpoint.unlink(missing_ok=True)

    def _about(self) -> dict[str, Any]:
        """What a pipeline says of itself; a parser alone says it in its own way."""
        o = self.options
        if self.components == ["parser"] and o.licence is None and o.description is None:
            return {}
        return {
            "treebank": Path(self.treebank.source).name,
            "sentences": len(self.treebank),
            "words": self.treebank.word_count,
            "fingerprint": fingerprint(self.treebank),
            "tags": self.tags,
            **({"folds": o.folds} if o.folds is not None else {}),
            **({"augment": o.augment} if "tagger" in self.components else {}),
            "licence": o.licence,
            "description": o.description,
            "version": __version__,
        }

    def _scored(self, pipeline: Pipeline) -> Pipeline:
        """The pipeline, which says what it is worth on dev from tokens and from raw text."""
        if not pipeline.about or self.dev is None or pipeline.parser is None:
            return pipeline
        scores = {"tokens": _f1(pipeline.evaluate(self.dev, threads=self.jobs).conll18)}
        if pipeline.segmenter is not None:
            scores["text"] = _f1(pipeline.evaluate_text(self.dev, threads=self.jobs))
        scores = {start: found for start, found in scores.items() if found}
        for start, found in scores.items():
            told = ", ".join(f"{metric} {found[metric]:.2f}" for metric in TOLD[start] if metric in found)
            self.reporter.say(f"On dev from {start} (CoNLL 2018): {told}.")
        about = {**pipeline.about, "dev": Path(self.dev.source).name, "scores": scores}
        return replace(pipeline, about=about)


def _f1(scores: Conll18Scores | None) -> dict[str, float]:
    return {} if scores is None else {metric: round(score.f1, 4) for metric, score in scores.items()}


def _take_up(training: Training, checkpoint: Path) -> None:
    training.resume(checkpoint)
    done, wanted = len(training.history), training.planned
    if done < wanted:
        return
    # A run of more epochs has a parser of this one only if dev chose among them.
    with contextlib.suppress(OptionError):
        if done == wanted:
            training.parser()
            return
    raise OptionError(f"{checkpoint} has {counted(done, 'epoch')} already: ask for more than {wanted}.")


def _what_is_trained(training: Training) -> str:
    o = training.options
    parts = [
        f"{counted(training.sentences, 'sentence')}, {counted(training.words, 'word')}",
        f"{counted(training.left_out, 'sentence')} left out",
    ]
    if o.system.scheme is not None:
        parts.append(f"{counted(training.lifted, 'arc')} lifted")
    parts.append("single root" if training.single_root else "any number of roots")
    if o.leave_out:
        parts.append(f"without {', '.join(column.upper() for column in o.leave_out)}")
    if training.silver is not None and o.silver is not None:
        parts.append(
            f"beside {training.silver.described(training.tagging_set)}, "
            f"seen {o.silver.passes:g} times before the last {counted(o.silver.gold_epochs or 0, 'epoch')}"
        )
        if training.silver.bad:
            parts.append(f"{counted(training.silver.bad, 'bad silver tree')} skipped")
    own = training.learner
    parts += own.to_be_trained(training.inputs, training.weight_count)
    how = f"{own.in_brief(o)}, {own.training(o)}"
    return f"Training {o.system} ({how}) on {training.treebank.source}: {'; '.join(parts)}."


def _what_was_kept(training: Training, parser: Parser) -> str:
    kept = training.history[parser.info.training["epoch"] - 1]
    scores = "" if kept.dev_las is None else f" (dev UAS {kept.dev_uas:.2f}, LAS {kept.dev_las:.2f})"
    weights = counted(parser.info.weights, "weight")
    return f"Kept epoch {kept.number} of {len(training.history)}{scores}: {weights}"
