"""arcwise in spaCy: a component, a tokenizer, whole pipelines, and documents there and back (docs/spacy.md).

Needs the extra `spacy`. The component is there by its name, `nlp.add_pipe("arcwise")`, without an import.
"""

from __future__ import annotations

from arcwise.errors import OptionError

try:
    import spacy as _spacy  # noqa: F401
except ImportError as error:
    raise OptionError(
        "spaCy is not installed, which arcwise.spacy works in: pip install 'arcwise[spacy]'."
    ) from error

from arcwise.spacy.component import Component, make_component, pipeline
from arcwise.spacy.documents import from_spacy, to_spacy
from arcwise.spacy.extensions import MultiwordToken
from arcwise.spacy.tokenizer import Tokenizer, make_tokenizer

__all__ = [
    "Component",
    "MultiwordToken",
    "Tokenizer",
    "from_spacy",
    "make_component",
    "make_tokenizer",
    "pipeline",
    "to_spacy",
]
