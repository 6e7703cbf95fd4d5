"""What `/api/v1` makes of text: trees, tags, sentences, best trees, marginals; in steps, each a part of it.

Every function here runs in a thread, holds no lock for long, and gives chunks of an answer in its order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

from arcwise import _core
from arcwise.document import Document
from arcwise.errors import ArcwiseError, ConstraintError
from arcwise.given_tags import Tags
from arcwise.json_output import candidates_to_json
from arcwise.nbest_output import ranked_trees, to_bytes
from arcwise.parser import Candidate
from arcwise.pipeline import Pipeline
from arcwise.segmenter import EncodedText
from arcwise.serve import requests
from arcwise.serve.drawing import Drawing
from arcwise.serve.requests import RequestError
from arcwise.text import Cursor, rebuild
from arcwise.treebank import Treebank

BYTES_OF_A_PART = 16_000
WORDS_OF_A_PART = 3000
"""How much is done in a step: some tens of milliseconds of work."""
SMALL = 4000
"""Characters of a text that is parsed together with others."""
MOST_DRAWN = 5000
"""Words of an answer with pictures."""
NDJSON, CONLLU, JSON = "application/x-ndjson", "text/x-conllu", "application/json"

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Chunk(NamedTuple):
    """A piece of an answer."""

    data: bytes
    words: int = 0
    sentences: int = 0


class Limits(NamedTuple):
    """Words of a sentence, and of an answer that is not streamed."""

    sentence: int
    answer: int


@dataclass(frozen=True)
class Asked:
    """A request, the model that it names, and how the answer is to look."""

    request: Any
    name: str
    pipeline: Pipeline
    media: str
    limits: Limits

    @property
    def is_streamed(self) -> bool:
        return self.media != JSON

    @property
    def tags(self) -> Tags:
        tags: Tags = "new" if getattr(self.request, "text", None) is not None else self.request.tags
        if self.request.tags == "new":
            self.pipeline.demand("tagger")
        return tags


def with_last(items: Iterable[Treebank]) -> Iterator[tuple[Treebank, bool]]:
    """Items, and whether each is the last; at least one."""
    found = iter(items)
    one = next(found, None)
    if one is None:
        yield Treebank.from_string(""), True
        return
    for following in found:
        yield one, False
        one = following
    yield one, True


def parts_of(asked: Asked) -> Iterator[Treebank]:
    """The sentences of a request, a part at a time."""
    request, words = asked.request, 0
    for part in _parts(request, asked.pipeline, asked.limits.sentence):
        words += part.word_count
        if words > asked.limits.answer and not asked.is_streamed:
            raise RequestError(
                f"An answer has at most {asked.limits.answer:,} words: send less at a time, or have the "
                f"answer streamed with 'Accept: {NDJSON}'.",
                413,
            )
        yield part


def _parts(request: Any, pipeline: Pipeline, max_words: int) -> Iterator[Treebank]:
    if (text := getattr(request, "text", None)) is not None:
        lines = getattr(request, "lines", False)
        yield from segmented(pipeline, text, max_words, sentences="lines" if lines else "learnt")
    elif request.conllu is not None:
        yield from cut(
            Treebank.from_string(request.conllu, check_trees=False, max_words=max_words, source="conllu")
        )
    else:
        longest = max(map(len, request.sentences), default=0)
        if longest > max_words:
            raise RequestError(f"A sentence has at most {max_words:,} words, not {longest:,}: cut it.", 413)
        yield from cut(Treebank.from_words(request.sentences, source="sentences"))


def segmented(pipeline: Pipeline, text: str, max_words: int, **how: Any) -> Iterator[Treebank]:
    """The sentences of raw text, a part at a time."""
    segmenter = pipeline.demand("segmenter")
    encoded = EncodedText.of(text, "strict", "the text")
    if encoded.mark:
        yield segmenter.segment(text, max_words=max_words, source="the text", **how)
        return
    stream = BytesIO(encoded.data)
    yield from segmenter.stream(stream, batch_bytes=BYTES_OF_A_PART, max_words=max_words, **how)


def cut(treebank: Treebank) -> Iterator[Treebank]:
    """Parts of some thousand words."""
    begin = 0
    firsts = treebank.first_words
    while begin < len(treebank):
        end = int(firsts.searchsorted(firsts[begin] + WORDS_OF_A_PART))
        end = min(max(end, begin + 1), len(treebank))
        yield treebank if begin == 0 and end == len(treebank) else treebank[begin:end]
        begin = end


def parse(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/parse`."""
    request: requests.Parse = asked.request
    asked.pipeline.demand("parser")
    drawing = None if request.drawing is None else Drawing.from_json(request.drawing)
    if drawing is not None and asked.is_streamed:
        raise RequestError("Pictures are not streamed: leave “drawing” out, or ask for application/json.")
    how = _how(request)
    tags = asked.tags
    answer = _Sentences(asked)
    drawn: list[str] = []
    words = 0
    for part, constraints, is_last in _constrained(asked):
        done = asked.pipeline.parse(part, tags=tags, constraints=constraints, **how)
        if drawing is not None:
            words += part.word_count
            drawn += pictures(drawing, done, words)
        more = {} if drawing is None else {"drawings": drawn}
        yield answer.chunk(done, is_last, **more)


