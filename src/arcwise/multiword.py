"""How multiword tokens fall into words (`don't`: `do`, `n't`; French `du`: `de`, `le`), learnt by example.

Tokens that were seen are known by their form, in lower case, capitalised and in capitals. Others follow
rules: how a token begins or ends, and what its words are then, with a star for the rest of it: where it ends
in `n't`, `*` and `n't`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arcwise import _core
from arcwise.text import RawSentence

_STEM = "*"
_LEAST_FORMS = 3  # that a rule is right for
_LEAST_PRECISION = 0.3  # the share of the tokens that a rule fits which it splits rightly
_FEW = 3  # times that a form was split, below which the treebank has to say more for it
_LEAST_SHARE = 0.3  # of a form that was split so seldom, with as many tokens that the rule fits
_MANY = 30  # multiword tokens that have a word, to say that it is one of their kind
_LEAST_INNER = 2  # forms that have a word before their last
_MOST_COMPOSITIONS = 1000
_CONTEXT = 2  # characters beyond those that a rule changes

_APOSTROPHES = (str.maketrans("'", "’"), str.maketrans("’", "'"))
"""Texts have one or the other throughout, whatever the treebank has."""

Words = tuple[str, ...]
Ends = tuple[str, str]


@dataclass(frozen=True)
class Multiwords:
    """Multiword tokens: known ones, whether tokens of that form always are, and rules by their two ends."""

    known: Mapping[str, tuple[Words, bool]]
    rules: Mapping[Ends, Words]
    apart: bool = False
    """Whether what is learnt of one known form is learnt of no other, as older versions did."""

    def to_core(self) -> _core.Splits:
        known = [(form, list(words), always) for form, (words, always) in self.known.items()]
        rules = [(*ends, list(words)) for ends, words in self.rules.items()]
        return _core.Splits(known, rules, self.apart)

    def without_what_rules_know(self) -> Multiwords:
        """The same, but forms that are always split, and rightly so by the rules, are left to these.

        In training, what is known leaves no choice: tokens as they come that are not known teach when to
        follow the rules.
        """
        rules = replace(self, known={}).to_core()

        def is_left(form: str, words: Words, always: bool) -> bool:
            return always and rules.use(form) != 0 and tuple(rules.words(form)) == words

        return replace(self, known={form: of for form, of in self.known.items() if not is_left(form, *of)})

    def to_header(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "known": [[form, *of_form] for form, of_form in self.known.items()],
            "rules": [[*ends, words] for ends, words in self.rules.items()],
            "apart": self.apart,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Multiwords:
        """What `to_header` gave."""
        return cls(
            {form: (tuple(words), bool(always)) for form, words, always in header["known"]},
            {(prefix, suffix): tuple(words) for prefix, suffix, words in header["rules"]},
            bool(header.get("apart", False)),
        )


def learn_multiwords(sentences: Iterable[RawSentence]) -> Multiwords:
    """The multiword tokens of a treebank."""
    whole: Counter[str] = Counter()
    split: Counter[tuple[str, Words]] = Counter()
    for sentence in sentences:
        for token in sentence.tokens:
            if token.words:
                split[token.text, token.words] += 1
            else:
                whole[token.text.lower()] += 1
    split = _likely(split, whole)
    known: dict[str, tuple[Words, bool]] = {}
    # The most frequent way counts; a form's own comes before what another's case makes of it.
    for variant in (lambda text: text, str.lower, _capitalised, str.upper):
        for (form, words), _ in split.most_common():
            always = whole[form.lower()] == 0
            known.setdefault(variant(form), (_in_case(variant(form), form, words), always))
    rules = dict(_rules(split, whole))
    rules = {**dict(_compositions(rules, split, whole)), **rules}
    for other in _APOSTROPHES:
        for form, (words, always) in list(known.items()):
            known.setdefault(form.translate(other), (_translated(words, other), always))
        for (prefix, suffix), words in list(rules.items()):
            rules.setdefault((prefix.translate(other), suffix.translate(other)), _translated(words, other))
    every = Multiwords(known, rules, apart=True)
    # Rare spellings would be nearly half of what a model keeps of multiword tokens.
    needed = every.without_what_rules_know().known
    kept = {form: of for form, of in known.items() if form in needed or not _is_rare_spelling(form)}
    return replace(every, known=kept)


def _is_rare_spelling(form: str) -> bool:
    """Whether few texts spell a form so: in capitals, or with a typographic apostrophe and a capital."""
    return form.isupper() if "’" not in form else not form.islower()


def _translated(words: Words, table: Mapping[int, int]) -> Words:
    return tuple(word.translate(table) for word in words)


def _likely(split: Counter[tuple[str, Words]], whole: Counter[str]) -> Counter[tuple[str, Words]]:
    """Without forms that may be a slip of the pen: `dogs` for `dog's`, once, where it is one word elsewhere.

    Of what was split once or twice, others of its kind speak for it as well: tokens that its rule would split
    rightly, or its word in other multiword tokens (`they're` for `theyre`).
    """
    times: Counter[tuple[str, Words]] = Counter()
    for (form, words), count in split.items():
        times[form.lower(), tuple(map(str.lower, words))] += count
    general = {of_form: rule for of_form in times if (rule := _general_rule(*of_form)) is not None}
    right = Counter(rule for rule, _ in general.values())
    fits = _fits({ends for ends, _ in right}, dict.fromkeys([*whole, *(form for form, _ in times)]))
    hosts: Counter[tuple[int, str]] = Counter()
    for (_, words), count in times.items():
        hosts.update(dict.fromkeys(enumerate(words), count))

    def is_likely(form: str, words: Words) -> bool:
        count = times[form, words]
        if count >= _FEW or (form, words) not in general:
            return True
        rule, host = general[form, words]
        others = hosts[host, words[host]] - count
        prior = max(right[rule] / fits[rule[0]], others / (others + _MANY))
        return count + _FEW * prior >= _LEAST_SHARE * (count + whole[form] + _FEW)

    return Counter(
        {
            (form, words): count
            for (form, words), count in split.items()
            if is_likely(form.lower(), tuple(map(str.lower, words)))
        }
    )


def _general_rule(form: str, words: Words) -> tuple[tuple[Ends, Words], int] | None:
    """The rule that splits a form so and looks at the least of it, and which word it leaves as it is."""
    rules = [(rule, rule[1].index(_STEM)) for rule in _candidates(form, words, 0) if _STEM in rule[1]]
    return min(rules, key=lambda rule: len("".join(rule[0][0])), default=None)


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


def _rules(split: Counter[tuple[str, Words]], whole: Counter[str]) -> Iterator[tuple[Ends, Words]]:
    """Those that are right often enough, in lower case and in capitals.

    Forms that none is right for are looked at again with more context.
    """
    left = list(dict.fromkeys((form.lower(), tuple(word.lower() for word in words)) for form, words in split))
    seen = dict.fromkeys([*whole, *(form for form, _ in left)])
    for context in range(_CONTEXT + 1):
        candidates: defaultdict[Ends, defaultdict[Words, list[tuple[str, Words]]]]
        candidates = defaultdict(lambda: defaultdict(list))
        for form, words in left:
            for ends, pattern in _candidates(form, words, context):
                candidates[ends][pattern].append((form, words))
        fits = _fits(candidates, seen)
        done: set[tuple[str, Words]] = set()
        for ends, patterns in candidates.items():
            pattern, right = max(patterns.items(), key=lambda of: len(of[1]))
            if len(right) < max(_LEAST_FORMS, _LEAST_PRECISION * fits[ends]):
                continue
            done.update(right)
            yield ends, pattern
            if (capitals := (ends[0].upper(), ends[1].upper())) != ends:
                yield capitals, tuple(word.upper() for word in pattern)
        left = [of_form for of_form in left if of_form not in done]


def _compositions(
    rules: Mapping[Ends, Words], split: Counter[tuple[str, Words]], whole: Counter[str]
) -> Iterator[tuple[Ends, Words]]:
    """Rules for words that were not seen one after the other at the end of a token.

    One that stands before the last may stand before all that are last, unless words of the treebank fit:
    after `dir|me|lo` and `far|la`, there may be a `…|me|la`; after `do|n't` and `we|'ve` a `…|n't|'ve`.
    """
    inner: Counter[str] = Counter()
    for form, words in dict.fromkeys((form.lower(), tuple(map(str.lower, words))) for form, words in split):
        if len(words) > 2 and form.endswith("".join(words[1:])):
            inner[words[-2]] += 1
    last = [suffix for (prefix, suffix), words in rules.items() if not prefix and words == (_STEM, suffix)]
    marked = [suffix for suffix in last if not suffix.isalpha()]
    inner_words = dict.fromkeys([*(word for word, seen in inner.items() if seen >= _LEAST_INNER), *marked])
    made = {("", first + second): (_STEM, first, second) for first in inner_words for second in last}
    made = dict(list(made.items())[:_MOST_COMPOSITIONS])
    fits = _fits(made, whole)
    for ends, pattern in made.items():
        if fits[ends] == 0:
            yield ends, pattern


def _candidates(form: str, words: Words, context: int) -> Iterator[tuple[Ends, Words]]:
    """Rules that split a form so: a part of it stays as it is, in one of its words.

    With context, they look at so many characters beside those that they change.
    """
    from difflib import SequenceMatcher  # here, since segmenting has no use for it

    if any(_STEM in word for word in words):
        return
    for number, word in enumerate(words):
        in_form, in_word, size = SequenceMatcher(None, form, word, autojunk=False).find_longest_match()
        # Only where there is something to change, there is something beside it.
        left = context if in_form > 0 else 0
        right = context if in_form + size < len(form) else 0
        if size <= left + right or left + right == 0 < context:
            continue
        begin, end = in_form + left, in_form + size - right
        stem = word[: in_word + left] + _STEM + word[in_word + size - right :]
        yield (form[:begin], form[end:]), (*words[:number], stem, *words[number + 1 :])


def _fits(candidates: Iterable[Ends], forms: Iterable[str]) -> Counter[Ends]:
    """How many forms begin and end as each rule wants."""
    wanted = set(candidates)
    lengths = {(len(prefix), len(suffix)) for prefix, suffix in wanted}
    fits: Counter[Ends] = Counter()
    for form in forms:
        for prefix, suffix in lengths:
            if prefix + suffix < len(form):
                ends = form[:prefix], form[len(form) - suffix :]
                fits[ends] += ends in wanted
    return fits
