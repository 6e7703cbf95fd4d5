"""The metrics of the CoNLL 2018 shared task (Zeman et al. 2018), where tokenisation may differ.

Gold and system annotate the same characters, but may cut them into different sentences, tokens and
words. Words are aligned first; a metric then counts the aligned words that agree, and

    precision = correct / system words,  recall = correct / gold words,
    F1 = 2 · correct / (gold words + system words),  aligned accuracy = correct / aligned words.

These are not the papers' scores of the same names: relations lose their subtypes here
(`nmod:poss` counts as `nmod`) and punctuation is always counted. So this LAS is spoken of as
`conll18.LAS`, and the papers' LAS is found in `arcwise.evaluation.attachment`.
"""

from __future__ import annotations

import itertools
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from arcwise.errors import EvaluationError, TreebankError

# fmt: off
METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS",
    "LAS", "CLAS", "MLAS", "BLEX",
)

# CLAS, MLAS and BLEX look at words with one of these relations only.
CONTENT_RELATIONS = frozenset((
    "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
    "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod",
    "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative",
    "xcomp",
))

# MLAS asks that a content word's dependents with these relations are right too. Punctuation is of
# neither kind.
FUNCTIONAL_RELATIONS = frozenset((
    "aux", "case", "cc", "clf", "cop", "det", "mark",
))

UNIVERSAL_FEATURES = frozenset((
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "NumType", "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
))
# fmt: on

_COLUMNS = 10
_ROOT = -1
_UNALIGNED = -2

