"""INCEpTION's external recommender protocol: documents as UIMA CAS in, predictions out.

INCEpTION posts a type system, a document as XMI, and the layer and the feature that it wants predicted. What
comes back is the document with predictions: relations from `Governor` to `Dependent` with a label and a
score, tags, lemmas or features. The root of a tree is a relation from a word to itself, as DKPro has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arcwise.annotate.lines import Block
from arcwise.annotate.refusals import RefusedEditError
from arcwise.annotate.teaching import Lesson
from arcwise.errors import ArcwiseError, OptionError
from arcwise.pipeline import Pipeline
from arcwise.sentence import NO_VALUE, Token
from arcwise.treebank import Treebank

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
SENTENCE = _DKPRO + "segmentation.type.Sentence"
TOKEN = _DKPRO + "segmentation.type.Token"
LEMMA = _DKPRO + "segmentation.type.Lemma"
POS = _DKPRO + "lexmorph.type.pos.POS"
MORPHOLOGY = _DKPRO + "lexmorph.type.morph.MorphologicalFeatures"
DEPENDENCY = _DKPRO + "syntax.type.dependency.Dependency"
IS_PREDICTION = "inception_internal_predicted"
GOVERNOR, DEPENDENT = "Governor", "Dependent"
MOST_WORDS = 1000
"""Of a sentence; longer ones get no predictions."""


class _Cas(Protocol):
    """What is used of `cassis.Cas`."""

    typesystem: Any

    def select(self, type_: Any) -> Any: ...
    def select_covered(self, type_: Any, covering: Any) -> Any: ...
    def add(self, annotation: Any) -> None: ...
    def to_xmi(self) -> Any: ...


@dataclass(frozen=True)
class Prediction:
    """A request for predictions."""

    cas: _Cas
    layer: str
    feature: str
    project: str


@dataclass(frozen=True)
class Training:
    """A request to learn from documents."""

    documents: list[_Cas]
    layer: str
    feature: str
    project: str


def cassis() -> Any:
    """The library, if it is installed."""
    try:
        import cassis
    except ModuleNotFoundError:
        raise OptionError(
            "INCEpTION's documents need dkpro-cassis, which is missing: pip install 'arcwise[inception]'."
        ) from None
    return cassis


def prediction(body: Any) -> Prediction:
    """A request to `/NAME/predict`, read."""
    metadata, typesystem = _about(body)
    document = _mapping(body, "document")
    return Prediction(_cas(_text(document, "xmi"), typesystem), *metadata)


def training(body: Any) -> Training:
    """A request to `/NAME/train`, read."""
    metadata, typesystem = _about(body)
    documents = body.get("documents")
    if not isinstance(documents, list) or not all(isinstance(one, Mapping) for one in documents):
        raise RefusedEditError("value", "“documents” must be a list of documents with “xmi”.")
    return Training([_cas(_text(one, "xmi"), typesystem) for one in documents], *metadata)


def _about(body: Any) -> tuple[tuple[str, str, str], Any]:
    if not isinstance(body, Mapping):
        raise RefusedEditError("value", "The body must be an object with “metadata” and “typeSystem”.")
    metadata = _mapping(body, "metadata")
    layer, feature = _text(metadata, "layer"), _text(metadata, "feature")
    text = _text(body, "typeSystem")
    _refuse_doctype(text)
    try:
        typesystem = cassis().load_typesystem(text)
        typesystem.get_type(layer)
    except ArcwiseError:
        raise
    except Exception as error:
        raise RefusedEditError(
            "value", f"The type system cannot be read, or lacks {layer}: {error}"
        ) from None
    return (layer, feature, str(metadata.get("projectId"))), typesystem


def _mapping(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if not isinstance(value, Mapping):
        raise RefusedEditError("value", f"“{name}” must be an object.")
    return value


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise RefusedEditError("value", f"“{name}” must be a text.")
    return value


def _refuse_doctype(xml: str) -> None:
    """Entities can be made to fill the memory, or to read files: neither document has any use for them."""
    if "<!DOCTYPE" in xml or "<!ENTITY" in xml:
        raise RefusedEditError("value", "XML with a document type or entities is not read.")


def _cas(xmi: str, typesystem: Any) -> _Cas:
    _refuse_doctype(xmi)
    try:
        made: _Cas = cassis().load_cas_from_xmi(xmi, typesystem=typesystem)
    except ArcwiseError:
        raise
    except Exception as error:
        raise RefusedEditError("value", f"The document cannot be read: {error}") from None
    return made


# --- predicting --------------------------------------------------------------------------------------------


def predict(asked: Prediction, pipeline: Pipeline) -> str:
    """The document with predictions for the layer, as XMI."""
    kind = asked.cas.typesystem.get_type(asked.layer)
    features = {feature.name for feature in kind.all_features}
    if asked.feature not in features:
        raise RefusedEditError("value", f"{asked.layer} has no feature {asked.feature}.")
    is_relation = {GOVERNOR, DEPENDENT} <= features
    if not is_relation and asked.layer not in (POS, LEMMA, MORPHOLOGY):
        raise RefusedEditError(
            "value",
            f"arcwise predicts relations with {GOVERNOR} and {DEPENDENT}, {POS}, {LEMMA} and {MORPHOLOGY}, "
            f"not {asked.layer}.",
        )
    sentences = [tokens for tokens in _sentences(asked.cas) if len(tokens) <= MOST_WORDS]
    if not sentences:
        return str(asked.cas.to_xmi())
    pipeline.demand("parser" if is_relation else "tagger")
    forms = [[form for _, form in tokens] for tokens in sentences]
    treebank = Treebank.from_words(forms, source="the document")
    probable = is_relation and pipeline.parser is not None and pipeline.parser.info.learner.probabilistic
    how: dict[str, Any] = {"probabilities": "moves"} if probable else {}
    if is_relation:
        parsed = pipeline.parse(treebank, tags="new", **how)
    else:
        parsed = pipeline.demand("tagger").tag(treebank)
    for tokens, sentence in zip(sentences, parsed, strict=True):
        annotations = [annotation for annotation, _ in tokens]
        for own, word in zip(annotations, sentence, strict=True):
            fields: dict[str, Any] = {"begin": own.begin, "end": own.end}
            if is_relation:
                value, score = word.deprel, word.deprel_prob
                head = own if not word.head else annotations[word.head - 1]
                fields |= {GOVERNOR: head, DEPENDENT: own}
                fields |= {"flavor": "basic"} if "flavor" in features else {}
            else:
                value, score = _value(asked.layer, asked.feature, word), None
            if value in (None, NO_VALUE):
                continue
            fields[asked.feature] = value
            if IS_PREDICTION in features:
                fields[IS_PREDICTION] = True
            if score is not None and f"{asked.feature}_score" in features:
                fields[f"{asked.feature}_score"] = round(float(score), 4)
            asked.cas.add(kind(**fields))
    return str(asked.cas.to_xmi())


def _value(layer: str, feature: str, word: Token) -> str:
    if layer == LEMMA:
        return word.lemma
    if layer == MORPHOLOGY:
        return word.feats
    return word.xpos if feature == "PosValue" and word.xpos != NO_VALUE else word.upos


def _sentences(cas: _Cas) -> Iterator[list[tuple[Any, str]]]:
    """Sentence by sentence the tokens, with their forms."""
    for sentence in cas.select(SENTENCE):
        tokens = sorted(cas.select_covered(TOKEN, sentence), key=lambda token: (token.begin, token.end))
        found = [(token, " ".join(token.get_covered_text().split())) for token in tokens]
        found = [(token, form) for token, form in found if form]
        if found:
            yield found


# --- learning ----------------------------------------------------------------------------------------------


def lessons(asked: Training) -> list[Lesson]:
    """The sentences of documents of which somebody has annotated every word."""
    found: list[Lesson] = []
    for cas in asked.documents:
        arcs = _arcs(cas, asked.layer, asked.feature)
        tags, lemmas = _values(cas, POS), _values(cas, LEMMA)
        features = _values(cas, MORPHOLOGY)
        for tokens in _sentences(cas):
            block = _block(tokens, arcs, tags, lemmas, features)
            if block is not None:
                found.append(Lesson(block))
    return found


Span = tuple[int, int]


def _arcs(cas: _Cas, layer: str, feature: str) -> dict[Span, tuple[Span, str]]:
    """Of each dependent, where its head stands and the label; none of enhanced dependencies."""
    found: dict[Span, tuple[Span, str]] = {}
    kind = cas.typesystem.get_type(layer)
    if not {GOVERNOR, DEPENDENT} <= {one.name for one in kind.all_features}:
        return found
    for arc in cas.select(layer):
        head, word = getattr(arc, GOVERNOR), getattr(arc, DEPENDENT)
        label = getattr(arc, feature, None)
        if head is None or word is None or not label or getattr(arc, "flavor", None) not in (None, "basic"):
            continue
        if not getattr(arc, IS_PREDICTION, None):
            found[word.begin, word.end] = (head.begin, head.end), str(label)
    return found


def _values(cas: _Cas, layer: str) -> dict[Span, Any]:
    try:
        cas.typesystem.get_type(layer)
    except Exception:
        return {}
    return {(one.begin, one.end): one for one in cas.select(layer) if not getattr(one, IS_PREDICTION, None)}


def _block(
    tokens: Sequence[tuple[Any, str]],
    arcs: Mapping[Span, tuple[Span, str]],
    tags: Mapping[Span, Any],
    lemmas: Mapping[Span, Any],
    features: Mapping[Span, Any],
) -> Block | None:
    """A sentence as CoNLL-U has it, or None if a word has no head."""
    numbers = {(token.begin, token.end): number for number, (token, _) in enumerate(tokens, 1)}
    rows = []
    for span, (_, form) in zip(numbers, tokens, strict=True):
        if span not in arcs or arcs[span][0] not in numbers:
            return None
        head, label = arcs[span]
        number = "0" if head == span else str(numbers[head])
        tag, lemma, morphology = tags.get(span), lemmas.get(span), features.get(span)
        row = [
            str(numbers[span]),
            form,
            _column(lemma, "value"),
            _column(tag, "coarseValue"),
            _column(tag, "PosValue"),
            _column(morphology, "value"),
            number,
            label,
            NO_VALUE,
            NO_VALUE,
        ]
        rows.append("\t".join(row))
    try:
        block = Block.from_bytes(("\n".join(rows) + "\n\n").encode())
        block.treebank()[0].check()
    except ArcwiseError:
        return None
    heads = np.array([int(row[6]) for row in block.words])
    return block if np.count_nonzero(heads == 0) == 1 else None


def _column(annotation: Any, feature: str) -> str:
    value = None if annotation is None else getattr(annotation, feature, None)
    text = "" if value is None else " ".join(str(value).split())
    return text or NO_VALUE
