"""Sentences of a treebank as other texts would have them, to be learnt from beside its own.

Text in use has what a treebank may lack: list items, headings without a period, other quotation marks and
dashes, emoji, capitals throughout, none at all, and letters without their accents. A sign that training never
saw is taken for a word. So some sentences are seen a second time, changed:

    >>> treebank = Treebank.read("examples/garden/train.conllu")
    >>> variants = augmented(treebank, 0.2, seed=1)
    >>> variants.treebank[0].text
    '– THE GARDENER PLANTED THE ROSES IN THE GARDEN.'
    >>> augmented(treebank, 0.2, seed=1).treebank.to_string() == variants.treebank.to_string()
    True

What is put in has the tags and the label that the treebank itself gives most of its signs of that kind.
"""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arcwise.sentence import NO_VALUE, Sentence
from arcwise.text import raw_sentences
from arcwise.treebank import Treebank

DASHES = ("-", "–", "—")
BULLETS = ("•", "-", "*", "–", "·", "▪", "●", "◦", "‣", "→", "►")
QUOTES = (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("‘", "’"), ("‹", "›"))
EMOJI = ("😀", "😂", "🙂", "😍", "👍", "🎉", "❤️", "🔥", "😢", "🙏", "👏", "✅")
BRACKETS = (("(", ")"), ("(", ")"), ("[", "]"))
_OPENING, _CLOSING = ({pair[side] for pair in QUOTES} | {"``", "''"} for side in (0, 1))
_FINAL = frozenset(".!?…。！？؟۔।:;")
_APOSTROPHES = str.maketrans("'", "’")
LEAST_SIGNS = 10
"""Of a kind, to know how the treebank treats it."""
TWICE = 0.3
"""How often a sentence is changed in two ways."""


