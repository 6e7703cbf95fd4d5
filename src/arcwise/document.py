r"""Documents: what a pipeline makes of a text.

>>> document = Document(Treebank.from_words([["Dogs", "bark"], ["Hush"]]))
>>> document
<Document: 2 sentences, 3 words>
>>> document.text
'Dogs bark Hush '
>>> [token.form for token in document.tokens]
['Dogs', 'bark', 'Hush']
>>> Document.from_json(document.to_json()).to_conllu() == document.to_conllu()
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from arcwise.sentence import Sentence, Token, counted
from arcwise.treebank import Treebank

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    from arcwise.arrow import ArrowTable

__all__ = ["Document"]


class Document(Sequence[Sentence]):
    """The sentences of a text: a `Treebank` and, if it is known, the text that it was made of.

    `Token.start` and `Token.end` count in that text. To correct a word corrects the treebank.
    """

    __slots__ = ("_rebuilt", "_text", "treebank")

    def __init__(self, treebank: Treebank, text: str | None = None) -> None:
        """Wraps a treebank; without a text, `arcwise.text.rebuild` finds it when it is asked for."""
        #: The sentences, with all that is known of them.
        self.treebank = treebank
        self._text = text
        self._rebuilt: tuple[int, str] | None = None  # at which version of the treebank

    @classmethod
    def from_conllu(cls, text: str | bytes, *, check_trees: bool = True, source: str = "<text>") -> Document:
        """A document from CoNLL-U; options as of `Treebank.from_string`."""
        return cls(Treebank.from_string(text, check_trees=check_trees, source=source))

    @classmethod
    def from_json(cls, text: str | bytes, *, check_trees: bool = True, source: str = "<json>") -> Document:
        """A document from what `to_json` gives, or from JSON Lines, an object a sentence.

        Raises:
            TreebankError: It is no JSON, or other JSON, or a sentence makes no sense; or heads make no trees,
                with `check_trees`. The message says where.
        """
        from arcwise.json_input import Reading, from_json

        return cls(*from_json(text, source=source, how=Reading(check_trees=check_trees)))

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is not None:
            return self._text
        if self._rebuilt is None or self._rebuilt[0] != self.treebank.version:
            from arcwise.text import rebuild

            self._rebuilt = self.treebank.version, rebuild(self.treebank)
        return self._rebuilt[1]

    @property
    def tokens(self) -> list[Token]:
        """The words of all sentences."""
        return [token for sentence in self for token in sentence]

    def __len__(self) -> int:
        return len(self.treebank)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | list[Sentence]:
        if isinstance(index, slice):
            return [self.treebank[i] for i in range(*index.indices(len(self)))]
        return self.treebank[index]

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.treebank)

    def __copy__(self) -> Document:
        return Document(self.treebank, self._text)

    def __deepcopy__(self, memo: dict[int, Any]) -> Document:
        from copy import deepcopy

        return Document(deepcopy(self.treebank, memo), self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Document, (self.treebank, self._text)

    def __repr__(self) -> str:
        words = counted(self.treebank.word_count, "word")
        return f"<Document: {counted(len(self), 'sentence')}, {words}>"

    def __str__(self) -> str:
        """The trees, as `arcwise.draw.draw_all` draws them."""
        from arcwise.draw import draw_all

        return draw_all(self).rstrip("\n")

    def _repr_html_(self) -> str:
        """For notebooks: pictures of the trees."""
        from arcwise.svg import html

        return html(self)

    def check(self, *, partial: bool = False, single_root: bool = True) -> None:
        """Refuses sentences whose heads make no tree, as `Sentence.check` does."""
        self.treebank.check(partial=partial, single_root=single_root)

    def to_conllu(self) -> str:
        """The document in CoNLL-U."""
        return self.treebank.to_string("conllu")

    def to_json(self) -> str:
        """The document as one JSON object: its text, and its sentences as `Sentence.to_json` gives them.

        `from_json` gives the document back.
        """
        from arcwise.json_output import document_to_json

        return document_to_json(self.treebank, self.text)

    def to_arrow(
        self,
        rows: Literal["word", "sentence", "document"] = "word",
        *,
        columns: Sequence[str] | None = None,
    ) -> ArrowTable:
        """The document as a table: see `Treebank.to_arrow`, and `arcwise.arrow.table` for many documents."""
        from arcwise.arrow import made

        return made(self.treebank, rows=rows, columns=columns)

    def to_dict(self) -> list[list[dict[str, Any]]]:
        """The sentences as lists of words, each a dict, as Stanza's `Document.to_dict` gives them.

        Words of the text have `start_char` and `end_char`; a multiword token comes before its words, and has
        two numbers as its `id`. What a word has nothing for is left out.

        >>> document = Document(Treebank.from_words([["Hush"]], upos=[["INTJ"]]))
        >>> document.to_dict()
        [[{'id': 1, 'text': 'Hush', 'upos': 'INTJ', 'start_char': 0, 'end_char': 4}]]
        """
        from arcwise.stanza_form import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, sentences: Sequence[Sequence[Mapping[str, Any]]], text: str | None = None) -> Document:
        """A document from what `to_dict` gives, or Stanza's own.

        With the `text`, white space is as it stands there; without, as `start_char` and `end_char` tell.
        """
        from arcwise.stanza_form import from_dict

        return from_dict(sentences, text)

    def to_spacy(self, vocab: Vocab | None = None) -> Doc:
        """The document as spaCy's `Doc`, with trees, tags, lemmas and probabilities as far as it has them.

        `vocab` is that of a pipeline, `nlp.vocab`, which is to work on with it. Needs the extra `spacy`; see
        docs/spacy.md for what becomes of multiword tokens.

        Raises:
            TreebankError: Some words have a head and others have none, or heads make no trees.
        """
        from arcwise.spacy import to_spacy

        return to_spacy(self, vocab)

    @classmethod
    def from_spacy(cls, doc: Doc) -> Document:
        """A document of a `Doc` of spaCy's, with its sentences, trees, tags, lemmas and white space."""
        from arcwise.spacy import from_spacy

        return from_spacy(doc)
