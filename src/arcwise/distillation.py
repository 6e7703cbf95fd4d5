"""Distillation: models teach another one, a smaller one as a rule, on text without trees.

At every state that the student comes to on its own walk, its teachers say how probable they hold the moves
there, and the mean of that is what it is to learn (Liu et al. 2018). Gold trees are learnt from beside.

>>> teacher = Pipeline.train("examples/garden/train.conllu", epochs=2, width=96)
>>> options = {"epochs": 2, "width": 32, "hidden": 32}
>>> distill(teacher, gold="examples/garden/train.conllu", text="examples/garden/dev.conllu", **options)
<Pipeline: segmenter, tagger, parser>
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from arcwise import _core
from arcwise._terminal import counted
from arcwise.errors import ModelError, OptionError, TreebankError
from arcwise.inputs import Reading, demand_readable, kind_of, sentences_of
from arcwise.numbering import label_set, numbered_as, parser_network, tagger_network
from arcwise.options import MAX_WORDS, ParserOptions, SystemOptions
from arcwise.parser import ModelInfo, Parser
from arcwise.pipeline import Pipeline
from arcwise.silver import SilverTrees
from arcwise.tagger import COLUMNS, Tagger
from arcwise.treebank import Treebank

PathLike: TypeAlias = str | os.PathLike[str]
Model: TypeAlias = Pipeline | Parser | PathLike
Networks: TypeAlias = list[tuple[_core.NetworkModel, _core.NetworkModel | None]]
"""The parser and, if it teaches too, the tagger of each teacher."""

_OTHER_WAY = "have it label the text ('arcwise parse'), and learn from its trees ('arcwise train --silver')"
_KNOWN_TAGS = 0.9
"""How many of a student's tags a tagger has to know to teach it."""


def distill(
    teachers: Model | Iterable[Model],
    *,
    gold: Treebank | PathLike,
    text: Treebank | PathLike | Iterable[Treebank | PathLike],
    text_format: str | None = None,
    **training: Any,
) -> Pipeline:
    """Trains a pipeline on gold trees and on what `teachers` say of text without trees.

    Teachers are networks with the same transition system and labels, given as pipelines, parsers or files; a
    student has these, too. A text is a file or several, of raw text, which the first teacher cuts into
    sentences and words, or of any format that `arcwise parse` reads (`text_format`, or by their names), or a
    treebank, whose trees are of no account. What else there is to say is said as to `Pipeline.train`.
    """
    taught = TaughtText.of(text, Teachers.of(teachers), format=text_format)
    return Pipeline.train(gold, silver=taught, **training)


