r"""The segmenter: from raw text to sentences, tokens and the words of multiword tokens.

>>> seen = Treebank.from_words([["Dogs", "bark", "."]] * 9, misc=[["_", "SpaceAfter=No", "_"]] * 9)
>>> treebank = Segmenter.train(seen).segment("Bees hum.  Dogs sleep.\n")
>>> [[token.form for token in sentence] for sentence in treebank]
[['Bees', 'hum', '.'], ['Dogs', 'sleep', '.']]
>>> rebuild(treebank)
'Bees hum.  Dogs sleep.\n'
"""

from __future__ import annotations

import codecs
import os
import re
import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal, NamedTuple, TypeAlias

from arcwise import _core, model_file
from arcwise._files import open_input
from arcwise._kinds import of_wrong_kind
from arcwise._numpy import np
from arcwise.errors import ModelError, OptionError, TextError
from arcwise.learners.linear import ARRAYS as LINEAR_ARRAYS
from arcwise.model_file import PIPELINE, Arrays, Component, Stored, own_part
from arcwise.multiword import Multiwords
from arcwise.options import MAX_WORDS
from arcwise.options.segmenter import SegmenterOptions
from arcwise.parser import as_treebank
from arcwise.text import rebuild, warn_of_cut, warn_of_cut_characters
from arcwise.treebank import Sentence, Treebank, readable, source_name

if TYPE_CHECKING:
    from arcwise.evaluation import Conll18Scores

KIND = "segmenter"
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
RULE_ARRAYS = ("pairs", "cut_runs")
SEEN = "seen_words"
"""The array of words that training has seen, which older files do not have."""

PathLike: TypeAlias = str | os.PathLike[str]
Errors: TypeAlias = Literal["strict", "replace"]
Sentences: TypeAlias = Literal["learnt", "lines"]


@dataclass(frozen=True)
class SegmenterInfo:
    """What a segmenter is made of, as its model file says."""

    options: SegmenterOptions
    multiwords: Multiwords
    scale: float
    features: int
    weights: int
    training: dict[str, Any]
    """Where the segmenter comes from: treebank, its size, the epoch."""
    bias: float = 0.0
    """What sentence ends are given beforehand, in log-odds: where they are hard to see, the likelier of two
    moves is too seldom one."""
    bias_among_ends: bool = True
    """Whether it only chooses how tokens end; in older files it could make them end."""

    def to_header(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "options": self.options.to_dict(),
            "multiwords": self.multiwords.to_header(),
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> SegmenterInfo:
        try:
            # Older files do not say it.
            header = {"bias_among_ends": False, **header}
            values = {name: header[name] for name in cls.__dataclass_fields__}
            # What older versions wrote was learnt from the treebank's own sentences.
            values["options"] = SegmenterOptions.from_dict({"augment": 0.0, **values["options"]})
            values["multiwords"] = Multiwords.from_header(values["multiwords"])
            if wrong := of_wrong_kind(cls, values):
                raise ValueError(f"what it has for {wrong[0]} is of another kind")
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"The segmenter is damaged: {error}.") from error


