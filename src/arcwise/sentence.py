r"""The sentences of a treebank, their words, and what can be asked of them.

    >>> from arcwise import Treebank
    >>> treebank = Treebank.from_string('''# text = Dogs don't bark.
    ... 1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t4\tnsubj\t_\t_
    ... 2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
    ... 2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\t_
    ... 3\tn't\tnot\tPART\t_\tPolarity=Neg\t4\tadvmod\t_\t_
    ... 4\tbark\tbark\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
    ... 5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_
    ...
    ... ''')
    >>> sentence = treebank[0]
    >>> dogs, bark = sentence[0], sentence.root
    >>> dogs.head_token == bark, dogs.morph, (dogs.start, dogs.end)
    (True, {'Number': 'Plur'}, (0, 4))
    >>> [child.form for child in bark.children]
    ['Dogs', 'do', "n't", '.']
    >>> sentence.multiword_tokens
    [<MultiwordToken 2-3 "don't">]

Nothing is found out before it is asked for. Words can be corrected, and the treebank with them:

    >>> dogs.deprel = "obj"
    >>> treebank[0][0].deprel
    'obj'
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from arcwise import _core
from arcwise._numpy import np
from arcwise._terminal import visible
from arcwise.corrections import NO_VALUE as NO_VALUE
from arcwise.corrections import check_tree, checked_head, checked_value
from arcwise.errors import TreebankError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.treebank import Format, Treebank


_FORM, _LEMMA, _UPOS, _XPOS = (
    _core.Column.FORM, _core.Column.LEMMA, _core.Column.UPOS, _core.Column.XPOS,
)  # fmt: skip
_FEATS, _DEPS, _MISC = _core.Column.FEATS, _core.Column.DEPS, _core.Column.MISC


class Sentence(Sequence["Token"]):
    """A sentence of a treebank; indexing and iterating give its words as `Token`s."""

    __slots__ = ("_begin", "_end", "_index", "_treebank")

    def __init__(self, treebank: Treebank, index: int) -> None:
        self._treebank = treebank
        self._index = index
        self._begin = treebank._base.first_word(index)
        self._end = treebank._base.first_word(index + 1)

    def __len__(self) -> int:
        return self._end - self._begin

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        if isinstance(index, slice):
            return [Token(self, self._begin + i) for i in range(*index.indices(len(self)))]
        return Token(self, self._begin + position_of(index, len(self), "word"))

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, word) for word in range(self._begin, self._end))

    def __eq__(self, other: object) -> bool:
        """Whether both are the same sentence of the same treebank."""
        return isinstance(other, Sentence) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int]:
        return id(self._treebank), self._index

    def __copy__(self) -> Sentence:
        return Sentence(self._treebank, self._index)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sentence:
        from copy import deepcopy

        return Sentence(deepcopy(self._treebank, memo), self._index)

    def __reduce__(self) -> tuple[Any, ...]:
        # A sentence travels without the others, and stays at its place in the text.
        spans = None if self.format == "conllx" else self._spans
        return _restored, (self._treebank.select([self._index]), spans)

    @property
    def _spans(self) -> list[tuple[int, int]]:
        return self._treebank.spans[self._begin : self._end]

    def __repr__(self) -> str:
        words = " ".join(token.form for token in self[:12]) + (" …" if len(self) > 12 else "")
        return visible(f"<Sentence {self.id or self._index}: {words}>")

    @property
    def id(self) -> str | None:
        """The value of the comment `# sent_id = …`."""
        return self.comment("sent_id")

    @property
    def text(self) -> str:
        """The value of the comment `# text = …`; without one, the tokens and the white space between them."""
        text = self.comment("text")
        if text is not None:
            return text
        if self.format == "conllx":
            return " ".join(token.form for token in self)
        return _core.sentence_text(self._treebank._core, self._index)

    @property
    def format(self) -> Format:
        """The format that was read."""
        return self._treebank.format

    @property
    def comments(self) -> list[str]:
        """The comment lines in order, as they stand."""
        return self._treebank._base.comments(self._index)

    def comment(self, key: str) -> str | None:
        """The value of the comment `# key = …`, if there is one and it is not empty."""
        return self._treebank._base.comment(self._index, key) or None

    @property
    def rows(self) -> list[list[str]]:
        """The ten columns of each line in CoNLL-U: words, multiword tokens (`1-2`), empty nodes (`1.1`)."""
        lines = self.to_string("conllu").replace("\r\n", "\n").split("\n")
        return [line.split("\t") for line in lines if line and line[0] != "#"]

    @property
    def multiword_tokens(self) -> list[MultiwordToken]:
        """The tokens that stand for several words."""
        found = []
        for id, form, *_, misc in self.rows:
            first, hyphen, last = id.partition("-")
            if hyphen:
                found.append(MultiwordToken(self[int(first) - 1 : int(last)], form, misc))
        return found

    @property
    def root(self) -> Token | None:
        """The first word under ROOT, and in most trees the only one; None if there is none."""
        return next((token for token in self if token.is_root), None)

    @property
    def line(self) -> int:
        """The number of the sentence's first line in its file, counted from 1."""
        return self._treebank._base.line(self._index)

    @property
    def heads(self) -> NDArray[np.int32]:
        """Each word's head, counted from 1; 0 is ROOT, -1 unknown. Read-only."""
        return self._treebank._heads_of(self._begin, self._end)

    def check(self, *, partial: bool = False, single_root: bool = True) -> None:
        """Refuses heads that make no tree: every word has a head, one of them ROOT, and none leads to itself.

        With `partial`, heads may be unknown; without `single_root`, several words may be under ROOT.

        >>> from arcwise import Treebank
        >>> sentence = Treebank.from_words([["Dogs", "bark"]])[0]
        >>> sentence[0].head, sentence[1].head = 2, 1
        >>> sentence.check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        arcwise.errors.TreebankError: <words>:1: the heads make a cycle, 1 → 2 → 1: give one ... another head.

        Raises:
            TreebankError: The message says which words are wrong.
        """
        check_tree(self.heads.tolist(), self._where(), partial=partial, single_root=single_root)

    def _where(self) -> str:
        """How messages call the sentence."""
        named = f" sentence {self.id}" if self.id else ""
        return f"{self._treebank.source}:{self.line}{':' if named else ''}{named}"

    @property
    def log_prob(self) -> float | None:
        """The logarithm of `prob`, which is 0 for very long sentences; None if unknown."""
        return self._treebank._core.log_prob(self._index)

    @property
    def prob(self) -> float | None:
        """The probability of the moves that built the tree: the product of their shares, each among the moves
        that were legal with it. The same tree may come from other moves as well. None if unknown.
        """
        return None if self.log_prob is None else math.exp(self.log_prob)

    @property
    def entropy(self) -> float | None:
        """How much the parser wavers: the entropy of its distribution over derivations, in nats.

        With `probabilities="samples"` an estimate without bias; with `"moves"` the entropies of the choices
        on the way to this tree, added up. None if unknown.
        """
        return self._treebank._core.entropy(self._index)

    def to_string(self, format: Format | None = None) -> str:
        """The sentence as it is written to a file; formats as in `Treebank.to_bytes`."""
        return self._treebank.sentence_to_bytes(self._index, format).decode()

    def to_json(self) -> str:
        """The sentence as a JSON object on a line, without its end; see docs/formats.md."""
        from arcwise.json_output import sentence_to_json

        return sentence_to_json(self)

    def to_svg(
        self, *, columns: Sequence[str] = ("upos",), direction: Literal["ltr", "rtl"] | None = None
    ) -> str:
        """The tree as a picture; options as for `arcwise.svg.svg`."""
        from arcwise.svg import svg

        return svg(self, columns=columns, direction=direction)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from arcwise.svg import html

        return html([self])

    def _repr_svg_(self) -> str:
        """For notebooks that are made into papers."""
        return self.to_svg()