class Teachers:
    """Models that teach a student. The first one cuts raw text, and its labels are the student's."""

    def __init__(self, pipelines: Sequence[Pipeline], names: Sequence[str] | None = None) -> None:
        self.names = list(names or (f"teacher {number}" for number in range(1, len(pipelines) + 1)))
        if not pipelines:
            raise OptionError("There is no teacher: name a model.")
        for name, pipeline in zip(self.names, pipelines, strict=True):
            _demand_moves(name, pipeline)
        self.pipelines = list(pipelines)
        self.parsers: list[Parser] = [pipeline.demand("parser") for pipeline in pipelines]
        for name, parser in zip(self.names[1:], self.parsers[1:], strict=True):
            self._demand_same_moves(name, parser)

    @classmethod
    def of(cls, given: Model | Iterable[Model]) -> Teachers:
        """Teachers from whatever they are given as."""
        from arcwise.models import load

        models: list[Model] = [given] if isinstance(given, (Pipeline, Parser, str, os.PathLike)) else [*given]
        pipelines, names = [], []
        for number, model in enumerate(models, start=1):
            if isinstance(model, Parser):
                model = Pipeline(parser=model)
            is_file = not isinstance(model, Pipeline)
            names.append(os.fspath(model) if is_file else f"teacher {number}")  # type: ignore[arg-type]
            pipelines.append(load(model) if not isinstance(model, Pipeline) else model)
        return cls(pipelines, names)

    def __len__(self) -> int:
        return len(self.pipelines)

    @property
    def first(self) -> ModelInfo:
        """What is said of the parser whose moves are the student's."""
        return self.parsers[0].info

    @property
    def name(self) -> str:
        """Of all, in words."""
        own = [Path(name).name for name in self.names]
        return own[0] if len(own) == 1 else f"{', '.join(own[:-1])} and {own[-1]}"

    @cached_property
    def fingerprint(self) -> str:
        """Tells teachers apart."""
        hashed = hashlib.sha256()
        for pipeline in self.pipelines:
            for component in (pipeline.parser, pipeline.tagger):
                for name, array in [] if component is None else sorted(component._arrays.items()):
                    hashed.update(name.encode())
                    hashed.update(np.ascontiguousarray(array).tobytes())
        return hashed.hexdigest()

    def _demand_same_moves(self, name: str, parser: Parser) -> None:
        """Refuses a teacher that could not score the states of the first."""
        own, first = parser.info, self.first
        for what, its, other in (
            ("transition system", own.options.system.name, first.options.system.name),
            ("place for ROOT", own.options.system.root, first.options.system.root),
            ("way with non-projective trees", own.options.system.scheme, first.options.system.scheme),
            ("number of roots", _roots(own), _roots(first)),
        ):
            if its != other:
                raise ModelError(
                    f"{name} has another {what} than {self.names[0]} ({its}, not {other}), and teachers "
                    f"score the same states: choose others, or {_OTHER_WAY}."
                )
        differ = _label_names(own) ^ _label_names(first)
        if differ:
            raise ModelError(
                f"{name} and {self.names[0]} have other labels: only one of them knows "
                f"{' '.join(sorted(differ)[:5])}. Choose teachers that were trained on the same labels, or "
                f"{_OTHER_WAY}."
            )

    # What a student takes over

    def options_of_student(self, options: ParserOptions) -> ParserOptions:
        """The options of a student, with the transition system of its teachers."""
        system, asked = replace(self.first.options.system, single_root=self.first.single_root), options.system
        if asked not in (SystemOptions(), system, self.first.options.system):
            raise OptionError(
                f"A student has the transition system of its teachers, {system}, and their roots: leave out "
                "the options of the system."
            )
        if options.learner.name != network_name():
            raise OptionError(
                f"A student of teachers is a network, and no {options.learner}: leave out the learner, or "
                f"{_OTHER_WAY.replace('it', 'them', 1)}."
            )
        return replace(options, system=system)

    def label_set(self) -> _core.LabelSet:
        """The labels of the student."""
        return label_set(self.first)

    def gold(self, treebank: Treebank) -> Treebank:
        """Gold trees with the numbers of these labels; refuses others."""
        return numbered_as(
            treebank,
            self.first.label_names,
            "which the teachers do not know",
            f"teach with models of a treebank that has it, or {_OTHER_WAY.replace('it', 'them', 1)}",
        )

    def demand_columns(self, text: Treebank) -> None:
        """Refuses text without the tags that a teacher was trained with."""
        for name, parser in zip(self.names, self.parsers, strict=True):
            if len(text) and (missing := parser.missing_columns(text)):
                columns = ", ".join(column.upper() for column in missing)
                raise TreebankError(
                    f"{text.source} lacks {columns}, with which {name} was trained: give text with tags, as "
                    "CoNLL-U, or a teacher that needs none."
                )

    def teach_tags(self, tagging_set: _core.TaggingSet | None) -> bool:
        """Whether all of them know the tags of a student, or nearly all."""
        return tagging_set is not None and all(
            pipeline.tagger is not None and _knows_tags(pipeline.tagger, tagging_set)
            for pipeline in self.pipelines
        )

    def networks(self, tagging_set: _core.TaggingSet | None) -> Networks:
        """The teachers as the core has them: moves and labels have the numbers of the student's."""
        tags = self.teach_tags(tagging_set)
        return [
            (
                parser_network(pipeline.demand("parser").without_tags(), self.first),
                tagger_network(pipeline.tagger, tagging_set)
                if tags and pipeline.tagger is not None and tagging_set is not None
                else None,
            )
            for pipeline in self.pipelines
        ]


