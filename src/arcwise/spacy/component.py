"""arcwise as a component of spaCy's pipelines, and as the whole of one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.attrs import IDX, ORTH, SENT_START, SPACY
from spacy.language import Language
from spacy.tokens import Doc

from arcwise.errors import OptionError
from arcwise.given_tags import Tags
from arcwise.pipeline import Pipeline
from arcwise.segmenter import EncodedText
from arcwise.spacy.filling import fill
from arcwise.spacy.models import HeldModel, Serialized
from arcwise.spacy.tokenizer import Tokenizer
from arcwise.spacy.tokens import Read, Tokenized, take_read
from arcwise.treebank import Treebank

SentenceSource: TypeAlias = Literal["auto", "given", "learnt"]
_SOURCES = ("auto", "given", "learnt")
_CHARACTERS_AT_ONCE = 50_000
_ODD = re.compile(r"[\s\0\ud800-\udfff]")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")

ASSIGNS = [
    "doc.sents",
    "token.dep",
    "token.head",
    "token.is_sent_start",
    "token.lemma",
    "token.morph",
    "token.pos",
    "token.tag",
]
DEFAULTS: dict[str, Any] = {
    "model": "en",
    "sentences": "auto",
    "probabilities": None,
    "embed": False,
    "parsing": {},
}


def make_component(
    nlp: Language,
    name: str,
    model: str,
    sentences: str,
    probabilities: str | None,
    embed: bool,
    parsing: dict[str, Any],
) -> Component:
    """What `nlp.add_pipe("arcwise", config={…})` makes: settings as of `Component`."""
    return Component(
        model,
        name=name,
        sentences=sentences,  # type: ignore[arg-type]
        probabilities=probabilities,
        embed=embed,
        parsing=parsing,
    )


Language.factory("arcwise", default_config=DEFAULTS, assigns=ASSIGNS, func=make_component)


class Component(Serialized):
    """Gives spaCy's tokens heads, labels, tags, morphology, lemmas and sentences.

    Args:
        model: The name or the file of a model, or a `Pipeline`.
        name: What spaCy calls the component.
        sentences: Where sentences come from: `given` by the tokenizer or a component before, `learnt` by the
            model's segmenter, or `auto`: given ones if there are any.
        probabilities: `moves` or `samples`: `Token._.head_prob` and `Token._.deprel_prob` are filled in.
        embed: Whether `nlp.to_disk` and `nlp.to_bytes` store the model and not its name.
        parsing: Other options of `Parser.parse`, such as `{"beam": 8}`.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Pipeline = "en",
        *,
        name: str = "arcwise",
        sentences: SentenceSource = "auto",
        probabilities: str | None = None,
        embed: bool = False,
        parsing: dict[str, Any] | None = None,
    ) -> None:
        if sentences not in _SOURCES:
            raise OptionError(f"Sentences are {', '.join(_SOURCES)} (sentences), not {sentences!r}.")
        self.name = name
        self.held = HeldModel(model, embed=embed)
        self.sentences = sentences
        self.probabilities = probabilities
        self.parsing = dict(parsing or {})
        self._handle_error: Callable[[str, Any, list[Doc], Exception], Any] = _raise

    @property
    def pipeline(self) -> Pipeline:
        """The model."""
        return self.held.pipeline

    def __call__(self, doc: Doc) -> Doc:
        """Annotates a document."""
        self._annotate([doc])
        return doc

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 1000) -> Iterator[Doc]:
        """Annotates documents as they come, some thousand words at a time."""
        for batch in _batches(docs, batch_size):
            try:
                self._annotate(batch)
                yield from batch
            except Exception as error:
                yield from self._one_by_one(batch, error)

    def set_error_handler(self, handler: Callable[[str, Any, list[Doc], Exception], Any]) -> None:
        """What is done about documents that cannot be annotated, as spaCy tells its components."""
        self._handle_error = handler

    def _one_by_one(self, docs: Sequence[Doc], error: Exception) -> Iterator[Doc]:
        """Documents of which one was at fault."""
        for doc in docs:
            try:
                if len(docs) == 1:
                    raise error
                self._annotate([doc])
            except Exception as own:
                self._handle_error(self.name, self, [doc], own)
            else:
                yield doc

    def _annotate(self, docs: Sequence[Doc]) -> None:
        pipeline = self.pipeline
        read = self._read(docs)
        treebank = Treebank.concat([part.treebank for part in read])
        if pipeline.parser is None:
            asked = {"probabilities": self.probabilities, **self.parsing}
            pipeline.refuse_without_parser(name for name, value in asked.items() if value is not None)
            done = pipeline.parse(treebank, tags="new")
        else:
            tags: Tags = "new" if pipeline.tagger is not None else "auto"
            done = pipeline.parse(treebank, tags=tags, probabilities=self.probabilities, **self.parsing)
        fill(
            [Tokenized(doc, part.words) for doc, part in zip(docs, read, strict=True)],
            done,
            trees=pipeline.parser is not None,
            probabilities=self.probabilities is not None,
        )

    def _read(self, docs: Sequence[Doc]) -> list[Read]:
        """The words and sentences of documents."""
        found = {number: read for number, doc in enumerate(docs) if (read := take_read(doc)) is not None}
        if self.sentences == "learnt":
            found = {}
        left = [number for number in range(len(docs)) if number not in found]
        starts = self._sentence_starts([docs[number] for number in left])
        found.update((number, _read(docs[number], own)) for number, own in zip(left, starts, strict=True))
        return [found[number] for number in range(len(docs))]

    def _sentence_starts(self, docs: Sequence[Doc]) -> list[set[int]]:
        """The tokens that sentences start with; the first one always does."""
        starts = [_given_starts(doc) if self.sentences != "learnt" else None for doc in docs]
        unknown = [number for number, given in enumerate(starts) if given is None and len(docs[number])]
        if unknown and self.sentences != "given":
            for number, learnt in zip(unknown, self._learnt_starts([docs[n] for n in unknown]), strict=True):
                starts[number] = learnt
        return [known or set() for known in starts]

    def _learnt_starts(self, docs: Sequence[Doc]) -> Iterator[set[int]]:
        segmenter = self.pipeline.demand("segmenter")
        texts = [EncodedText.of(_text(doc), "replace", "<spaCy>") for doc in docs]
        treebank, ends = segmenter.segment_all(texts)
        begin = 0
        for doc, end in zip(docs, ends, strict=True):
            part = treebank[begin:end]
            spans = part.spans
            characters = [spans[first][0] for first in part.first_words[:-1].tolist()]
            # A sentence that begins within a token begins with the next one.
            yield set(np.searchsorted(_token_starts(doc), characters).tolist())
            begin = end