class Token:
    """A word of a sentence. Columns are as the text has them, `_` where it gives no value.

    All but `id` and `form` can be corrected, `token.head = 3`: the treebank that the sentence is of changes,
    and nothing else in it. What cannot be written is refused with a `TreebankError`.
    """

    __slots__ = ("_treebank", "_word", "sentence")

    def __init__(self, sentence: Sentence, word: int) -> None:
        self._treebank = sentence._treebank
        self._word = word
        #: The sentence that the word is in.
        self.sentence = sentence

    @property
    def id(self) -> int:
        """The word's number in its sentence, counted from 1."""
        return self._word - self.sentence._begin + 1

    @property
    def form(self) -> str:
        """The word itself."""
        return self._treebank._base.text(self._word, _FORM)

    @property
    def lemma(self) -> str:
        """The base form."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "lemma")
        return self._treebank._base.text(self._word, _LEMMA)

    @lemma.setter
    def lemma(self, value: str | None) -> None:
        self._correct("lemma", value)

    @property
    def upos(self) -> str:
        """The universal part of speech; CPOSTAG in CoNLL-X."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "upos")
        return self._treebank._base.text(self._word, _UPOS)

    @upos.setter
    def upos(self, value: str | None) -> None:
        self._correct("upos", value)

    @property
    def xpos(self) -> str:
        """The treebank's own part of speech; POSTAG in CoNLL-X."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "xpos")
        return self._treebank._base.text(self._word, _XPOS)

    @xpos.setter
    def xpos(self, value: str | None) -> None:
        self._correct("xpos", value)

    @property
    def feats(self) -> str:
        """The morphological features, as they stand: `Case=Nom|Number=Sing`."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "feats")
        return self._treebank._base.text(self._word, _FEATS)

    @feats.setter
    def feats(self, value: str | None) -> None:
        self._correct("feats", value)

    @property
    def morph(self) -> dict[str, str]:
        """The morphological features by their names."""
        if self.feats == NO_VALUE:
            return {}
        return dict(feature.partition("=")[::2] for feature in self.feats.split("|"))

    @morph.setter
    def morph(self, features: Mapping[str, str]) -> None:
        """Sorted by their names, as UD wants them."""
        pairs = sorted(features.items(), key=lambda feature: feature[0].lower())
        self.feats = "|".join(f"{name}={value}" for name, value in pairs) or NO_VALUE

    @property
    def head(self) -> int | None:
        """The id of the word's head; 0 is ROOT, None unknown."""
        if self._treebank._pending:
            pending = self._treebank._value(self._word, "head")
            return None if pending == NO_VALUE else int(pending)
        head = self._treebank._base.head(self._word)
        return None if head < 0 else head

    @head.setter
    def head(self, head: int | None) -> None:
        self._correct("head", head)

    @property
    def deprel(self) -> str | None:
        """The label of the arc from the head; None if unknown."""
        if self._treebank._pending:
            pending = self._treebank._value(self._word, "deprel")
            return None if pending == NO_VALUE else pending
        return self._treebank._base.deprel(self._word)

    @deprel.setter
    def deprel(self, deprel: str | None) -> None:
        self._correct("deprel", deprel)

    @property
    def is_root(self) -> bool:
        """Whether the word's head is ROOT."""
        return self.head == 0

    @property
    def head_token(self) -> Token | None:
        """The word's head; None under ROOT and where it is unknown."""
        return self.sentence[self.head - 1] if self.head else None

    @property
    def children(self) -> list[Token]:
        """The words that have this one as their head."""
        return [self.sentence[int(i)] for i in np.flatnonzero(self.sentence.heads == self.id)]

    @property
    def subtree(self) -> list[Token]:
        """The word and all below it, in the order of the sentence."""
        children = defaultdict(list)
        for word, head in enumerate(self.sentence.heads.tolist(), start=1):
            children[head].append(word)
        found = [self.id]
        for word in found:
            found += children.pop(word, ())  # each once: unchecked trees may have cycles
        return [self.sentence[word - 1] for word in sorted(set(found))]

    @property
    def start(self) -> int:
        """Where the word begins in the text, in code points: see `arcwise.text.word_spans`."""
        return self._span[0]

    @property
    def end(self) -> int:
        """Where the word ends in the text: the first code point after it."""
        return self._span[1]

    @property
    def _span(self) -> tuple[int, int]:
        return self._treebank.spans[self._word]

    @property
    def head_prob(self) -> float | None:
        """How probable the head is: from `Parser.parse(..., probabilities=...)`, or from `HeadProb` in MISC
        where the tree was read with it; None if unknown.
        """
        return self._treebank._core.head_prob(self._word)

    @property
    def deprel_prob(self) -> float | None:
        """How probable the head is together with this label; `DeprelProb` in MISC."""
        return self._treebank._core.deprel_prob(self._word)

    @property
    def deps(self) -> str:
        """The enhanced dependencies; PHEAD in CoNLL-X."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "deps")
        return self._treebank._base.text(self._word, _DEPS)

    @deps.setter
    def deps(self, value: str | None) -> None:
        self._correct("deps", value)

    @property
    def misc(self) -> str:
        """Anything else; PDEPREL in CoNLL-X."""
        if self._treebank._pending:
            return self._treebank._value(self._word, "misc")
        return self._treebank._base.text(self._word, _MISC)

    @misc.setter
    def misc(self, value: str | None) -> None:
        self._correct("misc", value)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same word of the same treebank."""
        return isinstance(other, Token) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int]:
        return id(self._treebank), self._word

    def _correct(self, column: str, value: object) -> None:
        try:
            if column == "head":
                checked = checked_head(value, self.id, len(self.sentence))
            else:
                checked = checked_value(column, value)
        except TreebankError as error:
            where = f"{self.sentence._where()}: word {self.id} ({self.form[:40]})"
            raise TreebankError(f"{where}: {error}") from None
        self._treebank._correct(self._word, column, checked)

    def __copy__(self) -> Token:
        return Token(self.sentence, self._word)

    def __deepcopy__(self, memo: dict[int, Any]) -> Token:
        from copy import deepcopy

        return Token(deepcopy(self.sentence, memo), self._word)

    def __reduce__(self) -> tuple[Any, ...]:
        return _word_of, (self.sentence, self.id)

    def __repr__(self) -> str:
        head = NO_VALUE if self.head is None else self.head
        return visible(f"<Token {self.id} {self.form!r} ←{self.deprel or NO_VALUE}– {head}>")


@dataclass(frozen=True)
class MultiwordToken:
    """A token that is written as one and stands for several words, such as `don't`."""

    words: list[Token]
    form: str
    misc: str

    @property
    def ids(self) -> tuple[int, int]:
        """The ids of the first word and the last."""
        return self.words[0].id, self.words[-1].id

    @property
    def start(self) -> int:
        """As that of its words."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """As that of its words."""
        return self.words[0].end

    def __repr__(self) -> str:
        first, last = self.ids
        return f"<MultiwordToken {first}-{last} {self.form!r}>"


def _restored(treebank: Treebank, spans: list[tuple[int, int]] | None) -> Sentence:
    """The only sentence of a treebank, at its place in a longer text."""
    treebank._spans = spans
    return treebank[0]


def _word_of(sentence: Sentence, id: int) -> Token:
    return sentence[id - 1]


def position_of(index: int, length: int, what: str) -> int:
    """An index that may count from the end, counted from the beginning."""
    position = index + length if index < 0 else index
    if not 0 <= position < length:
        raise IndexError(f"There is no {what} {index}: there are {counted(length, what)}.")
    return position


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
