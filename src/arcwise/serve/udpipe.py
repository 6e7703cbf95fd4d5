"""UDPipe's REST dialect, so that its clients work unchanged: `/models` and `/process`.

Parameters come in the query, urlencoded or as multipart/form-data. That `tokenizer`, `tagger` or `parser` is
there at all switches the component on; what it says are options.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from arcwise import __version__
from arcwise.errors import TreebankError
from arcwise.given_tags import sentences_with_tags, tagged
from arcwise.pipeline import Pipeline
from arcwise.serve.models import Models
from arcwise.serve.parsing import Chunk, Limits, cut, segmented
from arcwise.serve.requests import RequestError
from arcwise.text import raw_sentences, rebuild
from arcwise.treebank import Treebank

_NAMES = {"segmenter": "tokenizer", "tagger": "tagger", "parser": "parser"}
_TOKENIZER = ("presegmented", "ranges", "normalized_spaces")
_INPUTS = {
    "conllu": ("v2",),
    "generic_tokenizer": _TOKENIZER,
    "tokenizer": _TOKENIZER,
    "horizontal": (),
    "vertical": (),
}
_OUTPUTS = {
    "conllu": ("v2",),
    "horizontal": ("paragraphs",),
    "vertical": ("paragraphs",),
    "plaintext": ("normalized_spaces",),
}
_SPACES = re.compile(r"Spaces(?:Before|After|InToken)=[^|\t\n]*\|?")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def models(served: Models) -> dict[str, Any]:
    """What `/models` answers."""
    return {
        "models": {
            name: [_NAMES[part] for part in pipeline.components()]
            for name, pipeline in served.pipelines.items()
        },
        "default_model": served.default,
    }


def parameters(query: bytes, content_type: str, body: bytes, method: str) -> dict[str, str]:
    """The parameters of a request; those of the body go before those of the query."""
    found = _urlencoded(query, "query")
    if method != "POST" or not body:
        return found
    header = Message()
    header["Content-Type"] = content_type or "application/octet-stream"
    kind = header.get_content_type()
    if kind == "application/x-www-form-urlencoded":
        return found | _urlencoded(body, "body")
    if kind == "multipart/form-data":
        boundary = header.get_param("boundary")
        return found | _multipart(body, str(boundary) if boundary else "")
    raise RequestError(
        "The body must be application/x-www-form-urlencoded or multipart/form-data: send one of them.", 415
    )


def _urlencoded(data: bytes, where: str) -> dict[str, str]:
    try:
        text = data.decode("utf-8")
        return dict(
            parse_qsl(text, keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=100)
        )
    except ValueError:
        raise RequestError(f"The {where} cannot be read as UTF-8: encode it so.", 400) from None


def _multipart(body: bytes, boundary: str) -> dict[str, str]:
    form = _Form()
    try:
        parser = MultipartParser(boundary.encode("latin-1"), form.callbacks())
        parser.write(body)
        parser.finalize()
        if not form.is_whole:
            raise ValueError
        return {name: value.decode("utf-8") for name, value in form.fields.items()}
    except (FormParserError, ValueError):
        raise RequestError(
            "The body cannot be read as multipart/form-data in UTF-8: encode it so.", 400
        ) from None


class _Form:
    """Fields as a parser of multipart/form-data finds them."""

    def __init__(self) -> None:
        self.fields: dict[str, bytearray] = {}
        self.is_whole = False
        self._header, self._value, self._name = b"", b"", ""

    def callbacks(self) -> Any:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_part_data": self._data,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        self._header, self._value, self._name = b"", b"", ""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            header = Message()
            header["Content-Disposition"] = self._value.decode("latin-1")
            self._name = str(header.get_param("name", "", "content-disposition"))
            if len(self.fields) > 100:
                raise ValueError
            self.fields[self._name] = bytearray()
        self._header, self._value = b"", b""

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._name in self.fields:
            self.fields[self._name] += data[start:end]

    def _end(self) -> None:
        self.is_whole = True


@dataclass(frozen=True)
class Process:
    """What `/process` is asked."""

    name: str
    pipeline: Pipeline
    data: str
    input: tuple[str, tuple[str, ...]]
    output: tuple[str, tuple[str, ...]]
    tags: bool
    parses: bool
    limits: Limits

    @classmethod
    def of(cls, given: Mapping[str, str], served: Models, limits: Limits) -> Process:
        """From the parameters, which are checked."""
        if "data" not in given:
            raise RequestError("The parameter 'data' is required: give the text or the sentences.", 400)
        name, pipeline = served.find(given.get("model") or None)
        asked = f"tokenizer={given['tokenizer']}" if "tokenizer" in given else given.get("input") or "conllu"
        process = cls(
            name,
            pipeline,
            given["data"],
            _format(asked, _INPUTS, "input"),
            _format(given.get("output") or "conllu", _OUTPUTS, "output"),
            "tagger" in given,
            "parser" in given,
            limits,
        )
        needed = (
            ("segmenter", process.input[0] in ("tokenizer", "generic_tokenizer")),
            ("tagger", process.tags),
            ("parser", process.parses),
        )
        for part, is_needed in needed:
            if is_needed and part not in pipeline.components():
                raise RequestError(
                    f"The model '{name}' has no {_NAMES[part]}: choose another, or do without.", 400
                )
        return process

    def steps(self) -> Iterator[Chunk]:
        """The answer, a part at a time."""
        about = self.pipeline.about
        acknowledgements = [str(about[key]) for key in ("description", "licence") if about.get(key)]
        head = json.dumps(
            {"model": self.name, "acknowledgements": acknowledgements, "result": ""},
            indent=1,
            ensure_ascii=False,
        )
        before = head[: head.rindex('"')].encode()
        for data, words, sentences in self._results():
            yield Chunk(before + _encode(data)[1:-1].encode(), words, sentences)
            before = b""
        yield Chunk(before + b'"\n}\n')

    def _results(self) -> Iterator[tuple[str, int, int]]:
        if self.output[0] == "plaintext" and not self.output[1]:
            # White space is remembered from sentence to sentence.
            whole = list(map(self._done, self._parts()))
            treebank = Treebank.concat(whole) if whole else Treebank.from_string("")
            yield rebuild(treebank), treebank.word_count, len(treebank)
            return
        write = _Writer(self)
        for part in self._parts():
            done = self._done(part)
            yield write.text(done), done.word_count, len(done)

    def _parts(self) -> Iterator[Treebank]:
        kind, options = self.input
        most = self.limits.sentence
        if kind in ("tokenizer", "generic_tokenizer"):
            sentences = "lines" if "presegmented" in options else "learnt"
            yield from segmented(
                self.pipeline, self.data, most, sentences=sentences, ranges="ranges" in options
            )
        elif kind == "conllu":
            yield from cut(Treebank.from_string(self.data, check_trees=False, max_words=most, source="data"))
        else:
            sentences_of = _horizontal if kind == "horizontal" else _vertical
            found = list(sentences_of(self.data))
            if max(map(len, found), default=0) > most:
                raise TreebankError(f"A sentence has at most {most:,} words: cut it.")
            yield from cut(Treebank.from_words(found, source="data"))

    def _done(self, treebank: Treebank) -> Treebank:
        """With the components that were asked for; columns that are not asked for stay as they are."""
        pipeline = self.pipeline
        if not self.parses:
            return tagged(treebank, pipeline.tagger, "new").treebank if self.tags else treebank
        if self.tags:
            return pipeline.parse(treebank, tags="new")
        if pipeline.tagger is None or sentences_with_tags(treebank, pipeline.tagger).any():
            return pipeline.parse(treebank, tags="given")
        return pipeline.parser_of_own_tags.parse(treebank)


def _format(given: str, known: Mapping[str, tuple[str, ...]], what: str) -> tuple[str, tuple[str, ...]]:
    """A format and its options: `horizontal=paragraphs`."""
    name, _, rest = given.partition("=")
    if name not in known:
        raise RequestError(f"There is no {what} format '{name}' here: choose one of {', '.join(known)}.", 400)
    options = tuple(option for option in rest.split(";") if option)
    for option in options:
        if option not in known[name]:
            choice = ", ".join(known[name]) or "none"
            raise RequestError(f"There is no option '{option}' of {name} here: there are {choice}.", 400)
    return name, options


def _horizontal(data: str) -> Iterator[list[str]]:
    """A sentence a line; a no-break space is a space in a word."""
    for line in data.splitlines():
        if words := [word.replace("\u00a0", " ") for word in re.split("[ \t]+", line.strip(" \t")) if word]:
            yield words


def _vertical(data: str) -> Iterator[list[str]]:
    """A word a line, up to its first tab, and blank lines between sentences."""
    words: list[str] = []
    for line in [*data.splitlines(), ""]:
        if word := line.partition("\t")[0].strip():
            words.append(word)
        elif words:
            yield words
            words = []


class _Writer:
    """Writes sentences in the form that was asked for."""

    def __init__(self, process: Process) -> None:
        name, self._options = process.output
        self._is_first = True
        self._plain = "normalized_spaces" in process.input[1]
        licence = process.pipeline.about.get("licence")
        self._about = f"# generator = arcwise {__version__}\n# udpipe_model = {process.name}\n" + (
            f"# udpipe_model_licence = {licence}\n" if licence else ""
        )
        self.text: Callable[[Treebank], str] = getattr(self, f"_{name}")

    def _conllu(self, treebank: Treebank) -> str:
        text = treebank.to_string("conllu")
        if self._plain:
            text = "\n".join(map(_without_spaces, text.split("\n")))
        if self._is_first and text:
            text = self._about + text
            self._is_first = False
        return text

    def _horizontal(self, treebank: Treebank) -> str:
        lines = (" ".join(token.form.replace(" ", "\u00a0") for token in sentence) for sentence in treebank)
        return self._with_paragraphs(treebank, (f"{line}\n" for line in lines))

    def _vertical(self, treebank: Treebank) -> str:
        return self._with_paragraphs(
            treebank, ("".join(f"{token.form}\n" for token in sentence) + "\n" for sentence in treebank)
        )

    def _plaintext(self, treebank: Treebank) -> str:
        """A sentence a line, with or without a space between tokens."""
        lines = []
        for raw in raw_sentences(treebank):
            line = "".join(token.text + ("" if token.after == "" else " ") for token in raw.tokens)
            lines.append(line.rstrip(" ") + "\n")
        return self._with_paragraphs(treebank, iter(lines), always=True)

    def _with_paragraphs(self, treebank: Treebank, lines: Iterator[str], *, always: bool = False) -> str:
        """An empty line between paragraphs and documents."""
        if not (always or "paragraphs" in self._options):
            return "".join(lines)
        pieces = []
        for sentence, line in zip(treebank, lines, strict=True):
            starts = any(re.match(r"#\s*new(par|doc)\b", comment) for comment in sentence.comments)
            pieces.append("\n" + line if starts and not self._is_first else line)
            self._is_first = False
        return "".join(pieces)


def _without_spaces(line: str) -> str:
    """Without what says in MISC how much white space there was."""
    if line.startswith("#") or "Spaces" not in line:
        return line
    columns = line.split("\t")
    columns[-1] = _SPACES.sub("", columns[-1]).rstrip("|") or "_"
    return "\t".join(columns)