class Segmenter(Stored):
    """A trained segmenter. Immutable, and safe to use from several threads.

    Get one with `Segmenter.load(path)` or `Segmenter.train(treebank)`.
    """

    KINDS: ClassVar[tuple[str, ...]] = (KIND, PIPELINE)

    def __init__(self, info: SegmenterInfo, arrays: Mapping[str, model_file.Array]) -> None:
        self.info = info
        self._arrays = Arrays.of(arrays)
        try:
            # Older files have none.
            seen_words: Any = self._arrays.raw(SEEN) if SEEN in self._arrays else array("Q")
            self._core = _core.Segmenter(
                splits=info.multiwords.to_core(),
                scale=info.scale,
                bias=info.bias,
                bias_among_ends=info.bias_among_ends,
                **{name: self._arrays.raw(name) for name in (*RULE_ARRAYS, *LINEAR_ARRAYS)},
                seen_words=seen_words,
            )
        except ValueError as error:  # which says by itself what is damaged
            raise ModelError(str(error)) from error
        except (KeyError, TypeError) as error:
            raise ModelError(f"The segmenter is damaged: {error}") from error

    @classmethod
    def train(
        cls,
        treebank: Treebank | PathLike,
        *,
        dev: Treebank | PathLike | None = None,
        options: SegmenterOptions | None = None,
        **changes: Any,
    ) -> Segmenter:
        """Trains a segmenter on the text of a treebank in CoNLL-U, as its forms and `SpaceAfter=No` tell it.

        With `dev`, the epoch with the best F1 of words and sentences on it is kept; without, the last.
        Options can be given whole or one by one.
        """
        from arcwise.segmenter_training import SegmenterTraining

        if options is not None and changes:
            raise OptionError("Give the options whole or one by one, not both.")
        training = SegmenterTraining(
            as_treebank(treebank),
            dev=None if dev is None else as_treebank(dev),
            options=options or SegmenterOptions(**changes),
        )
        return training.finish()

    def segment(
        self,
        text: str | bytes,
        *,
        sentences: Sentences = "learnt",
        blank_lines: bool = True,
        ranges: bool = False,
        max_words: int = MAX_WORDS,
        errors: Errors = "strict",
        source: str = "<text>",
        most_words: int | None = None,
    ) -> Treebank:
        """Finds the sentences, tokens and words of a text; `arcwise.text.rebuild` gives the text back.

        Args:
            text: The text, as UTF-8 if it is bytes. A byte order mark at the beginning of bytes is no part of
                it; at the beginning of a str it is white space before the first token.
            sentences: How sentences are found: `learnt` from the treebank, or `lines`, each of which is one.
            blank_lines: Whether a blank line ends a paragraph, and so a sentence. Otherwise it is a line end
                like others.
            ranges: Write where each token stands, `TokenRange=first:last` in MISC: in code points, counted
                from 0, the last one not included.
            max_words: Longer sentences are cut, after punctuation if there is any, with a
                `LongSentenceWarning`; so are those of more than 65,536 characters.
            errors: What is done with bytes that are not UTF-8 (in a str, halves of characters), and with
                NULs: `strict` refuses them, `replace` puts U+FFFD in their place.
            source: How messages call the text.
            most_words: The old name of `max_words`.

        Raises:
            TextError: The text is not UTF-8 or has NULs in it; the message says where.
        """
        how = _How(sentences, blank_lines, ranges, _limit(max_words, most_words))
        if isinstance(text, str):
            encoded = EncodedText.of(text, errors, source)
            return self._part(encoded.data, how, _core.TextPosition(mark=encoded.mark), source)[0]
        checked = b"".join(checked_text([text], errors, source))
        return self._part(checked, how, _core.TextPosition(), source)[0]

    def stream(
        self,
        file: PathLike | BinaryIO,
        *,
        batch_bytes: int = 200_000,
        sentences: Sentences = "learnt",
        blank_lines: bool = True,
        ranges: bool = False,
        max_words: int = MAX_WORDS,
        errors: Errors = "strict",
        most_words: int | None = None,
    ) -> Iterator[Treebank]:
        """Segments a file of any size in parts of about `batch_bytes`, as `segment` would the whole of it.

        Works on pipes and standard input (`-`), in bounded memory. Options as for `segment`.
        """
        if batch_bytes < 1:
            raise OptionError(f"batch_bytes is {batch_bytes}; it must be at least 1.")
        how = _How(sentences, blank_lines, ranges, _limit(max_words, most_words))
        return self._stream(file, batch_bytes, how, errors)

    def _stream(
        self, file: PathLike | BinaryIO, batch_bytes: int, how: _How, errors: Errors
    ) -> Iterator[Treebank]:
        with _opened(file) as (opened, source):
            position = _core.TextPosition()
            rest, wanted = b"", 0
            for chunk, is_last in _with_last(checked_text(_chunks(opened, batch_bytes), errors, source)):
                rest += chunk
                if len(rest) < wanted and not is_last:
                    continue
                part, done = self._part(rest, how, position, source, whole=is_last)
                # What ends nowhere yet is read again when there is twice as much of it.
                rest, wanted = rest[done:], 0 if done else 2 * len(rest)
                if len(part) > 0:
                    yield part

    def _part(
        self, text: bytes, how: _How, position: _core.TextPosition, source: str, *, whole: bool = True
    ) -> tuple[Treebank, int]:
        core, done, cut = self._core.segment(
            text,
            position,
            line_is_sentence=how.sentences == "lines",
            blank_lines=how.blank_lines,
            max_words=how.max_words,
            ranges=how.ranges,
            whole=whole,
        )
        part = Treebank(core, source)
        for one in cut:
            _warn_of_cut(one, part[one[0] - int(part[0].id or 1)], source, how.max_words)
        return part, done

    def segment_all(self, texts: Sequence[EncodedText]) -> tuple[Treebank, list[int]]:
        """The sentences of several texts, and where those of each end; as if each were segmented alone."""
        core, ends, cut = _core.segment_all(
            self._core, [(text.data, text.mark) for text in texts], max_words=MAX_WORDS
        )
        treebank = Treebank(core, "<texts>")
        for text, one in cut:
            begin = ends[text - 1] if text else 0
            _warn_of_cut(one, treebank[begin + one[0] - 1], texts[text].source, MAX_WORDS)
        return treebank, ends

    def with_bias(self, bias: float) -> Segmenter:
        """The same segmenter with another bias for sentence ends: the higher, the more sentences."""
        return Segmenter(replace(self.info, bias=bias, bias_among_ends=True), self._arrays)

    def evaluate(self, gold: Treebank | PathLike, *, sentences: Sentences = "learnt") -> Conll18Scores:
        """Segments the text of a treebank and compares, by the metrics of the CoNLL 2018 shared task.

        Look at `scores["Tokens"]`, `scores["Words"]` and `scores["Sentences"]`: the others mean nothing.
        """
        treebank = as_treebank(gold)
        system = self.segment(rebuild(treebank), sentences=sentences)
        # The metrics want trees: the first word is the root of the others.
        heads = np.ones(system.word_count, np.int32)
        heads[system.first_words[:-1]] = 0
        flat = system.with_trees(heads, np.zeros_like(heads), ["dep"])
        from arcwise.evaluation.conll18 import conll18_scores

        return conll18_scores(treebank.to_string(), flat.to_string(), gold_source=treebank.source)

    def to_component(self) -> Component:
        """The segmenter as a part of a model file."""
        return Component(KIND, self.info.to_header(), self._arrays)

    @classmethod
    def from_component(cls, component: Component) -> Segmenter:
        """What `to_component` gave."""
        own = own_part(component, KIND)
        return cls(SegmenterInfo.from_header(own.header), own.arrays)

    def __repr__(self) -> str:
        known = len(self.info.multiwords.known)
        return f"<Segmenter: {self.info.weights:,} weights, {known:,} forms of multiword tokens>"


