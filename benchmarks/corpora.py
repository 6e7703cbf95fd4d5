"""Raw English text to be parsed: that of en_ewt, and that of other corpora with spaces put back."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from arcwise.text import rebuild
from treebanks import PARTS, load

TEXT = Path(__file__).resolve().parents[2] / "shared" / "text"
WORDS = 500_000
PARAGRAPH = 5
"""Sentences to a paragraph, where the corpus does not know paragraphs."""

CLOSING = re.compile(r" ([,.;:!?)\]}%’”…]|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b)", re.IGNORECASE)
OPENING = re.compile(r"([(\[{$£€“‘#]) ")
QUOTED = re.compile(r'" ([^"]*) "')


def with_spaces_put_back(sentence: str) -> str:
    r"""The text of a sentence of tokens, as well as can be.

    >>> with_spaces_put_back('He said , " I do n\'t ( really ) know . "')
    'He said, "I don\'t (really) know."'
    """
    text = OPENING.sub(r"\1", CLOSING.sub(r"\1", QUOTED.sub(r'"\1"', sentence)))
    return text.replace("\u00a0", " ")


def of_treebank(data: Path) -> str:
    """The raw text of all parts of en_ewt, once each."""
    return "\n\n".join(rebuild(load(data, "en_ewt", part)).strip() for part in PARTS) + "\n"


def of_other_texts(folder: Path) -> str:
    """Equal shares of all files of tokens in a folder, nothing repeated."""
    files = sorted(folder.glob("*.txt.xz"))

    def paragraphs(path: Path) -> Iterator[str]:
        left = WORDS / len(files)
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            while left > 0 and (sentences := [line.strip() for line in islice(lines, PARAGRAPH)]):
                left -= sum(len(sentence.split(" ")) for sentence in sentences)
                yield " ".join(map(with_spaces_put_back, sentences))

    return "\n\n".join(paragraph for path in files for paragraph in paragraphs(path)) + "\n"


CORPORA = {"en_ewt": of_treebank, "other texts": of_other_texts}
