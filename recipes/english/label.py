"""Labels text with the teachers: silver trees, piece by piece.

A run that was killed goes on where it stopped.
"""

from __future__ import annotations

import lzma
import time
from collections.abc import Sequence
from pathlib import Path

from teacher import Sentence, Teacher, Word, predict

from arcwise import Pipeline, Treebank

PIECE = 4000  # sentences


def conllu(sentence: Sentence, number: int, *, whole: bool) -> str:
    """Features and lemmas of the teachers alone are worse than a student's own: they stand there if a student
    was heard (`whole`)."""
    rows = [f"# sent_id = silver-{number}"]
    for place, word in enumerate(sentence, 1):
        of_head, of_both, of_tags = word.probabilities
        misc = f"HeadProb={of_head:.3f}|DeprelProb={of_both:.3f}|TagProb={of_tags:.3f}"
        tags = (word.lemma, word.upos, word.xpos, word.feats) if whole else ("_", word.upos, word.xpos, "_")
        rows.append("\t".join([str(place), word.form, *tags, str(word.head), word.deprel, "_", misc]))
    return "\n".join(rows) + "\n\n"


def parse_with(student: Pipeline, texts: Sequence[Sequence[str]]) -> list[Sentence]:
    """What a student makes of the same words, with how sure it is."""
    parsed = student.parse(Treebank.from_words(texts), probabilities="moves", beam=8)
    return [
        [
            Word(
                *(token.form, token.lemma, token.upos, token.xpos, token.feats or "_"),
                *(token.head, token.deprel, (token.head_prob, token.deprel_prob, 1.0)),
            )
            for token in sentence
        ]
        for sentence in parsed
    ]


def label(
    teachers: Sequence[Teacher],
    student: Pipeline | None,
    texts: list[list[str]],
    folder: Path,
    share: tuple[int, int] = (0, 1),
) -> None:
    """Writes `silver-N.conllu.xz` files; `share` says which of how many processes this is."""
    folder.mkdir(parents=True, exist_ok=True)
    for piece, start in enumerate(range(0, len(texts), PIECE)):
        path = folder / f"silver-{piece:03}.conllu.xz"
        if piece % share[1] != share[0] or path.exists():
            continue
        began = time.time()
        some = texts[start : start + PIECE]
        heard = parse_with(student, some) if student else None
        trees = predict(teachers, [[Word(form) for form in words] for words in some], heard)
        written = "".join(
            conllu(tree, start + row, whole=student is not None) for row, tree in enumerate(trees, 1)
        )
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(lzma.compress(written.encode(), preset=1))
        unfinished.replace(path)
        words = sum(map(len, some))
        print(f"{path.name}: {words} words, {words / (time.time() - began):.0f} words/s", flush=True)
