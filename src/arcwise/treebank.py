r"""Treebanks: sentences with their words, heads and labels, read from CoNLL-U or CoNLL-X.

    >>> treebank = Treebank.from_string('''# sent_id = greeting
    ... # text = Hello there!
    ... 1\tHello\thello\tINTJ\t_\t_\t0\troot\t_\t_
    ... 2\tthere\tthere\tADV\t_\t_\t1\tadvmod\t_\tSpaceAfter=No
    ... 3\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_
    ...
    ... ''')
    >>> treebank
    <Treebank '<text>': 1 sentence, 3 words>
    >>> treebank[0].id
    'greeting'
    >>> [(token.form, token.head, token.deprel) for token in treebank[0]]
    [('Hello', 0, 'root'), ('there', 1, 'advmod'), ('!', 1, 'punct')]

What was read leaves with the bytes it came with. `with_trees`, `with_probabilities` and others give another
treebank, with the same text and other trees. A treebank itself changes only where its words are corrected:

    >>> treebank[0][1].upos = "PRON"
    >>> treebank.column("upos")
    ['INTJ', 'PRON', 'PUNCT']
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

from arcwise import _core
from arcwise._files import (
    is_standard_stream,
    open_decompressed,
    open_input,
    without_compression,
    write_whole,
)
from arcwise._numpy import np
from arcwise._terminal import visible
from arcwise.corrections import without_probabilities
from arcwise.errors import TreebankError
from arcwise.sentence import NO_VALUE, Sentence, Token, counted, position_of
from arcwise.treebank_files import Opened, batches, refuse_other_files
from arcwise.treebank_files import readable as readable
from arcwise.treebank_files import source_name as source_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arcwise.arrow import ArrowTable
    from arcwise.columns import Categories

__all__ = ["Format", "Sentence", "Token", "Treebank"]

Format: TypeAlias = Literal["conllu", "conllx"]
_CoreTreebank: TypeAlias = _core.Treebank
PathLike: TypeAlias = str | os.PathLike[str]

_FORMATS = {"conllu": _core.Format.CONLLU, "conllx": _core.Format.CONLLX}
_CONLLX_ENDINGS = {".conll", ".conllx"}
_COLUMNS = {column.name.lower(): column for column in _core.Column}
_TAGS = ("lemma", "upos", "xpos", "feats")

_BREAKS_A_LINE = re.compile(r"[\t\r\n]")
_NOT_IN_A_LABEL = re.compile("[\t\n\0\ud800-\udfff]")


class _How(NamedTuple):
    """How a text is read."""

    format: Format
    check_trees: bool
    skip_bad: bool
    max_words: int | None

    def check(self) -> None:
        _core_format(self.format)
        if self.max_words is not None and not 1 <= self.max_words < 2**31:
            raise TreebankError(f"max_words is {self.max_words}; it must be at least 1, and less than 2^31.")


class Treebank(Sequence[Sentence]):
    """Sentences in the order of their file; indexing gives a `Sentence`, slicing a `Treebank`.

    Words are numbered through the whole treebank: those of sentence `s` are
    `first_words[s]` to `first_words[s + 1] - 1` in `heads`, `labels` and `column(...)`. What these give is as
    it was when it was asked for: ask again after a correction.
    """

    __slots__ = ("_base", "_pending", "_spans", "source", "version")

    def __init__(self, core: _core.Treebank, source: str) -> None:
        """Wraps what the core has read; use `read`, `from_string`, `from_words` or `stream`."""
        # What the core holds never changes, so that whoever works with it need not be asked. Corrections
        # wait until they are needed there, and are then made all at once.
        self._base = core
        self._pending: dict[tuple[int, str], str] = {}
        self._spans: list[tuple[int, int]] | None = None
        #: How often words have been corrected.
        self.version = 0
        #: Where the treebank was read from, for messages.
        self.source = source

    @classmethod
    def read(
        cls,
        path: PathLike,
        *,
        format: Format | None = None,
        check_trees: bool = True,
        skip_bad: bool = False,
        max_words: int | None = None,
    ) -> Treebank:
        """Reads a file, or standard input if the path is `-`.

        Args:
            path: The file.
            format: `conllu` or `conllx`; by default `conllx` if the file's name ends in `.conll` or
                `.conllx`, otherwise `conllu`.
            check_trees: Refuse heads that make no tree. Without, only the form is checked (columns,
                ids, UTF-8), and what is no possible head in HEAD counts as unknown: for text that
                is to be parsed.
            skip_bad: Go on without sentences that are refused, naming them in `bad`.
            max_words: Refuse sentences of more words, or of more than a million bytes and 1,000 for each of
                these words: what is parsed takes memory in proportion to its longest sentence.

        Raises:
            TreebankError: The file cannot be read or a sentence is refused; the message names the
                file, the line, the sentence id and the reason.
        """
        source = source_name(path)
        with readable(source):
            size = 0 if is_standard_stream(path) else Path(path).stat().st_size
            if size > _core.MAX_TEXT_BYTES:
                raise TreebankError(f"{source} is larger than 4 GiB; read it in parts with Treebank.stream.")
            with open_input(path) as file:
                text = file.read()
        refuse_other_files(text, source)
        how = _How(format or _guess_format(path), check_trees, skip_bad, max_words)
        return cls._parse(text, how, source, first_line=1)

    @classmethod
    def from_string(
        cls,
        text: str | bytes,
        *,
        format: Format = "conllu",
        check_trees: bool = True,
        skip_bad: bool = False,
        max_words: int | None = None,
        source: str = "<text>",
    ) -> Treebank:
        """Reads a text in memory; options as for `read`, `source` is how messages call it."""
        # A lone surrogate is no UTF-8; passed on, it is refused with its line like other bad bytes.
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return cls._parse(data, _How(format, check_trees, skip_bad, max_words), source, first_line=1)

    @classmethod
    def from_words(
        cls,
        sentences: Iterable[Sequence[str]],
        *,
        lemma: Iterable[Sequence[str]] | None = None,
        upos: Iterable[Sequence[str]] | None = None,
        xpos: Iterable[Sequence[str]] | None = None,
        feats: Iterable[Sequence[str]] | None = None,
        misc: Iterable[Sequence[str]] | None = None,
        source: str = "<words>",
    ) -> Treebank:
        """Makes a treebank without trees from words and, as far as there are any, their columns.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> [(token.id, token.form, token.upos, token.head) for token in treebank[0]]
        [(1, 'Dogs', 'NOUN', None), (2, 'bark', 'VERB', None)]

        Raises:
            TreebankError: A sentence is empty or is a string instead of a sequence of words, a
                column has more or fewer values than there are words, or a value is empty or has a
                tab or a line end in it.
        """
        forms = list(sentences)
        columns = {"form": forms}
        optional = {"lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats, "misc": misc}
        for name, given in optional.items():
            if given is None:
                continue
            columns[name] = list(given)
            if len(columns[name]) != len(forms):
                raise TreebankError(
                    f"{source}: column {name} has {len(columns[name])} sentences, but there are "
                    f"{len(forms)}; give one for each."
                )
        text = "".join(
            _sentence_from_words(
                {name: values[index] for name, values in columns.items()},
                f"{source}: sentence {index} (counted from 0)",
            )
            for index in range(len(forms))
        )
        return cls.from_string(text, source=source)

    @classmethod
    def stream(
        cls,
        path: PathLike,
        *,
        batch_bytes: int = 4_000_000,
        format: Format | None = None,
        check_trees: bool = True,
        skip_bad: bool = False,
        max_words: int | None = None,
        decompress: bool = False,
    ) -> Iterator[Treebank]:
        """Reads a file of any size in parts of about `batch_bytes`, cut between sentences.

        Works on pipes and standard input (`-`). Memory is bounded by `batch_bytes` and by the
        longest sentence, or by `max_words`: of longer ones no more is read into memory. The parts
        written one after the other are the file; lines in messages are counted through the whole of
        it. With `decompress`, a file whose name ends in `.xz`, `.gz` or `.bz2` is read as what is in
        it. Other options as for `read`.
        """
        if batch_bytes < 1:
            raise TreebankError(f"batch_bytes is {batch_bytes}; it must be at least 1.")
        name = without_compression(path) if decompress else path
        how = _How(format or _guess_format(name), check_trees, skip_bad, max_words)
        how.check()
        return cls._stream(path, batch_bytes, how, open_decompressed if decompress else open_input)

    @classmethod
    def _stream(cls, path: PathLike, batch_bytes: int, how: _How, opened: Opened) -> Iterator[Treebank]:
        source = source_name(path)
        first_line = 1
        for text, lines in batches(path, source, batch_bytes, how.max_words, opened):
            yield cls._parse(text, how, source, first_line)
            first_line += lines

    @classmethod
    def _parse(cls, text: bytes, how: _How, source: str, first_line: int) -> Treebank:
        how.check()
        core = _core.Treebank.read(
            text,
            format=_core_format(how.format),
            check_trees=how.check_trees,
            skip_bad=how.skip_bad,
            max_words=how.max_words or 0,
            source=source,
            first_line=first_line,
        )
        return cls(core, source)

    @property
    def _core(self) -> _CoreTreebank:
        if self._pending:
            made = [(word, _COLUMNS[name], value) for (word, name), value in self._pending.items()]
            self._base = self._base.with_corrections(made)
            self._pending = {}
        return self._base

    def _value(self, word: int, column: str) -> str:
        """A word's column as it is written."""
        if (pending := self._pending.get((word, column))) is not None:
            return pending
        if column == "head":
            head = self._base.head(word)
            return NO_VALUE if head < 0 else str(head)
        if column == "deprel":
            return self._base.deprel(word) or NO_VALUE
        return self._base.text(word, _COLUMNS[column])

    def _correct(self, word: int, column: str, value: str) -> None:
        """Gives a word a value that can be written."""
        if self._value(word, column) == value:
            return
        if column in ("head", "deprel") and self.format == "conllu":
            # What is said of an arc is not said of another in its place.
            misc = self._value(word, "misc")
            if (left := without_probabilities(misc)) != misc:
                self._pending[word, "misc"] = left
        if column == "misc":
            self._spans = None
        self._pending[word, column] = value
        self.version += 1

    def _heads_of(self, begin: int, end: int) -> NDArray[np.int32]:
        heads = self._base.heads[begin:end]
        if not self._pending:
            return heads
        corrected = heads.copy()
        for word in range(begin, end):
            if (head := self._pending.get((word, "head"))) is not None:
                corrected[word - begin] = -1 if head == NO_VALUE else int(head)
        corrected.flags.writeable = False
        return corrected

    def __copy__(self) -> Treebank:
        """The same sentences, which can be corrected without changing these."""
        return self._like(self._core)

    def __deepcopy__(self, memo: dict[int, Any]) -> Treebank:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_parts, (self._core.parts(), self.source)

    def _retagged(self, core: _CoreTreebank | None) -> Treebank:
        """What the core has made of it, or itself if that is nothing."""
        return self if core is None else self._like(core)

    def _like(self, core: _CoreTreebank) -> Treebank:
        return Treebank(core, self.source)

    def __len__(self) -> int:
        return self._base.sentence_count

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._like(self._core.slice(begin, end))
            return self.select(range(begin, end, step))
        return Sentence(self, position_of(index, len(self), "sentence"))

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, index) for index in range(len(self)))

    def __repr__(self) -> str:
        sentences, words = counted(len(self), "sentence"), counted(self.word_count, "word")
        return f"<Treebank {self.source!r}: {sentences}, {words}>"

    @property
    def format(self) -> Format:
        """The format that was read."""
        return "conllu" if self._base.format == _core.Format.CONLLU else "conllx"

    @property
    def word_count(self) -> int:
        """How many words all sentences have; multiword ranges and empty nodes are none."""
        return self._base.word_count

    @property
    def heads(self) -> NDArray[np.int32]:
        """Each word's head, counted from 1 in its sentence; 0 is ROOT, -1 unknown. Read-only."""
        return self._core.heads

    @property
    def labels(self) -> NDArray[np.int32]:
        """Each word's label, an index into `label_names`; -1 is unknown. Read-only."""
        return self._core.labels

    @property
    def label_names(self) -> list[str]:
        """The labels in the order in which the text has them."""
        return self._core.label_names

    @property
    def first_words(self) -> NDArray[np.int64]:
        """Where each sentence starts in `heads` and `labels`, and where the last one ends."""
        return self._core.first_words

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each word begins and ends in the text, as `arcwise.text.word_spans` finds it.

        Found when it is first asked for.
        """
        if self._spans is None:
            from arcwise.text import word_spans

            self._spans = word_spans(self)
        return self._spans

    @property
    def bad(self) -> list[str]:
        """Which sentences `skip_bad` left out, and why."""
        return [visible(sentence) for sentence in self._core.bad]

    def column(self, name: str) -> list[str]:
        """A column of all words: `id`, `form`, `lemma`, `upos`, `xpos`, `feats`, `head`, ….

        >>> Treebank.from_words([["Dogs", "bark"], ["Hush"]]).column("form")
        ['Dogs', 'bark', 'Hush']
        """
        if name == "head":
            return [NO_VALUE if head < 0 else str(head) for head in self.heads.tolist()]
        if name == "deprel":
            names = [*self.label_names, NO_VALUE]  # where -1, an unknown label, leads
            return [names[label] for label in self.labels.tolist()]
        if name not in _COLUMNS:
            raise TreebankError(f"There is no column {name!r}; choose from {', '.join(_COLUMNS)}.")
        return self._core.column(_COLUMNS[name])

    def categories(self, name: str) -> Categories:
        """A column of all words as numbers, and the values that these stand for; -1 is none (`_`).

        >>> treebank = Treebank.from_words([["a", "b", "a"]], upos=[["X", "_", "X"]])
        >>> codes, values = treebank.categories("upos")
        >>> codes.tolist(), values
        ([0, -1, 0], ['X'])
        """
        from arcwise.columns import categories

        return categories(self, name)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """All columns of all words as arrays, ready for `pandas.DataFrame`.

        `sentence` (counted from 0), `id` and `head` (-1: unknown) are numbers, the others text, `_` where
        there is none. `Treebank.from_columns` is the other way.

        >>> columns = Treebank.from_words([["Dogs", "bark"], ["Hush"]]).to_columns()
        >>> columns["sentence"].tolist(), columns["id"].tolist(), columns["form"].tolist()
        ([0, 0, 1], [1, 2, 1], ['Dogs', 'bark', 'Hush'])
        """
        from arcwise.columns import to_columns

        return to_columns(self)

    def to_arrow(
        self, rows: Literal["word", "sentence"] = "word", *, columns: Sequence[str] | None = None
    ) -> ArrowTable:
        """The treebank as a table that polars, pandas, DuckDB and pyarrow take as it is (docs/arrow.md).

        Rows of words have their columns as CoNLL-U has them, nothing where it has `_`, and `start` and `end`
        in the text, `token` for words of multiword tokens, and probabilities if there are any. Rows of
        sentences have these in a list. `columns` names those that are wanted; `conllu`, the whole sentence,
        is there for the asking.

        >>> table = Treebank.from_words([["Dogs", "bark"]]).to_arrow("sentence", columns=["text", "form"])
        >>> table
        <ArrowTable: 1 row; sentence, text, words>
        """
        from arcwise.arrow import made

        return made(self, rows=rows, columns=columns)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Sequence[Any] | NDArray[Any] | Categories],
        *,
        check_trees: bool = True,
        source: str = "<columns>",
    ) -> Treebank:
        """Makes a treebank from columns of all words: `form`, and whatever else there is of `to_columns`.

        A sentence ends where `sentence` changes or, without that column, before each `id` of 1; without
        either, there is one. None, `_` and not a number are no value; a column may be given as `categories`.

        >>> columns = {"sentence": [7, 7, 8], "form": ["Dogs", "bark", "Hush"], "head": [2, 0, 0]}
        >>> [len(sentence) for sentence in Treebank.from_columns(columns)]
        [2, 1]

        Raises:
            TreebankError: A column has another length, or values that cannot be written; or heads make no
                trees, with `check_trees`.
        """
        from arcwise.columns import text_from_columns

        text = text_from_columns(columns, source)
        return cls.from_string(text, check_trees=check_trees, source=source)

    @classmethod
    def concat(cls, treebanks: Iterable[Treebank]) -> Treebank:
        """All sentences of several treebanks, in order; in CoNLL-U if not all are in CoNLL-X.

        >>> words = [Treebank.from_words([[form]]) for form in ("Dogs", "bark")]
        >>> Treebank.concat(words).column("form")
        ['Dogs', 'bark']
        """
        parts = list(treebanks)
        if len({part.format for part in parts}) > 1:
            parts = [
                part
                if part.format == "conllu"
                else cls.from_string(part.to_bytes("conllu"), check_trees=False, source=part.source)
                for part in parts
            ]
        sources = {part.source for part in parts}
        return cls(_core.Treebank.concat([part._core for part in parts]), ", ".join(sorted(sources)[:3]))

    def filter(self, keep: Callable[[Sentence], object]) -> Treebank:
        """The sentences of which `keep` is true.

        >>> treebank = Treebank.from_words([["Dogs", "bark"], ["Hush"]])
        >>> treebank.filter(lambda sentence: len(sentence) > 1)
        <Treebank '<words>': 1 sentence, 2 words>
        """
        return self.select(index for index, sentence in enumerate(self) if keep(sentence))

    def check(self, *, partial: bool = False, single_root: bool = True) -> None:
        """Refuses sentences whose heads make no tree, as `Sentence.check` does."""
        for sentence in self:
            sentence.check(partial=partial, single_root=single_root)

    def has(self, column: str) -> bool:
        """Whether any word has something in a column, of `lemma`, `upos`, `xpos` and `feats`.

        >>> Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]]).has("xpos")
        False
        """
        return bool(self._core.has(_tag_columns([column])[0]))

    def without(self, *columns: str) -> Treebank:
        """The same treebank with nothing in these columns, of `lemma`, `upos`, `xpos` and `feats`.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]], upos=[["NOUN", "VERB"]])
        >>> treebank.without("upos").column("upos")
        ['_', '_']
        """
        return self._like(self._core.without(_tag_columns(columns)))

    def with_trees(self, heads: ArrayLike, labels: ArrayLike, label_names: Sequence[str]) -> Treebank:
        """The same text with these trees: one head and one label for each word, as in `heads`.

        >>> treebank = Treebank.from_words([["Dogs", "bark"]])
        >>> parsed = treebank.with_trees([2, 0], [1, 0], ["root", "nsubj"])
        >>> parsed[0][0]
        <Token 1 'Dogs' ←nsubj– 2>
        """
        core = self._core.with_trees(_int32s(heads, "heads"), _int32s(labels, "labels"), list(label_names))
        return self._like(core)

    def with_probabilities(
        self,
        head_probs: ArrayLike,
        deprel_probs: ArrayLike,
        *,
        log_probs: ArrayLike = (),
        entropies: ArrayLike = (),
    ) -> Treebank:
        """The same trees with these probabilities, a value for each word, and of sentences, if any.

        In CoNLL-U they are written in MISC, after what stands there.

        >>> treebank = Treebank.from_words([["Go"]], misc=[["SpaceAfter=No"]]).with_trees([0], [0], ["root"])
        >>> sure = treebank.with_probabilities([0.9876], [0.971])
        >>> f"{sure[0][0].head_prob:.4f}"
        '0.9876'
        >>> sure.to_string().split()[-1]
        'SpaceAfter=No|HeadProb=0.988|DeprelProb=0.971'
        """
        core = self._core.with_probabilities(
            np.ascontiguousarray(head_probs, np.float32),
            np.ascontiguousarray(deprel_probs, np.float32),
            np.ascontiguousarray(log_probs, np.float64),
            np.ascontiguousarray(entropies, np.float64),
        )
        return self._like(core)

    def with_min_confidence(self, least: float, *, drop: bool = False) -> Treebank:
        """The same trees, marked where a head with its label is less probable than `least`.

        In CoNLL-U the mark is `LowConfidence=Yes` in MISC. With `drop` such words are left without head and
        label as well. The trees must have probabilities, from `Parser.parse(..., probabilities=...)`.

        >>> treebank = Treebank.from_words([["Go", "on"]]).with_trees([0, 1], [0, 1], ["root", "advmod"])
        >>> unsure = treebank.with_probabilities([0.99, 0.7], [0.98, 0.6]).with_min_confidence(0.9, drop=True)
        >>> unsure[0].heads.tolist()
        [0, -1]
        >>> unsure.to_string().split()[-1]
        'HeadProb=0.700|DeprelProb=0.600|LowConfidence=Yes'
        """
        return self._like(self._core.with_least_probability(least, drop))

    @property
    def head_probs(self) -> NDArray[np.float32]:
        """How probable each word's head is; not a number where that is unknown. See `Token.head_prob`."""
        return self._core.head_probs

    @property
    def deprel_probs(self) -> NDArray[np.float32]:
        """How probable each word's head is with its label; not a number where that is unknown."""
        return self._core.deprel_probs

    def select(self, sentences: Iterable[int]) -> Treebank:
        """These sentences, in this order; the text is shared, `bad` stays behind."""
        indices = [position_of(index, len(self), "sentence") for index in sentences]
        return self._like(self._core.select(indices))

    def to_bytes(self, format: Format | None = None) -> bytes:
        """The treebank as it is written to a file.

        In the format that was read (the default) these are the bytes that were read, save for HEAD
        and DEPREL where `with_trees` was used. In the other format line ends are `\\n`, columns 9
        and 10 become `_`, and for `conllx` comments, multiword ranges and empty nodes go, and
        spaces inside FORM and LEMMA become `_`.
        """
        return self._core.to_bytes(_core_format(format or self.format))

    def sentence_to_bytes(self, sentence: int, format: Format | None = None) -> bytes:
        """As `to_bytes`, of one sentence."""
        return self._core.sentence_to_bytes(sentence, _core_format(format or self.format))

    def to_string(self, format: Format | None = None) -> str:
        """As `to_bytes`, decoded."""
        return self.to_bytes(format).decode()

    def write(self, path: PathLike, format: Format | None = None) -> None:
        """Writes a file, whole or not at all; `-` is standard output. Formats as in `to_bytes`."""
        data = self.to_bytes(format)
        try:
            write_whole(path, data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise TreebankError(f"{source_name(path)} cannot be written: {error.strerror}.") from error


def _from_parts(parts: Any, source: str) -> Treebank:
    """What a pickle holds."""
    return Treebank(_core.Treebank.from_parts(parts), source)


def can_be_label(label: object) -> bool:
    """Whether a treebank can be written with this label."""
    return isinstance(label, str) and bool(label) and not _NOT_IN_A_LABEL.search(label)


def _core_format(format: Format) -> _core.Format:
    if format not in _FORMATS:
        raise TreebankError(f"There is no format {format!r}; choose from {', '.join(_FORMATS)}.")
    return _FORMATS[format]


def _guess_format(path: PathLike) -> Format:
    return "conllx" if Path(path).suffix.lower() in _CONLLX_ENDINGS else "conllu"


def _sentence_from_words(columns: dict[str, Sequence[str]], where: str) -> str:
    """A sentence in CoNLL-U, from its forms and the other columns that are given."""
    word_count = len(columns["form"])
    if word_count == 0:
        raise TreebankError(f"{where} has no words; leave it out.")
    for name, values in columns.items():
        _check_values(values, word_count, f"{where}, column {name}")
    no_values = [NO_VALUE] * word_count
    ids = [str(i) for i in range(1, word_count + 1)]
    rows = zip(ids, *(columns.get(name, no_values) for name in list(_COLUMNS)[1:]), strict=True)
    return "\n".join(map("\t".join, rows)) + "\n\n"


def _check_values(values: Sequence[str], word_count: int, where: str) -> None:
    """Refuses values that cannot stand in a column of CoNLL-U."""
    if isinstance(values, str):
        raise TreebankError(f"{where} is a string; give a sequence of words, such as text.split().")
    if len(values) != word_count:
        raise TreebankError(f"{where} has {len(values)} values for {word_count} words; give as many.")
    for value in values:
        if not value or _BREAKS_A_LINE.search(value):
            raise TreebankError(
                f"{where} has the value {value!r}; values are not empty and have neither tabs nor line ends."
            )


def _int32s(values: ArrayLike, what: str) -> NDArray[np.int32]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TreebankError(f"{what} must be a flat array of whole numbers, one for each word.")
    narrow = array.astype(np.int32)
    if not np.array_equal(narrow, array):
        raise TreebankError(f"{what} has numbers that do not fit in 32 bits.")
    return narrow


def _tag_columns(names: Sequence[str]) -> list[_core.Column]:
    for name in names:
        if name not in _TAGS:
            raise TreebankError(f"{name!r} is no column of tags: choose from {', '.join(_TAGS)}.")
    return [_COLUMNS[name] for name in names]


def fingerprint(treebank: Treebank) -> str:
    """Tells treebanks apart."""
    import hashlib

    return hashlib.sha256(treebank.to_bytes()).hexdigest()