class TaughtText(SilverTrees):
    """Text without trees, of which teachers have something to say: files, or treebanks.

    It is read and mixed with gold trees as silver trees are.
    """

    def __init__(
        self,
        sources: Iterable[Treebank | PathLike],
        teachers: Teachers,
        *,
        format: str | None = None,
        how: Reading | None = None,
    ) -> None:
        super().__init__(sources)
        self._teachers = teachers
        self._kind = format
        self._how = how or Reading(
            skip_bad=False, check_trees=False, errors="strict", ranges=False, max_words=MAX_WORDS
        )
        for source in self._sources:
            if not isinstance(source, Treebank):
                demand_readable(os.fspath(source))

    @classmethod
    def of(  # type: ignore[override]
        cls,
        given: Treebank | PathLike | Iterable[Treebank | PathLike],
        teachers: Teachers,
        *,
        format: str | None = None,
    ) -> TaughtText:
        """Text from whatever it is given as."""
        sources = [given] if isinstance(given, (Treebank, str, os.PathLike)) else given
        return cls(sources, teachers, format=format)

    @property
    def teachers(self) -> Teachers:
        """Who teach."""
        return self._teachers

    def with_variants_as_in(self, treebank: Treebank, share: float, seed: int) -> TaughtText:
        """The same: text has been written by others already."""
        return self

    @property
    def fingerprint(self) -> str:
        """Tells text and teachers apart."""
        both = super().fingerprint + self.teachers.fingerprint
        return hashlib.sha256(both.encode()).hexdigest()

    def described(self, tagging_set: _core.TaggingSet | None) -> str:
        """What is learnt from it, in words."""
        taught = "trees and tags" if self.teachers.teach_tags(tagging_set) else "trees"
        return (
            f"{counted(self.words, 'word')} of text in {self.name}, whose {taught} {self.teachers.name} teach"
        )

    def _parts_of(self, source: Treebank | PathLike) -> Iterator[Treebank]:
        parts: Iterable[Treebank] = [source] if isinstance(source, Treebank) else []
        if not isinstance(source, Treebank):
            path, model = os.fspath(source), self.teachers.pipelines[0]
            parts = sentences_of(path, self._kind or kind_of(path, model), model, self._how)
        for part in parts:
            self.teachers.demand_columns(part)
            yield part


def network_name() -> str:
    """What the learner is called whose models can teach and be taught."""
    from arcwise.options import NetworkOptions

    return NetworkOptions.name


def _demand_moves(name: str, pipeline: Pipeline) -> None:
    """Refuses a model that cannot say how probable moves are."""
    parser = pipeline.parser
    if parser is None:
        raise ModelError(f"{name} has no parser, and cannot teach one: name another model.")
    if not parser.info.learner.has_encoder:
        raise ModelError(
            f"{name} is no network ({parser.info.learner.title}), and teachers say how probable moves are as "
            f"networks do: name another, or {_OTHER_WAY}."
        )
    if parser.ranker is not None:
        raise ModelError(
            f"{name} has a ranker, which looks at whole trees and has nothing to say of single moves: "
            f"{_OTHER_WAY}."
        )


def _roots(info: ModelInfo) -> str:
    return "one" if info.single_root else "any"


def _label_names(info: ModelInfo) -> set[str]:
    return {info.label_names[base] for base, _, _ in info.labels}


def _knows_tags(tagger: Tagger, tagging_set: _core.TaggingSet) -> bool:
    """Whether a tagger knows nearly all tags of another: which rare ones go together depends on the seed."""
    own, wanted = ({*map(tuple, analyses)} for analyses in (tagger.info.analyses, tagging_set.analyses))
    columns = [COLUMNS[name] for name in tagger.info.columns]
    return columns == list(tagging_set.columns) and len(own & wanted) >= _KNOWN_TAGS * len(wanted)
