r"""Documents: what a pipeline makes of a text.

>>> document = Document(Treebank.from_words([["Dogs", "bark"], ["Hush"]]))
>>> document
<Document: 2 sentences, 3 words>
>>> document.text
'Dogs bark Hush '
>>> [token.form for token in document.tokens]
['Dogs', 'bark', 'Hush']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from arcwise.sentence import Sentence, Token, counted
from arcwise.treebank import Treebank

__all__ = ["Document"]


class Document(Sequence[Sentence]):
    """The sentences of a text: a `Treebank` and, if it is known, the text that it was made of.

    `Token.start` and `Token.end` count in that text.
    """

    __slots__ = ("_text", "treebank")

    def __init__(self, treebank: Treebank, text: str | None = None) -> None:
        """Wraps a treebank; without a text, `arcwise.text.rebuild` finds it when it is asked for."""
        #: The sentences, with all that is known of them.
        self.treebank = treebank
        # Segmenters take no byte order mark for text, and places are counted without it.
        self._text = None if text is None else text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            from arcwise.text import rebuild

            self._text = rebuild(self.treebank)
        return self._text

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

    def to_conllu(self) -> str:
        """The document in CoNLL-U."""
        return self.treebank.to_string("conllu")

    def to_json(self) -> str:
        """The document as one JSON object: its text, and its sentences as `Sentence.to_json` gives them."""
        import json

        from arcwise.json_output import sentences_to_json

        sentences = ",".join(sentences_to_json(self.treebank))
        return f'{{"text":{json.dumps(self.text, ensure_ascii=False)},"sentences":[{sentences}]}}'
