"""Silver trees: those of another parser, read from disk a chunk at a time.

>>> silver = SilverTrees.of("examples/garden/dev.conllu")
>>> silver.words, silver.chunk_count
(417, 1)
>>> silver.chunk(0).word_count == silver.chunk(5).word_count == silver.words
True
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from arcwise import _core
from arcwise._files import is_standard_stream
from arcwise._terminal import counted
from arcwise.augmentation import Signs, with_variants
from arcwise.errors import OptionError, TreebankError
from arcwise.treebank import Format, Treebank
from arcwise.treebank_files import PathLike

if TYPE_CHECKING:
    from arcwise import _core
    from arcwise.distillation import Teachers

CHUNK_WORDS = 100_000
"""How many words are in memory at a time, and are shuffled."""
_BATCH_BYTES = 4_000_000


class _Survey(NamedTuple):
    """What one pass over all trees tells."""

    sentences: int
    words: int
    chunks: int
    bad: int
    fingerprint: str


class SilverTrees:
    """The trees of files, or of a treebank, in chunks of `CHUNK_WORDS` words.

    Files are CoNLL-U or CoNLL-X, which may be compressed (`.xz`, `.gz`, `.bz2`). Nothing that is held in
    memory grows with them. A chunk ends with the sentence that brings it to so many words.
    """

    def __init__(
        self, sources: Iterable[Treebank | PathLike], *, format: Format | None = None, skip_bad: bool = False
    ) -> None:
        self._sources = list(sources)
        if not self._sources:
            raise OptionError("There are no silver trees: name a file of them, or leave them out (silver).")
        if any(not isinstance(s, Treebank) and is_standard_stream(s) for s in self._sources):
            raise OptionError("Silver trees are read more than once, and standard input is not: name a file.")
        self._format, self._skip_bad = format, skip_bad
        self._share, self._seed = 0.0, 1  # of variants
        self._signs: Signs | None = None
        self._pass: Iterator[Treebank] | None = None
        self._next = 0  # chunk of that pass

    @classmethod
    def of(cls, given: GivenSilver) -> SilverTrees:
        """Silver trees from whatever they are given as."""
        if isinstance(given, SilverTrees):
            return given
        return cls([given] if isinstance(given, (Treebank, str, os.PathLike)) else given)

    @property
    def teachers(self) -> Teachers | None:
        """Who know more than the trees say, if that is so."""
        return None

    def described(self, tagging_set: _core.TaggingSet | None) -> str:
        """What is learnt from, in words; with teachers, it depends on the tags that are learnt."""
        return f"{counted(self.words, 'word')} of silver trees in {self.name}"

    def with_variants_as_in(self, treebank: Treebank, share: float, seed: int) -> SilverTrees:
        """The same, and a share of each chunk's sentences a second time, as other texts would have them.

        Signs that are put in are treated as in the treebank.
        """
        other = SilverTrees(self._sources, format=self._format, skip_bad=self._skip_bad)
        other._share, other._seed, other._signs = share, seed, Signs(treebank)
        return other

    @property
    def name(self) -> str:
        """Of the files, in words."""
        names = [Path(s.source if isinstance(s, Treebank) else s).name for s in self._sources]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def sentences(self) -> int:
        """How many there are, without variants."""
        return self._survey.sentences

    @property
    def words(self) -> int:
        """How many there are, without those of variants."""
        return self._survey.words

    @property
    def words_seen(self) -> int:
        """How many words a pass comes to, more or less, with variants."""
        return round(self.words * (1 + self._share))

    @property
    def chunk_count(self) -> int:
        """How many chunks there are in a pass."""
        return self._survey.chunks

    @property
    def bad(self) -> int:
        """How many sentences were skipped, because they make no tree."""
        return self._survey.bad

    @property
    def fingerprint(self) -> str:
        """Tells silver trees apart."""
        return self._survey.fingerprint

    @cached_property
    def _survey(self) -> _Survey:
        sentences = words = chunks = bad = 0
        hashed = hashlib.sha256()

        def parts() -> Iterator[Treebank]:
            nonlocal bad
            for part in self._parts():
                bad += len(part.bad)
                yield part

        for chunk in _cut(parts()):
            sentences, words, chunks = sentences + len(chunk), words + chunk.word_count, chunks + 1
            hashed.update(chunk.to_bytes())
        if words == 0:
            raise TreebankError(f"{self.name} has no silver trees: check the name.")
        return _Survey(sentences, words, chunks, bad, hashed.hexdigest())

    def chunks(self) -> Iterator[Treebank]:
        """One pass over all trees, as they are."""
        return _cut(self._parts())

    def chunk(self, number: int, least: float = 0.0) -> Treebank:
        """The chunk of this number, from 0 through all passes, with its variants, and without what is less
        probable than `least`. The next one is the soonest to come by."""
        at = number % self.chunk_count
        if self._pass is None or at < self._next:
            self._pass, self._next = self.chunks(), 0
        chunk: Treebank | None = None
        while self._next <= at:
            chunk = next(self._pass, None)
            self._next += 1
        if chunk is None:
            raise TreebankError(f"{self.name} has become shorter during training: leave it as it is.")
        if least > 0:
            chunk = Treebank(_core.without_unsure(chunk._core, least), chunk.source)
        return with_variants(chunk, self._share, self._seed + number, self._signs)

    def _parts(self) -> Iterator[Treebank]:
        return (part for source in self._sources for part in self._parts_of(source))

    def _parts_of(self, source: Treebank | PathLike) -> Iterator[Treebank]:
        if isinstance(source, Treebank):
            yield source
            return
        yield from Treebank.stream(
            source,
            batch_bytes=_BATCH_BYTES,
            format=self._format,
            skip_bad=self._skip_bad,
            decompress=True,
        )


def _cut(parts: Iterable[Treebank]) -> Iterator[Treebank]:
    """A treebank that comes in parts of any size, in chunks."""
    held: list[Treebank] = []
    words = 0
    for part in parts:
        begin = 0
        while begin < len(part):
            first = part.first_words
            # The first sentence end at which there are enough words.
            end = int(first.searchsorted(first[begin] + CHUNK_WORDS - words))
            held.append(part[begin:end])
            words += held[-1].word_count
            begin = min(end, len(part))
            if words >= CHUNK_WORDS:
                yield _joined(held)
                held, words = [], 0
    if held:
        yield _joined(held)


def _joined(parts: list[Treebank]) -> Treebank:
    return parts[0] if len(parts) == 1 else Treebank.concat(parts)


GivenSilver: TypeAlias = SilverTrees | Treebank | PathLike | Sequence[Treebank | PathLike]
"""What silver trees may be given as."""