@dataclass(eq=False)
class _Word:
    """A row: the columns from LEMMA to FEATS, the word that it depends on, and its label."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str
    head: _Word | None = None
    no_head: str = "0"
    """What HEAD says if there is no such word: that it is the root, or nothing."""


@dataclass(eq=False)
class _Token:
    """A word, or several that are written as one; whether white space follows."""

    words: list[_Word]
    form: str
    spaced: bool

    @property
    def is_multiword(self) -> bool:
        return len(self.words) > 1 or self.words[0].form != self.form


class _Columns(NamedTuple):
    """What a sign has beside its form."""

    upos: str
    xpos: str
    feats: str
    deprel: str
    has_lemma: bool


def is_sign(form: str) -> bool:
    """Whether a form has neither letters nor digits.

    >>> [is_sign(form) for form in ("–", "...", ":-)", "e.g.", "$5")]
    [True, True, True, False, False]
    """
    return not any(character.isalnum() for character in form)


class Signs:
    """How a treebank treats dashes, quotation marks, emoticons, and signs of all kinds."""

    def __init__(self, treebank: Treebank) -> None:
        counts: dict[str, Counter[_Columns]] = {}
        names = ("form", "lemma", "upos", "xpos", "feats", "deprel")
        for form, lemma, upos, xpos, feats, deprel in zip(*map(treebank.column, names), strict=True):
            if not is_sign(form) or deprel == NO_VALUE:
                continue
            columns = _Columns(upos, xpos, feats, deprel, lemma != NO_VALUE)
            for kind in _kinds_of(form, upos, deprel):
                counts.setdefault(kind, Counter())[columns] += 1
        self._columns = {
            kind: found.most_common(1)[0][0] for kind, found in counts.items() if found.total() >= LEAST_SIGNS
        }

    def is_common(self, word: _Word) -> bool:
        """Whether a sign is used as most are: an apostrophe may be part of a word."""
        common = self._columns.get("any")
        return common is not None and (word.upos, word.deprel) == (common.upos, common.deprel)

    def word(self, form: str, *kinds: str) -> _Word | None:
        """A sign that is not in the tree yet, as one of the first of these kinds that the treebank knows."""
        for kind in (*kinds, "any"):
            if (columns := self._columns.get(kind)) is not None:
                lemma = form if columns.has_lemma else NO_VALUE
                return _Word(form, lemma, *columns[:4])
        return None


def _kinds_of(form: str, upos: str, deprel: str) -> Iterator[str]:
    yield "any"
    if form in DASHES or form == "--":
        yield "dash"
    if form in "([":
        yield "opening bracket"
    if form in ")]":
        yield "closing bracket"
    if form in _OPENING:
        yield "opening"
    if form in _CLOSING:
        yield "closing"
    if upos == "SYM" and deprel.partition(":")[0] == "discourse":
        yield "emoji"


@dataclass(eq=False)
class _Sentence:
    """A sentence that is being changed."""

    tokens: list[_Token]
    signs: Signs
    draw: random.Random
    own_line: bool = field(default=False)
    """Whether lines alone tell it from sentences before and after it, or it seldom stands beside them."""

    @property
    def words(self) -> list[_Word]:
        return [word for token in self.tokens for word in token.words]

    @property
    def root(self) -> _Word | None:
        roots = [word for word in self.words if word.head is None and word.no_head == "0"]
        return roots[0] if len(roots) == 1 else None

    def insert(self, at: int, sign: _Word | None, head: _Word | None, *, spaced: bool = True) -> bool:
        """Puts a sign before a token, if the treebank has such signs and there is something to hang it on."""
        if sign is None or head is None:
            return False
        sign.head = head
        self.tokens.insert(at, _Token([sign], sign.form, spaced))
        return True

    def signs_of(self, forms: Iterable[str]) -> list[int]:
        """Where signs of these forms stand, as they are used most."""
        wanted = set(forms)
        return [
            i
            for i, token in enumerate(self.tokens)
            if token.form in wanted and not token.is_multiword and self.signs.is_common(token.words[0])
        ]


def _without_final_mark(sentence: _Sentence) -> bool:
    last = sentence.tokens[-1]
    mark = last.words[0]
    if len(sentence.tokens) < 2 or last.is_multiword or not set(last.form) <= _FINAL:
        return False
    if mark.head is None or any(word.head is mark for word in sentence.words):
        return False
    sentence.tokens.pop()
    sentence.tokens[-1].spaced = True
    sentence.own_line = True
    return True


def _with_bullet(sentence: _Sentence) -> bool:
    if is_sign(sentence.tokens[0].form):
        return False
    bullet = sentence.signs.word(sentence.draw.choice(BULLETS), "dash")
    sentence.own_line |= (done := sentence.insert(0, bullet, sentence.root))
    return done


def _with_other_quotes(sentence: _Sentence) -> bool:
    opening, closing = sentence.draw.choice(QUOTES)
    marks = sentence.signs_of(_OPENING | _CLOSING)
    if not marks:
        if sentence.draw.random() < 0.5:
            return _changed(sentence, lambda form: form.translate(_APOSTROPHES))
        return _with_quoted_word(sentence, opening, closing)
    is_open = False
    for mark in marks:
        token = sentence.tokens[mark]
        is_open = token.form not in _CLOSING or (token.form in _OPENING and not is_open)
        _rename(token, opening if is_open else closing)
    return True


def _with_quoted_word(sentence: _Sentence, opening: str, closing: str) -> bool:
    words = [i for i, token in enumerate(sentence.tokens) if token.form.isalpha()]
    return _with_marks_around(sentence, words, (opening, "opening"), (closing, "closing"))


def _with_brackets(sentence: _Sentence) -> bool:
    """Around a word, a number, an abbreviation."""
    opening, closing = sentence.draw.choice(BRACKETS)
    words = [i for i, token in enumerate(sentence.tokens) if not is_sign(token.form)]
    marks = (opening, "opening bracket", "opening"), (closing, "closing bracket", "closing")
    return _with_marks_around(sentence, words, *marks)


def _with_marks_around(
    sentence: _Sentence, words: list[int], opening: Sequence[str], closing: Sequence[str]
) -> bool:
    """Marks around one of these tokens: forms, and the kinds of signs that they are."""
    around = [
        i for i in words if not sentence.tokens[i].is_multiword and (i == 0 or sentence.tokens[i - 1].spaced)
    ]
    if not around:
        return False
    at = sentence.draw.choice(around)
    token = sentence.tokens[at]
    before, after = sentence.signs.word(*opening), sentence.signs.word(*closing)
    if before is None or after is None:
        return False
    sentence.insert(at + 1, after, token.words[0], spaced=token.spaced)
    token.spaced = False
    return sentence.insert(at, before, token.words[0], spaced=False)


def _with_other_dashes(sentence: _Sentence) -> bool:
    """Dashes become others; where there are none, a comma becomes one."""
    within = range(1, len(sentence.tokens) - 1)
    marks = [
        i
        for i in sentence.signs_of((*DASHES, "--"))
        # A hyphen without spaces is part of a compound.
        if i in within and (sentence.tokens[i].form != "-" or sentence.tokens[i - 1].spaced)
    ]
    if not marks:
        commas = [i for i in sentence.signs_of(",،、") if i in within]
        marks = [sentence.draw.choice(commas)] if commas else []
    dash, spaced = sentence.draw.choice([("-", True), ("–", True), ("—", True), ("–", False), ("—", False)])
    for mark in marks:
        token = sentence.tokens[mark]
        if token.form == "," and (sign := sentence.signs.word(dash, "dash")) is not None:
            word = token.words[0]
            word.upos, word.xpos, word.feats = sign.upos, sign.xpos, sign.feats
        _rename(token, dash)
        token.spaced = sentence.tokens[mark - 1].spaced = spaced
    return bool(marks)


def _with_emoji(sentence: _Sentence) -> bool:
    emoji = sentence.signs.word(sentence.draw.choice(EMOJI), "emoji")
    if emoji is None or sentence.root is None:
        return False
    if sentence.draw.random() < 0.5:
        _without_final_mark(sentence)
    sentence.own_line = True
    return sentence.insert(len(sentence.tokens), emoji, sentence.root)


def _in_capitals(sentence: _Sentence) -> bool:
    sentence.own_line |= (done := _changed(sentence, str.upper))
    return done


def _without_capitals(sentence: _Sentence) -> bool:
    sentence.own_line |= (done := _changed(sentence, str.lower))
    return done


def _without_accents(sentence: _Sentence) -> bool:
    return _changed(sentence, lambda form: "".join(map(_plain, form)))


def _plain(character: str) -> str:
    """A Latin letter without its accents; any other character as it stands."""
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() and base.isalpha() else character


def _changed(sentence: _Sentence, change: Callable[[str], str]) -> bool:
    """All forms become what `change` makes of them; lemmas stay. False if none is another then."""
    done = False
    for token in sentence.tokens:
        done |= change(token.form) != token.form
        token.form = change(token.form)
        for word in token.words:
            word.form = change(word.form)
    return done


def _rename(token: _Token, form: str) -> None:
    word = token.words[0]
    if word.lemma != NO_VALUE and is_sign(word.lemma):
        word.lemma = form
    word.form = token.form = form


WAYS: dict[Callable[[_Sentence], bool], int] = {
    _without_final_mark: 2,
    _with_bullet: 2,
    _with_other_quotes: 2,
    _with_other_dashes: 2,
    _with_brackets: 1,
    _with_emoji: 1,
    _in_capitals: 1,
    _without_capitals: 1,
    _without_accents: 1,
}
"""How sentences are changed, and how often each way is tried."""


class Variants(NamedTuple):
    """Sentences that were changed."""

    treebank: Treebank
    own_lines: list[bool]
    """Of each, whether it would stand on a line of its own: list items, headings."""


def augmented(treebank: Treebank, share: float, seed: int = 1, signs: Signs | None = None) -> Variants:
    """A share of the sentences of a treebank, drawn by the seed, each changed in one way or two.

    Those that cannot be changed in any way that was tried are left out. `signs` are treated as in another
    treebank, if they are given.
    """
    draw = random.Random(seed)
    signs = signs or Signs(treebank)
    chosen = [i for i in range(len(treebank)) if draw.random() < share]
    texts: list[str] = []
    own_lines: list[bool] = []
    for sentence in treebank.select(chosen):
        if (changed := _variant(sentence, signs, draw)) is not None:
            texts.append(_to_conllu(changed))
            own_lines.append(changed.own_line)
    variants = Treebank.from_string("".join(texts), check_trees=False, source=treebank.source)
    if treebank.format == "conllx":
        text = variants.to_bytes("conllx")
        variants = Treebank.from_string(text, format="conllx", check_trees=False, source=treebank.source)
    return Variants(variants, own_lines)


def with_variants(treebank: Treebank, share: float, seed: int = 1, signs: Signs | None = None) -> Treebank:
    """The treebank, and after its sentences those of `augmented`."""
    if share == 0:
        return treebank
    return Treebank.concat([treebank, augmented(treebank, share, seed, signs).treebank])


def _variant(sentence: Sentence, signs: Signs, draw: random.Random) -> _Sentence | None:
    changing = _Sentence(_tokens(sentence), signs, draw)
    ways = draw.choices(list(WAYS), list(WAYS.values()), k=8)
    wanted, done = 2 if draw.random() < TWICE else 1, 0
    for way in dict.fromkeys(ways):
        if done < wanted:
            done += way(changing)
    return changing if done else None


def _tokens(sentence: Sentence) -> list[_Token]:
    """The tokens of a sentence, without empty nodes, which nothing is learnt from."""
    rows = [row for row in sentence.rows if "." not in row[0]]
    words = {
        number: _Word(form, lemma, upos, xpos, feats, deprel)
        for number, form, lemma, upos, xpos, feats, _, deprel, *_ in rows
        if "-" not in number
    }
    for row in rows:
        if (word := words.get(row[0])) is not None:
            word.head, word.no_head = words.get(row[6]), row[6]
    ranges = {
        first: (int(last), row[1]) for row in rows for first, _, last in [row[0].partition("-")] if last
    }
    tokens: list[_Token] = []
    number = 1
    while number <= len(words):
        last, form = ranges.get(str(number), (number, words[str(number)].form))
        tokens.append(_Token([words[str(i)] for i in range(number, last + 1)], form, True))
        number = last + 1
    if sentence.format == "conllu":
        (raw,) = raw_sentences(sentence._treebank[sentence._index : sentence._index + 1])
        for token, as_written in zip(tokens, raw.tokens, strict=True):
            token.spaced = as_written.after != ""
    return tokens


def _to_conllu(sentence: _Sentence) -> str:
    numbers = {id(word): str(i) for i, word in enumerate(sentence.words, 1)}
    text = "".join(token.form + " " * token.spaced for token in sentence.tokens).strip()
    lines = [f"# text = {text}"]
    for token in sentence.tokens:
        misc = NO_VALUE if token.spaced else "SpaceAfter=No"
        if token.is_multiword:
            first, last = (numbers[id(token.words[i])] for i in (0, -1))
            lines.append("\t".join([f"{first}-{last}", token.form, *[NO_VALUE] * 7, misc]))
            misc = NO_VALUE
        for word in token.words:
            head = word.no_head if word.head is None else numbers[id(word.head)]
            columns = (word.form, word.lemma, word.upos, word.xpos, word.feats, head, word.deprel)
            lines.append("\t".join([numbers[id(word)], *columns, NO_VALUE, misc]))
    return "\n".join(lines) + "\n\n"