def _read(doc: Doc, starts: set[int]) -> Read:
    """White space is no word; white space within a word is a space."""
    texts = _token_texts(doc)
    words = [number for number, text in enumerate(texts) if not (text.isspace() or not text)]
    if len(words) < len(texts):
        texts = [texts[number] for number in words]
    if _ODD.search("".join(texts)):
        texts = [_form(text) for text in texts]
    # A sentence that starts with white space starts with the word after it.
    places = np.searchsorted(np.asarray(words, np.int64), sorted(starts)).tolist()
    begins = {0, *places} - {len(words)}
    lines: list[str] = []
    first = 0
    for place, text in enumerate(texts):
        if place in begins:
            first = place - 1
            if place:
                lines.append("")
        lines.append(f"{place - first}\t{text}\t_\t_\t_\t_\t_\t_\t_\t_")
    conllu = "\n".join(lines) + "\n\n" if lines else ""
    treebank = Treebank.from_string(conllu, check_trees=False, source="<spaCy>")
    return Read(treebank, np.asarray(words, np.int64))


def _token_starts(doc: Doc) -> NDArray[np.int64]:
    starts: NDArray[np.int64] = doc.to_array(IDX).astype(np.int64)
    return starts


def _token_texts(doc: Doc) -> list[str]:
    """What `[token.text for token in doc]` gives, without an object for each."""
    strings = doc.vocab.strings
    return [strings[number] for number in doc.to_array(ORTH).tolist()]


def _text(doc: Doc) -> str:
    """What `doc.text` gives, likewise."""
    spaces = doc.to_array(SPACY).tolist()
    return "".join([t + " " if space else t for t, space in zip(_token_texts(doc), spaces, strict=True)])


def _form(text: str) -> str:
    return " ".join(_NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text).split()) or "\N{REPLACEMENT CHARACTER}"


def _given_starts(doc: Doc) -> set[int] | None:
    if not doc.has_annotation("SENT_START"):
        return None
    return set(np.flatnonzero(doc.to_array(SENT_START) == 1).tolist())


def _batches(docs: Iterable[Doc], batch_size: int) -> Iterator[list[Doc]]:
    batch: list[Doc] = []
    characters = 0
    for doc in docs:
        batch.append(doc)
        characters += 5 * len(doc)
        if characters >= _CHARACTERS_AT_ONCE or len(batch) >= batch_size:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _raise(name: str, component: Any, docs: list[Doc], error: Exception) -> Any:
    raise error


def pipeline(
    model: str | os.PathLike[str] | Pipeline = "en", *, language: str | None = None, **settings: Any
) -> Language:
    """A whole pipeline of spaCy's: arcwise's segmenter as tokenizer, and the component `arcwise`.

    `language` is spaCy's class of the language, which knows stop words and the like: by default what the
    model's name says (`en`, `en-fast`), otherwise the multi-language one, `xx`. Settings as of `Component`.
    """
    held = HeldModel(model, embed=bool(settings.get("embed", False)))
    tokenizer = {"@tokenizers": "arcwise.Tokenizer.v1", "model": held.name, "embed": held.embed}
    nlp = spacy.blank(language or _language_of(held.name), config={"nlp": {"tokenizer": tokenizer}})
    component = nlp.add_pipe("arcwise", config={"model": held.name, **settings})
    if isinstance(model, Pipeline):
        component.held = held
        nlp.tokenizer = Tokenizer(nlp.vocab, model, embed=held.embed)
    return nlp


def _language_of(name: str) -> str:
    code = re.split(r"[-_.]", os.path.basename(name))[0].lower()  # noqa: PTH119
    known = re.fullmatch("[a-z]{2,3}", code)
    try:
        spacy.util.get_lang_class(code if known else "xx")
    except ImportError:
        return "xx"
    return code if known else "xx"
