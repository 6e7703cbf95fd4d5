"""A pipeline: from raw text to sentences, words, tags, lemmas and trees, with what one file holds.

>>> from arcwise import Treebank
>>> garden = Treebank.read("examples/garden/train.conllu")
>>> nlp = Pipeline.train(garden, epochs=3)
>>> document = nlp("Anna waters the beans. The gardener planted roses.")
>>> [[token.form for token in sentence] for sentence in document]
[['Anna', 'waters', 'the', 'beans', '.'], ['The', 'gardener', 'planted', 'roses', '.']]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal, TypeAlias, TypeVar, overload

from arcwise._numpy import np
from arcwise.document import Document
from arcwise.encoder import Encoder
from arcwise.errors import ModelError, OptionError
from arcwise.given_tags import Tagged, Tags, meant, tagged
from arcwise.model_file import ENCODER, PIPELINE, Component, Origin, Stored, encoder_of
from arcwise.options import COMPONENTS
from arcwise.parser import Candidate, Parser, as_treebank, to_sentences
from arcwise.piping import TEXTS_AT_ONCE, Errors, checked, in_order, piped
from arcwise.segmenter import Segmenter
from arcwise.tagger import COLUMNS, Tagger
from arcwise.text import rebuild
from arcwise.treebank import Sentence, Treebank

if TYPE_CHECKING:
    from arcwise.evaluation import Conll18Scores, Evaluation
    from arcwise.options.pipeline import PipelineOptions
    from arcwise.silver import GivenSilver
    from arcwise.trace import Trace
    from arcwise.trace_moves import ByHand, Guides
    from arcwise.transitions.system import AsDescribed, System
    from arcwise.updating import UpdateOptions

PathLike: TypeAlias = str | os.PathLike[str]
Start: TypeAlias = Literal["text", "tokens", "tags"]
"""What a pipeline is given: raw text, words, or words with tags."""
STARTS: tuple[Start, ...] = ("text", "tokens", "tags")
_KINDS: dict[str, Any] = {"segmenter": Segmenter, "tagger": Tagger, "parser": Parser}
_WITHOUT = {
    "segmenter": "It cannot find the words of raw text: give it words, as CoNLL-U or with --format "
    "horizontal, or train a pipeline that has one.",
    "tagger": "Train one on a treebank with tags.",
    "parser": "Train one on a treebank with trees.",
}

Context = TypeVar("Context")


@dataclass(frozen=True)
class Pipeline(Stored):
    """A segmenter, a tagger and a parser, any of which may be missing. Immutable, and safe for threads.

    Get one with `arcwise.load(name or path)` or `Pipeline.train(treebank)`.
    """

    KINDS: ClassVar[tuple[str, ...]] = (PIPELINE, *COMPONENTS)

    segmenter: Segmenter | None = None
    tagger: Tagger | None = None
    parser: Parser | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    """Whatever is to be said of it: how it was trained, scores, licence, description."""

    @classmethod
    def train(
        cls,
        treebank: Treebank | PathLike,
        *,
        dev: Treebank | PathLike | None = None,
        silver: GivenSilver | None = None,
        options: PipelineOptions | None = None,
        components: Sequence[str] | None = None,
        gold_tags: bool = False,
        separate_tagger: bool = False,
        folds: int | None = None,
        seed: int | None = None,
        jobs: int = 1,
        grammar: bool = True,
        on_epoch: Callable[[str, Any], None] | None = None,
        progress: bool = True,
        segmenter: Mapping[str, Any] | None = None,
        tagger: Mapping[str, Any] | None = None,
        **parser: Any,
    ) -> Pipeline:
        """Trains the components that a treebank has the data for, or those that are named.

        The parser and the tagger share a network, if the parser has one. Otherwise, with `separate_tagger` or
        a number of `folds`, the parser learns from tags that taggers of so many parts of the treebank (10 by
        default) predict, `jobs` of them at a time, as it will be given predicted ones; with `gold_tags`, from
        those of the treebank.

        The tagger and the parser of a shared network can learn from `silver` trees, too, those of another
        parser: a treebank, or files, which may be compressed and of any size.

        Options are given whole, as `PipelineOptions`, or one by one: those of the segmenter and the tagger by
        name in mappings, those of the parser as they are (see `ParserOptions`). `seed` is that of every part.
        Without `grammar`, no rules of the treebank are learnt that trees can be kept to.
        `on_epoch(part, epoch)` is called after every epoch, Python's `logging` hears what is done under the
        name `arcwise`, and a progress bar shows in terminals and notebooks unless `progress` is False.
        """
        from arcwise.options.config import combined
        from arcwise.recipe import PipelineTraining

        one_by_one: dict[str, Any] = {
            "components": None if components is None else tuple(components),
            "tags": "gold" if gold_tags else "predicted" if separate_tagger or folds is not None else None,
            "folds": folds,
            "seed": seed,
            "grammar": None if grammar else False,
            "segmenter": segmenter,
            "tagger": tagger,
        }
        given = {name: value for name, value in one_by_one.items() if value is not None}
        if options is not None and (given or parser):
            raise OptionError("Give the options whole or one by one, not both.")
        training = PipelineTraining(
            as_treebank(treebank),
            dev=None if dev is None else as_treebank(dev),
            silver=silver,
            options=options or combined({}, flags=parser, **given),
            threads=jobs,
            jobs=jobs,
            on_epoch=on_epoch,
            progress=progress,
        )
        return training.finish()

    def __call__(
        self, text: str, *, errors: Literal["raise", "replace"] = "raise", **parsing: Any
    ) -> Document:
        """The sentences of a text with all that the pipeline knows of them. Options as of `Parser.parse`.

        With `errors="replace"`, NULs and halves of characters, which no text has, become U+FFFD.

        Raises:
            TextError: It is no text, or has such characters in it.
        """
        if errors not in ("raise", "replace"):
            raise OptionError(f"A text that cannot be read is raise or replace (errors), not {errors!r}.")
        how: Literal["strict", "replace"] = "replace" if errors == "replace" else "strict"
        known = checked(text, how, "<text>")
        treebank = self.demand("segmenter").segment(known, source="<text>")
        return Document(self.parse(treebank, tags="new", **parsing), known)

    @overload
    def pipe(
        self,
        texts: Iterable[str],
        *,
        as_tuples: Literal[False] = False,
        batch_size: int = TEXTS_AT_ONCE,
        errors: Errors = "raise",
        jobs: int = 1,
        **parsing: Any,
    ) -> Iterator[Document]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str, Context]],
        *,
        as_tuples: Literal[True],
        batch_size: int = TEXTS_AT_ONCE,
        errors: Errors = "raise",
        jobs: int = 1,
        **parsing: Any,
    ) -> Iterator[tuple[Document, Context]]: ...
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        batch_size: int = TEXTS_AT_ONCE,
        errors: Errors = "raise",
        jobs: int = 1,
        **parsing: Any,
    ) -> Iterator[Any]:
        """The documents of many texts, in order. No more than a few batches of texts are taken beforehand.

        Args:
            texts: The texts.
            as_tuples: Texts come with something that goes with them, `(text, context)`, and so do documents.
            batch_size: How many texts are parsed together: the fewer, the sooner the first document comes.
            errors: What is done with a text that cannot be read, which is named by its number, counted from
                0. `raise` raises an error, after the documents of the texts before it; `skip` leaves it out,
                with a `SkippedTextWarning`; `replace` puts U+FFFD in place of NULs and halves of characters,
                and raises an error if it is no str. A function is called with the number, the text and the
                error, and gives a document in its place, or None, which leaves it out.
            jobs: How many batches are parsed at a time.
            parsing: Options as of `Parser.parse`.

        Raises:
            TextError: A text cannot be read.
        """
        return piped(
            self,
            texts,
            as_tuples=as_tuples,
            batch_size=batch_size,
            errors=errors,
            jobs=jobs,
            parsing=parsing,
        )

    def parse(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        *,
        tags: Tags = "auto",
        threads: int = 1,
        retag: bool | None = None,
        **parsing: Any,
    ) -> Treebank:
        """Gives words their tags and lemmas, and then heads and labels.

        Tags that are there already stay (`tags="new"` asks for new ones), and tell the parser more if one of
        a sentence is not the tagger's own, or in any case with `tags="given"`. So the tree of a sentence is
        the same whether it comes without tags, or with those that this pipeline has given it.
        """
        treebank = to_sentences(sentences)
        tags = meant(tags, retag)
        if self.parser is None:
            self.refuse_without_parser(name for name, value in parsing.items() if value is not None)
            return self.tagged(treebank, tags, threads=threads).treebank
        own_tags = self.tagger is not None and (tags == "new" or self.lacks_tags(treebank))
        takes_no_notice = self.parser.ranker is None  # of tags, if it is told so; a ranker would
        if own_tags and takes_no_notice:
            # Both at once, if they share a network.
            return self.parser_of_own_tags.parse(treebank, tagger=self.tagger, threads=threads, **parsing)
        with_tags = self.tagged(treebank, tags, threads=threads, parsing=parsing)
        sees_tags = with_tags.shown.any() or not takes_no_notice
        parser = self.parser if sees_tags else self.parser_of_own_tags
        return parser.parse(
            with_tags.for_parser, threads=threads, **self._told(with_tags), **_for_each(with_tags, parsing)
        )

    def nbest(
        self,
        sentences: Treebank | Sentence | Iterable[Sentence | Sequence[str]],
        k: int,
        *,
        tags: Tags = "auto",
        threads: int = 1,
        **parsing: Any,
    ) -> list[list[Candidate]]:
        """The best trees of every sentence as of `Parser.nbest`, with tags as of `parse`."""
        parser: Parser = self.demand("parser")
        with_tags = self.tagged(to_sentences(sentences), tags, threads=threads, parsing=parsing)
        return parser.nbest(
            with_tags.for_parser, k, threads=threads, **self._told(with_tags), **_for_each(with_tags, parsing)
        )

    def trace(
        self,
        sentence: Sentence | Sequence[str],
        *,
        gold: Sentence | None = None,
        tags: Tags = "auto",
        grammar: bool = True,
        moves: ByHand | None = None,
        follow: Guides = "model",
        most_moves: int | None = None,
    ) -> Trace:
        """The greedy parse of a sentence as of `Parser.trace`, with tags as of `parse`."""
        known = self.tagged(to_sentences([sentence]), tags, parsing={"grammar": grammar})
        parser: Parser = self.demand("parser")
        tagger = None if known.shown.all() or not self._may_retag else self.tagger
        return parser.trace(
            known.for_parser[0],
            gold=gold,
            grammar=grammar,
            tags=known.treebank[0],
            tagger=tagger,
            moves=moves,
            follow=follow,
            most_moves=most_moves,
        )

    @cached_property
    def parser_of_own_tags(self) -> Parser:
        """The parser for words with the tagger's own tags: if it can do without, it takes no notice of them.

        It sees of words what the tagger sees; only tags that others have given tell it more.
        """
        parser: Parser = self.demand("parser")
        return parser.without_tags()

    @cached_property
    def _may_retag(self) -> bool:
        """Whether a tag of the tagger's may give way to one that goes with the tree."""
        return (
            self.parser is not None
            and self.tagger is not None
            and self.parser.info.grammar is not None
            and self.parser.ranker is None
            and self.tagger.shares_with(self.parser_of_own_tags)
        )

    def _told(self, with_tags: Tagged) -> dict[str, Any]:
        """How the parser is told of tags that it does not see."""
        own = {"tagger": self.tagger, "own": ~with_tags.shown}
        return {"tags": with_tags.treebank, **(own if self._may_retag else {})}

    def tagged(
        self,
        treebank: Treebank,
        tags: Tags = "auto",
        *,
        threads: int = 1,
        parsing: Mapping[str, Any] | None = None,
    ) -> Tagged:
        """Sentences with their tags, and whether the parser goes by these.

        It does not if they are what this pipeline gives them, asked to parse in the same way.
        """
        goes_by_all = self.parser is None or self.parser.needs_tags
        if goes_by_all and tags == "auto":
            tags = "given"
        how = {
            name: value for name, value in (parsing or {}).items() if name in ("beam", "search", "grammar")
        }

        def parsed(words: Treebank) -> Treebank:
            return self.parser_of_own_tags.parse(words, tagger=self.tagger, threads=threads, **how)

        may_retag = self._may_retag and how.get("grammar", True)
        own = tagged(treebank, self.tagger, tags, threads=threads, parsed=parsed if may_retag else None)
        return Tagged(own.treebank, np.ones_like(own.shown)) if goes_by_all else own

    def for_parser(self, treebank: Treebank, tags: Tags = "new", *, threads: int = 1) -> Treebank:
        """The treebank as the parser gets it: with the tagger's tags, or with none if it can do without."""
        if tags == "new" and self.tagger is not None and not (self.parser is None or self.parser.needs_tags):
            return treebank.without(*COLUMNS)
        return self.tagged(treebank, tags, threads=threads).for_parser

    def lacks_tags(self, treebank: Treebank) -> bool:
        """Whether no word has any of the tags that the tagger gives."""
        return self.tagger is None or not any(map(treebank.has, self.tagger.info.columns))

    def update(
        self,
        sentences: Treebank | PathLike | Sentence | Iterable[Sentence],
        *,
        replay: Treebank | PathLike | None = None,
        test: Treebank | PathLike | None = None,
        options: UpdateOptions | None = None,
        threads: int = 1,
        **changes: Any,
    ) -> Pipeline:
        """A pipeline that has learnt from corrected sentences as well; this one stays as it is.

        Tags, features, lemmas and trees are learnt, as far as sentences have them. A network that the tagger
        and the parser share stays one. `replay` is the treebank that the pipeline was trained on, of which
        some sentences are learnt again; with a `test` set, probabilities that were calibrated are fitted
        again to its trees. Options as of `UpdateOptions`, whole or one by one. `PipelineUpdate` also tells
        what was won and lost.
        """
        from arcwise.pipeline_updating import PipelineUpdate
        from arcwise.updating import UpdateOptions

        if options is not None and changes:
            raise OptionError("Give the options whole or one by one, not both.")
        options = options or UpdateOptions(**changes)
        return PipelineUpdate(
            self, sentences, replay=replay, test=test, options=options, threads=threads
        ).finish()

    def stream(self, file: PathLike | BinaryIO, *, jobs: int = 1, **segmenting: Any) -> Iterator[Treebank]:
        """Annotates a text file of any size in parts, in order, `jobs` at a time; as `Segmenter.stream`."""
        parts = self.demand("segmenter").stream(file, **segmenting)
        return in_order(parts, lambda part: self.parse(part, tags="new"), jobs)

    def annotated(
        self, gold: Treebank, start: Start | None = None, *, threads: int = 1, **parsing: Any
    ) -> Treebank:
        """What the pipeline makes of a treebank's `text`, of its `tokens`, or of its `tags` too.

        By default it starts from tokens if it has a tagger, otherwise from tags.
        """
        start = start or ("tokens" if self.tagger is not None else "tags")
        if start not in STARTS:
            raise OptionError(f"A pipeline starts from {', '.join(STARTS)}, not from '{start}'.")
        if start == "text":
            gold = self.demand("segmenter").segment(rebuild(gold), source=gold.source)
        return self.parse(gold, tags="given" if start == "tags" else "new", threads=threads, **parsing)

    def evaluate(
        self, gold: Treebank | PathLike, *, start: Start | None = None, threads: int = 1, **parsing: Any
    ) -> Evaluation:
        """Compares trees with those of a treebank that has the same words; `start` as of `annotated`."""
        treebank = as_treebank(gold)
        if start == "text":
            raise OptionError("Raw text has words of its own: compare them with evaluate_text.")
        from arcwise.evaluation import evaluate, tags_used

        system = self.annotated(treebank, start, threads=threads, **parsing)
        return evaluate(treebank, system, name=repr(self), tags=tags_used(self, treebank, start))

    def evaluate_text(self, gold: Treebank | PathLike, *, threads: int = 1, **parsing: Any) -> Conll18Scores:
        """Finds everything in the raw text of a treebank, and scores it as in the CoNLL 2018 shared task."""
        treebank = as_treebank(gold)
        system = self.annotated(treebank, "text", threads=threads, **parsing)
        from arcwise.evaluation import conll18_scores

        return conll18_scores(treebank.to_string(), system.to_string(), gold_source=treebank.source)

    def with_parser(self, parser: Parser) -> Pipeline:
        """The same pipeline with another parser."""
        return Pipeline(self.segmenter, self.tagger, parser, self.about)

    def demand(self, component: str) -> Any:
        """A component, which must be there."""
        found = getattr(self, component)
        if found is None:
            raise OptionError(f"This model has no {component}. {_WITHOUT[component]}")
        return found

    def refuse_without_parser(self, options: Iterable[str]) -> None:
        """Refuses options of parsing, given by their names, if there is no parser to take them."""
        names = ", ".join(options)
        if names and self.parser is None:
            raise OptionError(f"This model has no parser that could be told {names}. {_WITHOUT['parser']}")

    def components(self) -> dict[str, Any]:
        """Those that it has, by name."""
        own = {name: getattr(self, name) for name in COMPONENTS}
        return {name: part for name, part in own.items() if part is not None}

    @property
    def shares_a_network(self) -> bool:
        """Whether the tagger and the parser look at words with one and the same network."""
        return self._shared_encoder is not None

    @property
    def _shared_encoder(self) -> Encoder | None:
        """What the tagger and the parser look at words with, if it is one and the same."""
        if self.tagger is None or self.parser is None or self.tagger.encoder is not self.parser.encoder:
            return None
        return self.tagger.encoder

    def to_component(self) -> Component:
        """The pipeline as a model file has it; one component of which nothing is said is that component."""
        own: dict[str, Component] = {n: part.to_component() for n, part in self.components().items()}
        if not own:
            raise OptionError("There is nothing in this pipeline to write.")
        if len(own) == 1 and not self.about:
            return next(iter(own.values()))
        shared = self._shared_encoder
        if shared is not None:
            for name in ("tagger", "parser"):
                arrays = {n: a for n, a in own[name].arrays.items() if n not in shared.arrays}
                own[name] = Component(name, {**own[name].header, ENCODER: ENCODER}, arrays)
            own[ENCODER] = shared.to_component()
        joined = Component.joined(PIPELINE, own)
        return Component(PIPELINE, {**joined.header, "about": dict(self.about)}, joined.arrays)

    @classmethod
    def load(cls, path: PathLike, *, system: System | type[AsDescribed] | None = None) -> Pipeline:
        """Opens a model file. All of it is checked.

        A parser whose transition system is written in Python needs that `system`, which is not in the file.
        """
        return cls._load(path, system=system)

    @classmethod
    def from_component(
        cls, component: Component, system: System | type[AsDescribed] | None = None
    ) -> Pipeline:
        """What `to_component` gave; a parser, a tagger or a segmenter by itself is a pipeline too."""
        given = {"parser": {"system": system}}
        if component.kind in _KINDS:
            own = _KINDS[component.kind].from_component(component, **given.get(component.kind, {}))
            return cls(**{component.kind: own})
        parts = component.parts()
        about = component.header.get("about", {})
        encoders = {n: Encoder.from_component(part) for n, part in parts.items() if part.kind == ENCODER}
        held = {name: part for name, part in parts.items() if name not in encoders}
        if not held or not set(held) <= set(COMPONENTS) or not isinstance(about, dict):
            raise ModelError("The pipeline is damaged: get the file again, or train the model again.")
        parts_of = {}
        for name, part in held.items():
            shared = {} if encoder_of(part, parts) is None else {ENCODER: encoders[part.header[ENCODER]]}
            parts_of[name] = _KINDS[name].from_component(part, **shared, **given.get(name, {}))
        return cls(**parts_of, about=about)

    @property
    def _given(self) -> dict[str, Any]:
        """The transition system of the parser, if it is written in Python."""
        return {} if self.parser is None else self.parser._given

    def _come_from(self, origin: Origin | None) -> Pipeline:
        """Remembers the file that it is in, with its components."""
        for component in self.components().values():
            component._come_from(origin)
        return super()._come_from(origin)

    def _called(self, name: str) -> Pipeline:
        """Remembers the name that it was asked for by."""
        return self._come_from(None if self._origin is None else replace(self._origin, name=name))

    def __repr__(self) -> str:
        return f"<Pipeline: {', '.join(self.components())}>"


def chosen_components(treebank: Treebank, wanted: Sequence[str] | None) -> list[str]:
    """The components to be trained: those that are named, or all that the treebank has the data for."""
    unknown = [name for name in wanted or () if name not in COMPONENTS]
    if unknown:
        raise OptionError(f"There is no component called {unknown[0]}: choose from {', '.join(COMPONENTS)}.")
    has = {
        "segmenter": treebank.format == "conllu",
        "tagger": any(set(treebank.column(name)) - {"_"} for name in ("upos", "xpos", "feats")),
        "parser": bool((treebank.heads >= 0).any()),
    }
    if wanted is None:
        return [name for name in COMPONENTS if has[name]]
    for name in wanted:
        if not has[name]:
            raise OptionError(f"{treebank.source} has nothing that a {name} could learn from: leave it out.")
    return [name for name in COMPONENTS if name in wanted]


def _for_each(with_tags: Tagged, parsing: dict[str, Any]) -> dict[str, Any]:
    """Options with the constraints of each sentence, whose function may look at tags that no parser sees."""
    given = parsing.get("constraints")
    if not callable(given):
        return parsing
    return {**parsing, "constraints": [given(sentence) for sentence in with_tags.treebank]}