def _how(request: requests.Parse) -> dict[str, Any]:
    """Options of parsing."""
    estimator = "moves" if request.probabilities is True else request.probabilities or None
    return {
        "beam": None if request.beam is None else int(request.beam),
        "grammar": request.grammar,
        "probabilities": estimator,
        "samples": int(request.samples),
    }


def pictures(drawing: Drawing, treebank: Treebank, words: int) -> list[str]:
    """The JSON of pictures, unless these are too many words."""
    if words > MOST_DRAWN:
        raise RequestError(
            f"Pictures are for at most {MOST_DRAWN:,} words: send less, or leave “drawing” out.", 413
        )
    return [_encode(picture.to_json()) for picture in drawing.all(Document(treebank))]


def _constrained(asked: Asked) -> Iterator[tuple[Treebank, Any, bool]]:
    """The parts of a request, their constraints, and whether each is the last."""
    given = requests.constraints_of(asked.request.constraints)
    if given is None or callable(given):
        if given is not None and asked.request.conllu is None:
            raise RequestError("Constraints of MISC or trees are those of CoNLL-U: send “conllu”, or a list.")
        for part, is_last in with_last(parts_of(asked)):
            yield part, given, is_last
        return
    whole = list(parts_of(asked))
    sentences = sum(map(len, whole))
    if len(given) != sentences:
        raise ConstraintError(
            f"There are constraints for {len(given)} sentences, but the model sees {sentences}; give one "
            "each, null for a sentence that has none."
        )
    begin = 0
    for part, is_last in with_last(whole):
        yield part, given[begin : begin + len(part)], is_last
        begin += len(part)


def small(asked: Asked) -> tuple[Any, ...] | None:
    """What a small text has in common with those that it can be parsed with, or None."""
    r = asked.request
    if not isinstance(r, requests.Parse) or r.text is None or len(r.text) > SMALL or asked.is_streamed:
        return None
    if r.constraints is not None or asked.pipeline.segmenter is None or asked.pipeline.parser is None:
        return None
    return (asked.name, r.tags, *_how(r).items())


def parse_together(several: list[Asked]) -> list[Chunk | Exception]:
    """The answers to small texts of one kind; as if each were parsed alone."""
    made: dict[int, Chunk | Exception] = {}
    readable: list[tuple[int, EncodedText]] = []
    for number, asked in enumerate(several):
        try:
            readable.append((number, EncodedText.of(asked.request.text, "strict", "the text")))
        except ArcwiseError as error:
            made[number] = error
    with suppress(ArcwiseError):  # of which text, each will tell
        made |= _parsed_together(several, readable) if len(readable) > 1 else {}
    for number, asked in enumerate(several):
        if number not in made:
            try:
                made[number] = joined(parse(asked))
            except Exception as error:
                made[number] = error
    return [made[number] for number in range(len(several))]


