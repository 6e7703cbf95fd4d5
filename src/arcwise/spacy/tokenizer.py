"""arcwise's segmenter as spaCy's tokenizer: sentences, tokens and the words of multiword tokens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from arcwise.pipeline import Pipeline
from arcwise.segmenter import with_replacements
from arcwise.spacy.models import HeldModel, Serialized
from arcwise.spacy.tokens import keep_read, tokenized


class Tokenizer(Serialized):
    """Makes documents of texts, with their sentences: `nlp.tokenizer = Tokenizer(nlp.vocab, "en")`."""

    def __init__(
        self, vocab: Vocab, model: str | os.PathLike[str] | Pipeline = "en", *, embed: bool = False
    ) -> None:
        self.vocab = vocab
        self.held = HeldModel(model, embed=embed)

    def __call__(self, text: str) -> Doc:
        """The tokens of a text. A text that cannot be read has U+FFFD where it could not."""
        segmenter = self.held.pipeline.demand("segmenter")
        text = with_replacements(text)
        treebank = segmenter.segment(text)
        made = tokenized(self.vocab, treebank, text)
        keep_read(made, treebank)
        return made.doc

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """The documents of several texts, in order."""
        return map(self, texts)


def make_tokenizer(model: str = "en", embed: bool = False) -> Callable[[Language], Tokenizer]:
    """For spaCy's configuration: `{"@tokenizers": "arcwise.Tokenizer.v1", "model": "en"}`."""
    return lambda nlp: Tokenizer(nlp.vocab, model, embed=embed)


spacy.registry.tokenizers("arcwise.Tokenizer.v1", func=make_tokenizer)
