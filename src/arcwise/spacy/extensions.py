"""What spaCy's documents and tokens know of arcwise's beyond spaCy's own attributes."""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

MULTIWORD = "arcwise_multiword_tokens"
"""In `Doc.user_data`, which spaCy stores: where each begins and ends in tokens, and its text."""
TEXT = "arcwise_text"
"""The text, where it is another than `Doc.text`."""


class MultiwordToken(NamedTuple):
    """What is written as one and stands for several tokens."""

    span: Span
    text: str


def _multiword_tokens(doc: Doc) -> list[MultiwordToken]:
    return [MultiwordToken(doc[begin:end], text) for begin, end, text in doc.user_data.get(MULTIWORD, ())]


def _multiword_token(token: Token) -> MultiwordToken | None:
    for found in _multiword_tokens(token.doc):
        if found.span.start <= token.i < found.span.end:
            return found
    return None


def _source_text(doc: Doc) -> str:
    return str(doc.user_data.get(TEXT, doc.text))


def register() -> None:
    """Makes the extensions known to spaCy; those that a user has made before stay."""
    for kind, name, how in (
        (Doc, "multiword_tokens", {"getter": _multiword_tokens}),
        (Doc, "source_text", {"getter": _source_text}),
        (Token, "multiword_token", {"getter": _multiword_token}),
        (Token, "head_prob", {"default": None}),
        (Token, "deprel_prob", {"default": None}),
    ):
        if not kind.has_extension(name):
            kind.set_extension(name, **how)


register()
