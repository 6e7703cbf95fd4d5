"""How multiword tokens fall into words (`don't`: `do`, `n't`; French `du`: `de`, `le`), learnt by example.

Tokens that were seen are known by their form, in lower case, capitalised and in capitals. Others follow
rules: how a token begins or ends, and what its words are then, with a star for the rest of it: where it ends
in `n't`, `*` and `n't`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arcwise import _core
from arcwise.text import RawSentence

_STEM = "*"
_LEAST_USES = 2  # of a rule
_LEAST_PRECISION = 0.3  # the share of the tokens that a rule fits which it splits rightly
_CONTEXT = 2  # characters beyond those that a rule changes

Words = tuple[str, ...]


@dataclass(frozen=True)
class Multiwords:
    """Multiword tokens: known ones, whether tokens of that form always are, and rules by their two ends."""

    known: Mapping[str, tuple[Words, bool]]
    rules: Mapping[tuple[str, str], Words]

    def to_core(self) -> _core.Splits:
        known = [(form, list(words), always) for form, (words, always) in self.known.items()]
        return _core.Splits(known, [(*ends, list(words)) for ends, words in self.rules.items()])

    def to_header(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "known": [[form, *of_form] for form, of_form in self.known.items()],
            "rules": [[*ends, words] for ends, words in self.rules.items()],
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Multiwords:
        """What `to_header` gave."""
        return cls(
            {form: (tuple(words), bool(always)) for form, words, always in header["known"]},
            {(prefix, suffix): tuple(words) for prefix, suffix, words in header["rules"]},
        )


def learn_multiwords(sentences: Iterable[RawSentence], *, least_uses: int = 1) -> Multiwords:
    """The multiword tokens of a treebank; those seen less often than `least_uses` make rules alone."""
    whole: Counter[str] = Counter()
    split: Counter[tuple[str, Words]] = Counter()
    for sentence in sentences:
        for token in sentence.tokens:
            if token.words:
                split[token.text, token.words] += 1
            else:
                whole[token.text.lower()] += 1
    uses: Counter[str] = Counter()
    for (form, _), count in split.items():
        uses[form.lower()] += count
    known: dict[str, tuple[Words, bool]] = {}
    # The most frequent way counts; a form's own comes before what another's case makes of it.
    for variant in (lambda text: text, str.lower, _capitalised, str.upper):
        for (form, words), _ in split.most_common():
            if uses[form.lower()] >= least_uses:
                always = whole[form.lower()] == 0
                known.setdefault(variant(form), (_in_case(variant(form), form, words), always))
    return Multiwords(known, dict(_rules(split, whole)))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _in_case(form: str, seen: str, words: Words) -> Words:
    """The words of a form as another case of it, which was seen, has them."""
    if form == seen:
        return words
    if "".join(words).lower() == form.lower():  # cut as they stand
        cut, begin = [], 0
        for word in words:
            cut.append(form[begin : begin + len(word)])
            begin += len(word)
        return tuple(cut)
    if form.isupper() and len(form) > 1:
        return tuple(word.upper() for word in words)
    lower = [word.lower() for word in words]
    return (_capitalised(lower[0]), *lower[1:]) if form[:1].isupper() else tuple(lower)


def _rules(split: Counter[tuple[str, Words]], whole: Counter[str]) -> Iterator[tuple[tuple[str, str], Words]]:
    """Those that are right often enough, in lower case and in capitals."""
    candidates: defaultdict[tuple[str, str], Counter[Words]] = defaultdict(Counter)
    for form, words in split:  # each form once: rules are for forms that are not known
        for ends, pattern in _candidates(form.lower(), tuple(word.lower() for word in words)):
            candidates[ends][pattern] += 1
    fits = _fits(candidates, [*whole, *{form.lower() for form, _ in split}])
    for (prefix, suffix), patterns in candidates.items():
        pattern, right = patterns.most_common(1)[0]
        if right < _LEAST_USES or right < _LEAST_PRECISION * fits[prefix, suffix]:
            continue
        yield (prefix, suffix), pattern
        capitals = prefix.upper(), suffix.upper()
        if capitals != (prefix, suffix) and capitals not in candidates:
            yield capitals, tuple(word.upper() for word in pattern)


def _candidates(form: str, words: Words) -> Iterator[tuple[tuple[str, str], Words]]:
    """Rules that split a form so: one of its words, at an end of it, is what is left of the form."""
    if any(_STEM in word for word in words):
        return
    stem = _shared(form, words[0])
    for kept in range(max(1, stem - _CONTEXT), stem + 1):
        if kept < len(form):
            yield ("", form[kept:]), (_STEM + words[0][kept:], *words[1:])
    stem = _shared(form[::-1], words[-1][::-1])
    for kept in range(max(1, stem - _CONTEXT), stem + 1):
        if kept < len(form):
            yield (form[:-kept], ""), (*words[:-1], words[-1][:-kept] + _STEM)


def _shared(a: str, b: str) -> int:
    """How many characters two texts begin with alike."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _fits(candidates: Iterable[tuple[str, str]], forms: Iterable[str]) -> Counter[tuple[str, str]]:
    """How many forms begin and end as each rule wants."""
    prefixes = {prefix for prefix, _ in candidates if prefix}
    suffixes = {suffix for _, suffix in candidates if suffix}
    longest = max((len(end) for end in (*prefixes, *suffixes)), default=0)
    fits: Counter[tuple[str, str]] = Counter()
    for form in forms:
        for length in range(1, min(longest + 1, len(form))):
            if form[:length] in prefixes:
                fits[form[:length], ""] += 1
            if form[-length:] in suffixes:
                fits["", form[-length:]] += 1
    return fits