def _limit(max_words: int, most_words: int | None) -> int:
    """The limit, whichever name it was given by."""
    if most_words is None:
        return max_words
    warnings.warn("most_words is called max_words now.", DeprecationWarning, stacklevel=3)
    return most_words


@dataclass(frozen=True)
class _How:
    """How text is segmented."""

    sentences: Sentences
    blank_lines: bool
    ranges: bool
    max_words: int

    def __post_init__(self) -> None:
        if self.sentences not in ("learnt", "lines"):
            raise OptionError(f"Sentences are learnt or lines, not '{self.sentences}'.")
        if not 1 <= self.max_words < 2**31:
            raise OptionError("A sentence has at least one word (max_words), and less than 2^31.")


class EncodedText(NamedTuple):
    """A str as a segmenter takes it."""

    data: bytes
    """UTF-8, without the mark at its beginning."""
    mark: bool
    source: str

    @classmethod
    def of(cls, text: str, errors: Errors, source: str) -> EncodedText:
        """Refuses what cannot be encoded, or replaces it."""
        _check_errors(errors)
        if errors == "replace":
            text = with_replacements(text)
        try:
            data = text.encode()
            if b"\0" not in data:
                mark = text.startswith(_MARK)
                return cls(data.removeprefix(codecs.BOM_UTF8) if mark else data, mark, source)
        except UnicodeEncodeError:
            pass
        bad = _NO_TEXT.search(text)
        assert bad is not None
        raise TextError(
            f"{source}: character {bad.start()} (counted from 0) is {bad[0]!r}, which no text has; read it "
            "from its file anew, or have such characters replaced (errors)."
        )


def _warn_of_cut(cut: tuple[int, int, int, int], sentence: Sentence, source: str, max_words: int) -> None:
    number, words, pieces, characters = cut
    beginning = (token.form for token in sentence)
    if characters:
        warn_of_cut_characters(source, number, beginning, characters)
    else:
        warn_of_cut(source, number, beginning, words, pieces, max_words)


def with_replacements(text: str) -> str:
    """A str with U+FFFD in place of each NUL and each half of a character, so that places stay the same."""
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)


def _check_errors(errors: Errors) -> None:
    if errors not in ("strict", "replace"):
        raise OptionError(f"Errors are strict or replace, not '{errors}'.")


def checked_text(chunks: Iterable[bytes], errors: Errors, source: str) -> Iterator[bytes]:
    """The chunks of a text as valid UTF-8 without NULs, each made of whole characters."""
    _check_errors(errors)
    begin, rest = 0, b""  # what is not checked yet, and where it lies in the text
    for chunk, is_last in _with_last(chunks):
        data = rest + chunk
        if begin == 0 and data.startswith(codecs.BOM_UTF8):
            data, begin = data.removeprefix(codecs.BOM_UTF8), len(codecs.BOM_UTF8)
        try:
            decoded, size = codecs.utf_8_decode(data, errors, is_last)
        except UnicodeDecodeError as error:
            raise TextError(
                f"{source}: byte {begin + error.start} is not valid UTF-8; convert the text to UTF-8, or "
                "have such bytes replaced (errors)."
            ) from error
        if "\0" in decoded and errors == "strict":
            raise TextError(
                f"{source}: byte {begin + data.index(0)} is a NUL, as in binary files and UTF-16; convert "
                "the text to UTF-8, or have NULs replaced (errors)."
            )
        yield (
            data[:size] if errors == "strict" else decoded.replace("\0", "\N{REPLACEMENT CHARACTER}").encode()
        )
        begin, rest = begin + size, data[size:]


@contextmanager
def _opened(file: PathLike | BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    """A file that may be open already, and how messages call it."""
    if isinstance(file, str | os.PathLike):
        source = source_name(file)
        with readable(source), open_input(file) as opened:
            yield opened, source
    else:
        yield file, str(getattr(file, "name", "<stream>"))


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    while chunk := file.read(size):
        yield chunk


def _with_last(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The chunks, and an empty one at the end; whether each is that."""
    for chunk in chunks:
        yield chunk, False
    yield b"", True
