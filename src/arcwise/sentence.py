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

Nothing is found out before it is asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._terminal import visible

if TYPE_CHECKING:
    from arcwise.treebank import Format, Treebank

NO_VALUE = "_"


class Sentence(Sequence["Token"]):
    """A sentence of a treebank; indexing and iterating give its words as `Token`s."""

    __slots__ = ("_begin", "_end", "_index", "_treebank")

    def __init__(self, treebank: Treebank, index: int) -> None:
        self._treebank = treebank
        self._index = index
        self._begin = treebank._core.first_word(index)
        self._end = treebank._core.first_word(index + 1)

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
        return id(self._treebank._core), self._index

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
        from arcwise.text import rebuild

        return rebuild(self._treebank[self._index : self._index + 1]).strip()

    @property
    def format(self) -> Format:
        """The format that was read."""
        return self._treebank.format

    @property
    def comments(self) -> list[str]:
        """The comment lines in order, as they stand."""
        return self._treebank._core.comments(self._index)

    def comment(self, key: str) -> str | None:
        """The value of the comment `# key = …`, if there is one and it is not empty."""
        return self._treebank._core.comment(self._index, key) or None

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
        return self._treebank._core.line(self._index)

    @property
    def heads(self) -> NDArray[np.int32]:
        """Each word's head, counted from 1; 0 is ROOT, -1 unknown. Read-only."""
        return self._treebank.heads[self._begin : self._end]

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
    """A word of a sentence. Columns are as the text has them, `_` where it gives no value."""

    __slots__ = ("_core", "_word", "sentence")

    def __init__(self, sentence: Sentence, word: int) -> None:
        self._core = sentence._treebank._core
        self._word = word
        #: The sentence that the word is in.
        self.sentence = sentence

    @property
    def id(self) -> int:
        """The word's number in its sentence, counted from 1."""
        return int(self._core.text(self._word, _core.Column.ID))

    @property
    def form(self) -> str:
        """The word itself."""
        return self._core.text(self._word, _core.Column.FORM)

    @property
    def lemma(self) -> str:
        """The base form."""
        return self._core.text(self._word, _core.Column.LEMMA)

    @property
    def upos(self) -> str:
        """The universal part of speech; CPOSTAG in CoNLL-X."""
        return self._core.text(self._word, _core.Column.UPOS)

    @property
    def xpos(self) -> str:
        """The treebank's own part of speech; POSTAG in CoNLL-X."""
        return self._core.text(self._word, _core.Column.XPOS)

    @property
    def feats(self) -> str:
        """The morphological features, as they stand: `Case=Nom|Number=Sing`."""
        return self._core.text(self._word, _core.Column.FEATS)

    @property
    def morph(self) -> dict[str, str]:
        """The morphological features by their names."""
        if self.feats == NO_VALUE:
            return {}
        return dict(feature.partition("=")[::2] for feature in self.feats.split("|"))

    @property
    def head(self) -> int | None:
        """The id of the word's head; 0 is ROOT, None unknown."""
        head = self._core.head(self._word)
        return None if head < 0 else head

    @property
    def deprel(self) -> str | None:
        """The label of the arc from the head; None if unknown."""
        return self._core.deprel(self._word)

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
        return self.sentence._treebank.spans[self._word]

    @property
    def head_prob(self) -> float | None:
        """How probable the head is: from `Parser.parse(..., probabilities=...)`, or from `HeadProb` in MISC
        where the tree was read with it; None if unknown.
        """
        return self._core.head_prob(self._word)

    @property
    def deprel_prob(self) -> float | None:
        """How probable the head is together with this label; `DeprelProb` in MISC."""
        return self._core.deprel_prob(self._word)

    @property
    def deps(self) -> str:
        """The enhanced dependencies; PHEAD in CoNLL-X."""
        return self._core.text(self._word, _core.Column.DEPS)

    @property
    def misc(self) -> str:
        """Anything else; PDEPREL in CoNLL-X."""
        return self._core.text(self._word, _core.Column.MISC)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same word of the same treebank."""
        return isinstance(other, Token) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int]:
        return id(self._core), self._word

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


def position_of(index: int, length: int, what: str) -> int:
    """An index that may count from the end, counted from the beginning."""
    position = index + length if index < 0 else index
    if not 0 <= position < length:
        raise IndexError(f"There is no {what} {index}: there are {counted(length, what)}.")
    return position


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
