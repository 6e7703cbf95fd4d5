"""The English model on web text: bullets, quotation marks, dashes, emoji, chat (`benchmarks/web`).

    python benchmarks/web.py
    python benchmarks/web.py --only dev --again

Figures of signs, tokens without a letter or digit, stand apart: whether their tags are right, and whether
one is the root of a tree that has words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arcwise
from arcwise import Treebank
from frame import benchmark
from halves import BLANK_LINES, GOLD_TOKENS, LINES, PARTS, Place, gold_of, parsed_by, places
from store import Results, Setting
from tables import Table, mean, number

STARTS = (GOLD_TOKENS, BLANK_LINES, LINES)
METRICS = ("Words", "Sentences", "UPOS", "LAS")
SIGNS = ("signs", "UPOS of signs", "emoji", "UPOS of emoji", "signs as roots")


@dataclass(frozen=True)
class Placed:
    """A token, and whether it is a root and its tree has words."""

    upos: str
    is_sign: bool
    is_emoji: bool
    is_root: bool
    among_words: bool


def is_sign(form: str) -> bool:
    """
    >>> [form for form in ("•", "5", "--", ":-)", "(ツ)", "☎", "½") if is_sign(form)]
    ['•', '--', ':-)', '☎']
    """
    return not any(character.isalnum() for character in form)


def placed(treebank: Treebank) -> dict[Place, Placed]:
    """Tokens by where they stand. Words of multiword tokens are left out.

    An emoji is also an emoticon with a letter in it."""
    found: dict[Place, Placed] = {}
    for sentence, own in places(treebank):
        among_words = not all(is_sign(token.form) for token in sentence)
        for token, place in zip(sentence, own, strict=True):
            if own.count(place) == 1:
                found[place] = Placed(
                    token.upos,
                    is_sign(token.form),
                    (token.upos, token.xpos) == ("SYM", "NFP"),
                    token.head == 0,
                    among_words,
                )
    return found


def sign_figures(gold: Treebank, parsed: Treebank) -> dict[str, float]:
    """How many signs and emoji there are, how many of them have their tag, in %, and how many signs are
    roots and should not be."""
    right, own = placed(gold), placed(parsed)

    def share(places: list[Place]) -> float:
        return 100 * sum(p in own and own[p].upos == right[p].upos for p in places) / len(places)

    signs = [place for place, token in right.items() if token.is_sign]
    emoji = [place for place, token in right.items() if token.is_emoji]
    roots = [place for place, token in own.items() if token.is_sign and token.is_root and token.among_words]
    wrong = [place for place in roots if place not in right or not right[place].is_root]
    return dict(zip(SIGNS, (len(signs), share(signs), len(emoji), share(emoji), len(wrong)), strict=True))


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    gold = gold_of("web/web", setting["part"])
    parsed = parsed_by(arcwise.load(setting["model"]), gold, setting["start"])
    scores = arcwise.evaluation.conll18_scores(gold.to_string(), parsed.to_string())
    return {metric: scores[metric].f1 for metric in METRICS} | sign_figures(gold, parsed)


def tables(results: Results) -> Iterator[Table]:
    rows = [
        (
            f"{part}, {start}",
            *(mean(own, metric) for metric in METRICS),
            *(
                f"{mean(own, f'UPOS of {kind}', digits=1)} of {number(own.mean(kind))}"
                for kind in ("signs", "emoji")
            ),
            number(own.mean("signs as roots")),
        )
        for (part, start), own in results.of(model="en").by("part", "start")
    ]
    if rows:
        yield Table(
            "Web text",
            ("", *METRICS, "UPOS of signs, %", "of emoji, %", "signs as roots"),
            rows,
            (
                "The English model on 2 × 150 lines of web text; F1 of the CoNLL 2018 shared task.",
                "Signs: tokens without a letter or digit; the columns say how many there are. Emoji, and "
                "emoticons. signs as roots: signs that are the root of a tree with words and should not be.",
            ),
            results.of(model="en"),
        )


@benchmark(run, tables, seeds=None)
def main(data: Path) -> Iterator[tuple[str, Setting]]:
    """The English model on web text."""
    for part in PARTS:
        for start in STARTS:
            yield f"{part}, {start}", {"model": "en", "part": part, "start": start}


if __name__ == "__main__":
    main()