def _parsed_together(
    several: list[Asked], readable: list[tuple[int, EncodedText]]
) -> dict[int, Chunk | Exception]:
    first = several[0]
    treebank, ends = first.pipeline.demand("segmenter").segment_all([encoded for _, encoded in readable])
    done = first.pipeline.parse(treebank, tags="new", **_how(first.request))
    made: dict[int, Chunk | Exception] = {}
    for (number, _), begin, end in zip(readable, [0, *ends], ends, strict=False):
        asked, part = several[number], done[begin:end]
        if max(map(len, part), default=0) > asked.limits.sentence or part.word_count > asked.limits.answer:
            continue  # is cut, if it is alone
        try:
            more = {}
            if (given := asked.request.drawing) is not None:
                more["drawings"] = pictures(Drawing.from_json(given), part, part.word_count)
            made[number] = _Sentences(asked).chunk(part, True, **more)
        except ArcwiseError as error:
            made[number] = error
    return made


def tag(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/tag`."""
    tagger = asked.pipeline.demand("tagger")
    answer, tags = _Sentences(asked), asked.tags
    from arcwise.given_tags import tagged

    for part, is_last in with_last(parts_of(asked)):
        yield answer.chunk(tagged(part, tagger, tags).treebank, is_last)


def segment(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/segment`."""
    answer = _Sentences(asked)
    for part, is_last in with_last(parts_of(asked)):
        yield answer.chunk(part, is_last)


def nbest(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/nbest`."""
    request: requests.Nbest = asked.request
    parser, tags = asked.pipeline.demand("parser"), asked.tags
    drawing = None if request.drawing is None else Drawing.from_json(request.drawing)
    probabilistic = parser.info.learner.probabilistic
    beam = None if request.beam is None else int(request.beam)
    how: dict[str, Any] = {"beam": beam, "grammar": request.grammar}
    answer = _Sentences(asked)
    drawn: list[str] = []
    words = 0
    for part, constraints, is_last in _constrained(asked):
        best = asked.pipeline.nbest(part, int(request.best), tags=tags, constraints=constraints, **how)
        if asked.is_streamed:
            to = "conllu" if asked.media == CONLLU else "json"
            data = to_bytes(part, best, to, probabilistic=probabilistic, cursor=answer.cursor)
            yield Chunk(data, part.word_count, len(part))
            continue
        if drawing is not None:
            words += part.word_count
            drawn += ["[" + ",".join(_pictures_of(drawing, trees, words)) + "]" for trees in best]
        lines = _ranked(part, best, probabilistic, answer.cursor)
        more = {} if drawing is None else {"drawings": drawn}
        yield answer.wrapped(",".join(lines).encode(), part, is_last, **more)


def _pictures_of(drawing: Drawing, trees: Sequence[Candidate], words: int) -> Iterator[str]:
    if words > MOST_DRAWN:
        raise RequestError(
            f"Pictures are for at most {MOST_DRAWN:,} words: send less, or leave “drawing” out.", 413
        )
    return (_encode(drawing.of(tree).to_json()) for tree, _ in trees)


def _ranked(
    treebank: Treebank, best: Sequence[Sequence[Candidate]], probabilistic: bool, cursor: Cursor
) -> Iterator[str]:
    """For each sentence an object with its trees."""
    groups = [ranked_trees(candidates, probabilistic) for candidates in best]
    told = (
        [(one.sentence, {"rank": one.rank, one.measure: round(one.value, 6)}) for one in g] for g in groups
    )
    trees = candidates_to_json(treebank, told, cursor)
    for group in groups:
        yield '{"trees":[' + ",".join(next(trees) for _ in group) + "]}"


def marginals(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/marginals`: arcs that were drawn for each word, the most probable first."""
    request: requests.Marginals = asked.request
    parser, tags = asked.pipeline.demand("parser"), asked.tags
    if asked.media == CONLLU:
        raise RequestError(f"CoNLL-U has no place for several heads: ask for {JSON} or {NDJSON}.")
    answer = _Sentences(asked)
    for part, is_last in with_last(parts_of(asked)):
        known = asked.pipeline.tagged(part, tags)
        drawn = parser.marginals(known.for_parser, samples=int(request.samples))
        objects = []
        for sentence, arcs in zip(known.treebank, drawn, strict=True):
            words: list[list[dict[str, Any]]] = [[] for _ in sentence]
            for word, head, deprel, prob in arcs:
                if len(words[word - 1]) < request.best:
                    words[word - 1].append({"head": head, "deprel": deprel, "prob": round(prob, 6)})
            objects.append(_encode({"forms": [token.form for token in sentence], "words": words}))
        if asked.is_streamed:
            yield Chunk("".join(f"{one}\n" for one in objects).encode(), part.word_count, len(part))
        else:
            yield answer.wrapped(",".join(objects).encode(), part, is_last)


def check_constraints(asked: Asked) -> Iterator[Chunk]:
    """`/api/v1/constraints`: of each sentence, whether a tree can satisfy its constraints."""
    asked.pipeline.demand("parser")
    if asked.is_streamed:
        raise RequestError("What is said of constraints is not streamed: ask for application/json.")
    answer, tags = _Sentences(asked), asked.tags
    for part, constraints, is_last in _constrained(asked):
        told = []
        for index, sentence in enumerate(part):
            alone = part[index : index + 1]
            error = None
            try:
                own = constraints if callable(constraints) else constraints[index : index + 1]
                asked.pipeline.parse(alone, tags=tags, constraints=own, grammar=asked.request.grammar)
            except ConstraintError as found:
                error = str(found).removeprefix(f"{part.source}:{sentence.line}: ")
            told.append(_encode({"words": len(sentence), "satisfiable": error is None, "error": error}))
        yield answer.wrapped(",".join(told).encode(), part, is_last)


class _Sentences:
    """An answer whose sentences come one part after the other."""

    def __init__(self, asked: Asked) -> None:
        self.cursor = Cursor()
        self._asked = asked
        self._is_first = True
        self._texts: list[str] = []

    def chunk(self, treebank: Treebank, is_last: bool, **more: list[str]) -> Chunk:
        """The sentences of a treebank."""
        media = self._asked.media
        if media == CONLLU:
            return Chunk(treebank.to_bytes("conllu"), treebank.word_count, len(treebank))
        between, after = ("\n", "\n" if len(treebank) else "") if media == NDJSON else (",", "")
        data = _core.sentences_to_json(
            treebank._core, self.cursor, keeps_ranges=True, before="", between=between, after=after
        )
        if media == NDJSON:
            return Chunk(data, treebank.word_count, len(treebank))
        return self.wrapped(data, treebank, is_last, **more)

    def wrapped(self, data: bytes, treebank: Treebank, is_last: bool, **more: list[str]) -> Chunk:
        """The JSON of sentences, with what stands around it at the beginning and at the end."""
        pieces = []
        if getattr(self._asked.request, "text", None) is None:
            self._texts.append(rebuild(treebank))
        if self._is_first:
            pieces.append(b'{"model":' + _encode(self._asked.name).encode() + b',"sentences":[')
        elif data:
            pieces.append(b",")
        pieces.append(data)
        if is_last:
            pieces.append(b"]")
            for name, values in more.items():
                pieces.append(f',"{name}":[{",".join(values)}]'.encode())
            text = getattr(self._asked.request, "text", None)
            told = "".join(self._texts) if text is None else text
            pieces.append(b',"text":' + _encode(told).encode() + b"}")
        self._is_first = False
        return Chunk(b"".join(pieces), treebank.word_count, len(treebank))


def joined(chunks: Iterable[Chunk]) -> Chunk:
    """All of an answer."""
    every = list(chunks)
    if len(every) == 1:
        return every[0]
    return Chunk(
        b"".join(chunk.data for chunk in every),
        sum(chunk.words for chunk in every),
        sum(chunk.sentences for chunk in every),
    )


Steps = Callable[[Asked], Iterator[Chunk]]
ROUTES: dict[str, tuple[type[requests.Body], Steps]] = {
    "parse": (requests.Parse, parse),
    "tag": (requests.Tag, tag),
    "segment": (requests.Segment, segment),
    "nbest": (requests.Nbest, nbest),
    "marginals": (requests.Marginals, marginals),
    "constraints": (requests.CheckConstraints, check_constraints),
}
"""The routes under `/api/v1/` that are answered sentence by sentence."""