# Nine digits are more than any sentence needs, and never too many for int().
_HEAD = re.compile(r"[0-9]{1,9}")
_RANGE_ID = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE_ID = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Score:
    """How far gold and system agree in one respect: counts, and percentages made of them."""

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """The share of what the system says that is right."""
        return _percentage(self.correct, self.system)

    @property
    def recall(self) -> float:
        """The share of the gold standard that the system finds."""
        return _percentage(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: the shared task's score."""
        return _percentage(2 * self.correct, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of aligned words that are right; None where the alignment itself is scored."""
        return None if self.aligned is None else _percentage(self.correct, self.aligned)

    def to_dict(self) -> dict[str, float | int | None]:
        """Everything there is to say, ready for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "aligned": self.aligned,
        }


@dataclass(frozen=True)
class Conll18Scores(Mapping[str, Score]):
    """A `Score` for each name in `METRICS`, in that order: `scores["LAS"].f1`."""

    scores: Mapping[str, Score]

    def __getitem__(self, metric: str) -> Score:
        return self.scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        shown = ", ".join(f"{metric} {score.f1:.2f}" for metric, score in self.scores.items())
        return f"<Conll18Scores, F1: {shown}>"

    def to_dict(self) -> dict[str, dict[str, float | int | None]]:
        """Everything there is to say, ready for JSON."""
        return {metric: score.to_dict() for metric, score in self.scores.items()}


def conll18_scores(
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    *,
    gold_source: str | None = None,
    system_source: str | None = None,
) -> Conll18Scores:
    """The CoNLL 2018 metrics of `system` against `gold`, both CoNLL-U.

    A `str` is CoNLL-U text, a `pathlib.Path` (or any path object) a file. The sources are names
    for error messages, for text that was read from somewhere.

    Raises `TreebankError` where one of them is not CoNLL-U with one tree a sentence, and
    `EvaluationError` where they do not annotate the same characters (spaces aside).
    """
    return _compared(gold, system, gold_source, system_source).scores()


def vocabulary_scores(
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    vocabulary: Collection[str],
    *,
    gold_source: str | None = None,
    system_source: str | None = None,
) -> dict[str, Conll18Scores]:
    """The metrics of single words (`Words` to `LAS`), apart for those whose form a vocabulary has.

    These are `known`, the others `unknown`: with the forms of a training set, what a tagger has learnt to
    do with new words. A form counts as it is written. The rest is as in `conll18_scores`.
    """
    compared = _compared(gold, system, gold_source, system_source)
    forms = frozenset(vocabulary)
    return {
        "known": compared.word_scores(lambda word: word.form in forms),
        "unknown": compared.word_scores(lambda word: word.form not in forms),
    }


def _compared(
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    gold_source: str | None,
    system_source: str | None,
) -> _Comparison:
    documents = _load(gold, gold_source or "gold"), _load(system, system_source or "system")
    _demand_same_characters(*documents)
    return _Comparison(*documents)


def _percentage(part: int, whole: int) -> float:
    # Divided first: the last bit is then that of the shared task's script too.
    return 100 * (part / whole) if whole else 0.0


# Reading


@dataclass(slots=True)
class _Word:
    """A word, with its place in the document's characters.

    A word of a multiword token has the whole token's place: what part of it is the word's own is
    not known.
    """

    start: int
    end: int
    in_multiword: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    features: str  # the universal ones, in order
    relation: str  # without its subtype
    head: int = _ROOT  # counts through the document

    @property
    def is_content(self) -> bool:
        return self.relation in CONTENT_RELATIONS


_Span = tuple[int, int]


@dataclass(slots=True)
class _Document:
    source: str
    characters: str = ""
    sentences: list[_Span] = field(default_factory=list)
    tokens: list[_Span] = field(default_factory=list)
    words: list[_Word] = field(default_factory=list)
    # The dependents of a word with FUNCTIONAL_RELATIONS, in order, where it has any.
    functional: dict[int, list[int]] = field(default_factory=dict)


def _load(conllu: str | os.PathLike[str], source: str) -> _Document:
    if isinstance(conllu, str):
        if conllu and "\n" not in conllu:
            raise TreebankError(
                f"{source}: this is not CoNLL-U text, which has lines: {conllu[:60]!r}. "
                "To read a file, give its path as a pathlib.Path."
            )
        return _Reader(source).read(conllu)
    path = Path(conllu)
    try:
        return _Reader(str(path)).read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise TreebankError(
            f"{path}: the file is not UTF-8 (byte {error.start}). Convert it to UTF-8 first."
        ) from error
    except OSError as error:
        raise TreebankError(f"{path}: the file cannot be read: {error.strerror}.") from error


class _Reader:
    """Builds a `_Document` from CoNLL-U, a sentence at a time."""

    def __init__(self, source: str) -> None:
        self._document = _Document(source)
        self._forms: list[str] = []
        self._position = 0
        self._sentence_id = ""

    def read(self, text: str) -> _Document:
        # Not splitlines(), which would also split at characters that may stand in a column.
        lines = text.removesuffix("\n").split("\n") if text else []
        rows: list[tuple[int, str]] = []
        for number, line in enumerate(lines, start=1):
            line = line.rstrip("\r")
            if line.startswith("#") and not rows:
                self._read_comment(line)
            elif line:
                rows.append((number, line))
            elif rows:
                self._read_sentence(rows)
                rows = []
                self._sentence_id = ""
            else:
                self._refuse(number, "a sentence without words. Remove the blank line")
        if rows:
            self._refuse(
                len(lines),
                "the file ends within a sentence. If nothing is missing, end it with a blank line",
            )
        self._document.characters = "".join(self._forms)
        return self._document

    def _read_comment(self, line: str) -> None:
        key, _, value = line[1:].partition("=")
        if key.strip() == "sent_id":
            self._sentence_id = value.strip()

    def _read_sentence(self, rows: Sequence[tuple[int, str]]) -> None:
        words = self._document.words
        sentence_start, first_word = self._position, len(words)
        head_ids: list[tuple[int, int]] = []
        multiword: _Span = (0, 0)
        multiword_end_id = 0

        for number, line in rows:
            columns = line.split("\t")
            if len(columns) != _COLUMNS:
                self._refuse(
                    number,
                    f"{len(columns)} columns instead of {_COLUMNS}. Separate them by single tabs",
                )
            id_, form, lemma, upos, xpos, features, head, relation, _, _ = columns
            next_id = len(head_ids) + 1
            if id_ != str(next_id):
                if _EMPTY_NODE_ID.fullmatch(id_):
                    continue
                id_range = _RANGE_ID.fullmatch(id_)
                if not id_range:
                    self._refuse(
                        number,
                        f"the id is {id_!r}, not {next_id}. Number the words from 1 without gaps",
                    )
                start_id, end_id = int(id_range[1]), int(id_range[2])
                if start_id != next_id or end_id < start_id or start_id <= multiword_end_id:
                    self._refuse(
                        number,
                        f"the multiword token {id_} stands before word {next_id}. "
                        "Put each range before its first word, and let no ranges overlap",
                    )
                multiword, multiword_end_id = self._read_token(number, form), end_id
                continue
            if not _HEAD.fullmatch(head):
                self._refuse(number, f"the head is {head!r}. Give every word a head, 0 for the root")
            in_multiword = next_id <= multiword_end_id
            if in_multiword:
                start, end = multiword
            else:
                start, end = self._read_token(number, form)
                form = self._forms[-1]
            head_ids.append((number, int(head)))
            words.append(
                _Word(
                    start,
                    end,
                    in_multiword,
                    form,
                    lemma,
                    upos,
                    xpos,
                    _universal(features),
                    relation.partition(":")[0],
                )
            )

        if multiword_end_id > len(head_ids):
            self._refuse(
                rows[-1][0],
                f"a multiword token goes on to word {multiword_end_id}, the sentence to word "
                f"{len(head_ids)}. Mend the range",
            )
        self._document.sentences.append((sentence_start, self._position))
        self._attach(first_word, head_ids, rows[0][0])

    def _read_token(self, number: int, form: str) -> _Span:
        # A space may stand within a token of one side and between two tokens of the other.
        visible = form if form.isascii() and " " not in form else _without_spaces(form)
        if not visible:
            self._refuse(number, "the form is empty. Give the word a form, `_` if need be")
        start = self._position
        self._position += len(visible)
        self._forms.append(visible)
        self._document.tokens.append((start, self._position))
        return start, self._position

    def _attach(self, first_word: int, head_ids: list[tuple[int, int]], first_line: int) -> None:
        words = self._document.words
        roots = 0
        for index, (number, head) in enumerate(head_ids, start=first_word):
            if head > len(head_ids):
                self._refuse(
                    number,
                    f"the head is {head}, but the sentence has {len(head_ids)} words. "
                    "Heads count from 1 within the sentence",
                )
            if head == 0:
                roots += 1
                continue
            words[index].head = first_word + head - 1
            if words[index].relation in FUNCTIONAL_RELATIONS:
                self._document.functional.setdefault(words[index].head, []).append(index)
        if roots != 1:
            self._refuse(
                first_line,
                f"{roots} words have the head 0. These metrics want one root a sentence",
            )
        self._refuse_cycles(first_word, head_ids)

    def _refuse_cycles(self, first_word: int, head_ids: list[tuple[int, int]]) -> None:
        words = self._document.words
        reaches_root = {_ROOT}
        for index in range(first_word, len(words)):
            path: set[int] = set()
            while index not in reaches_root:
                if index in path:
                    self._refuse(
                        head_ids[index - first_word][0],
                        "the word is on a cycle: its heads lead back to it. "
                        "Give one of them a head outside the cycle",
                    )
                path.add(index)
                index = words[index].head
            reaches_root |= path

    def _refuse(self, number: int, reason: str) -> NoReturn:
        sentence = f", sentence {self._sentence_id}" if self._sentence_id else ""
        raise TreebankError(f"{self._document.source}, line {number}{sentence}: {reason}.")


def _without_spaces(form: str) -> str:
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def _universal(features: str) -> str:
    if features == "_":
        return ""
    return "|".join(
        sorted(feature for feature in features.split("|") if feature.partition("=")[0] in UNIVERSAL_FEATURES)
    )


# Aligning


def _demand_same_characters(gold: _Document, system: _Document) -> None:
    if gold.characters == system.characters:
        return
    both = zip(gold.characters, system.characters, strict=False)
    shorter = min(len(gold.characters), len(system.characters))
    at = next((index for index, (g, s) in enumerate(both) if g != s), shorter)
    sentence = sum(end <= at for _, end in gold.sentences) + 1
    raise EvaluationError(
        f"{gold.source} and {system.source} are not the same text: from sentence {sentence} of "
        f"{gold.source} on, one has {_excerpt(gold, at)} where the other has "
        f"{_excerpt(system, at)}. Compare annotations of one text (spaces do not matter)."
    )


def _excerpt(document: _Document, at: int) -> str:
    return repr(document.characters[at : at + 20]) if document.characters[at:] else "nothing more"


def _align(gold: Sequence[_Word], system: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Pairs of words, by index, that are the same word.

    Outside multiword tokens, words are the same if they are the same characters of the text. What
    characters a word within a multiword token stands for is not known, so that there the words of
    the smallest span that no multiword token of either side sticks out of are aligned by their
    forms, as many as can be in order.
    """
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].in_multiword or system[s].in_multiword:
            gold_span, system_span = _multiword_span(gold, system, g, s)
            yield from _align_by_form(gold, system, gold_span, system_span)
            g, s = gold_span.stop, system_span.stop
        elif gold[g].start == system[s].start and gold[g].end == system[s].end:
            yield g, s
            g, s = g + 1, s + 1
        elif gold[g].start <= system[s].start:
            g += 1
        else:
            s += 1


def _multiword_span(gold: Sequence[_Word], system: Sequence[_Word], g: int, s: int) -> tuple[range, range]:
    """The words of both sides to be aligned by form, from a multiword token at `g` or `s` on."""
    first = gold[g] if gold[g].in_multiword else system[s]
    end = first.end

    # A word that starts before the token sticks out of the span. One such word and no more is left
    # out: so does the shared task, and its numbers are the measure.
    if not gold[g].in_multiword and gold[g].start < first.start:
        g += 1
    if not system[s].in_multiword and system[s].start < first.start:
        s += 1

    def inside(words: Sequence[_Word], index: int) -> bool:
        if index == len(words):
            return False
        word = words[index]
        return word.start < end if word.in_multiword else word.end <= end

    g_end, s_end = g, s
    while inside(gold, g_end) or inside(system, s_end):
        gold_is_next = g_end < len(gold) and (
            s_end == len(system) or gold[g_end].start <= system[s_end].start
        )
        if gold_is_next:
            word, g_end = gold[g_end], g_end + 1
        else:
            word, s_end = system[s_end], s_end + 1
        if word.in_multiword:
            end = max(end, word.end)
    return range(g, g_end), range(s, s_end)


def _align_by_form(
    gold: Sequence[_Word], system: Sequence[_Word], gold_span: range, system_span: range
) -> Iterator[tuple[int, int]]:
    """A longest common subsequence of the words' forms, letter case aside."""
    gold_forms = [gold[g].form.lower() for g in gold_span]
    system_forms = [system[s].form.lower() for s in system_span]

    # longest[g][s]: how many words can be aligned from g and s on.
    longest = [[0] * (len(system_forms) + 1) for _ in range(len(gold_forms) + 1)]
    for g in reversed(range(len(gold_forms))):
        for s in reversed(range(len(system_forms))):
            if gold_forms[g] == system_forms[s]:
                longest[g][s] = 1 + longest[g + 1][s + 1]
            else:
                longest[g][s] = max(longest[g + 1][s], longest[g][s + 1])

    g = s = 0
    while g < len(gold_forms) and s < len(system_forms):
        if gold_forms[g] == system_forms[s]:
            yield gold_span[g], system_span[s]
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1


# Scoring


class _Comparison:
    """The aligned words of two documents, and where they agree."""

    def __init__(self, gold: _Document, system: _Document) -> None:
        self._gold, self._system = gold, system
        pairs = list(_align(gold.words, system.words))
        self._aligned = [(gold.words[g], system.words[s]) for g, s in pairs]

        gold_index = [_UNALIGNED] * len(system.words)
        for g, s in pairs:
            gold_index[s] = g

        def same_head(g: _Word, s: _Word) -> bool:
            return g.head == (_ROOT if s.head == _ROOT else gold_index[s.head])

        def same_functional(g: int, s: int) -> bool:
            g_children, s_children = gold.functional.get(g, []), system.functional.get(s, [])
            return g_children == [gold_index[child] for child in s_children] and all(
                _same_relation(g_word, s_word)
                and _same_upos(g_word, s_word)
                and _same_features(g_word, s_word)
                for g_word, s_word in zip(
                    (gold.words[child] for child in g_children),
                    (system.words[child] for child in s_children),
                    strict=True,
                )
            )

        self._upos, self._xpos = self._where(_same_upos), self._where(_same_xpos)
        self._features, self._lemma = self._where(_same_features), self._where(_same_lemma)
        self._head, self._relation = self._where(same_head), self._where(_same_relation)
        self._functional = np.fromiter(itertools.starmap(same_functional, pairs), bool, len(pairs))

    def scores(self) -> Conll18Scores:
        arc = self._head & self._relation
        content_words = self._those(lambda word: word.is_content)
        return Conll18Scores(
            {
                "Tokens": _span_score(self._gold.tokens, self._system.tokens),
                "Sentences": _span_score(self._gold.sentences, self._system.sentences),
                **self.word_scores(lambda _: True).scores,
                "CLAS": content_words(arc),
                "MLAS": content_words(arc & self._upos & self._features & self._functional),
                "BLEX": content_words(arc & self._lemma),
            }
        )

    def word_scores(self, kind: Callable[[_Word], bool]) -> Conll18Scores:
        """The metrics of single words, of words of a kind alone."""
        words = self._those(kind)
        found = words(np.ones(len(self._aligned), bool))
        return Conll18Scores(
            {
                "Words": Score(found.correct, found.gold, found.system),
                "UPOS": words(self._upos),
                "XPOS": words(self._xpos),
                "UFeats": words(self._features),
                "AllTags": words(self._upos & self._xpos & self._features),
                "Lemmas": words(self._lemma),
                "UAS": words(self._head),
                "LAS": words(self._head & self._relation),
            }
        )

    def _where(self, agree: Callable[[_Word, _Word], bool]) -> npt.NDArray[np.bool_]:
        return np.fromiter(itertools.starmap(agree, self._aligned), bool, len(self._aligned))

    def _those(self, kind: Callable[[_Word], bool]) -> Callable[[npt.NDArray[np.bool_]], Score]:
        """Scores words of a kind; of aligned words it is told by the gold one."""
        chosen = self._where(lambda g, _: kind(g))
        counts = sum(map(kind, self._gold.words)), sum(map(kind, self._system.words)), int(chosen.sum())
        return lambda correct: Score(int((chosen & correct).sum()), *counts)


def _span_score(gold: Sequence[_Span], system: Sequence[_Span]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


def _same_upos(g: _Word, s: _Word) -> bool:
    return g.upos == s.upos


def _same_xpos(g: _Word, s: _Word) -> bool:
    return g.xpos == s.xpos


def _same_features(g: _Word, s: _Word) -> bool:
    return g.features == s.features


def _same_lemma(g: _Word, s: _Word) -> bool:
    # A gold standard without a lemma accepts any.
    return g.lemma in ("_", s.lemma)


def _same_relation(g: _Word, s: _Word) -> bool:
    return g.relation == s.relation
