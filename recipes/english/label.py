"""Labels text with the teachers: silver trees, piece by piece.

A run that was killed goes on where it stopped.
"""

from __future__ import annotations

import lzma
import time
from collections.abc import Sequence
from pathlib import Path

from teacher import Sentence, Teacher, Word, predict

PIECE = 4000  # sentences


def conllu(sentence: Sentence, number: int) -> str:
    rows = [f"# sent_id = silver-{number}"]
    for place, word in enumerate(sentence, 1):
        of_head, of_both, of_tags = word.probabilities
        misc = f"HeadProb={of_head:.3f}|DeprelProb={of_both:.3f}|TagProb={of_tags:.3f}"
        # Features and lemmas are better known to a student that has a lexicon.
        tags = ("_", word.upos, word.xpos, "_")
        rows.append("\t".join([str(place), word.form, *tags, str(word.head), word.deprel, "_", misc]))
    return "\n".join(rows) + "\n\n"


def label(
    teachers: Sequence[Teacher], texts: list[list[str]], folder: Path, share: tuple[int, int] = (0, 1)
) -> None:
    """Writes `silver-N.conllu.xz` files; `share` says which of how many processes this is."""
    folder.mkdir(parents=True, exist_ok=True)
    for piece, start in enumerate(range(0, len(texts), PIECE)):
        path = folder / f"silver-{piece:03}.conllu.xz"
        if piece % share[1] != share[0] or path.exists():
            continue
        began = time.time()
        some = texts[start : start + PIECE]
        trees = predict(teachers, [[Word(form) for form in words] for words in some])
        written = "".join(conllu(tree, start + row) for row, tree in enumerate(trees, 1))
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(lzma.compress(written.encode(), preset=1))
        unfinished.replace(path)
        words = sum(map(len, some))
        print(f"{path.name}: {words} words, {words / (time.time() - began):.0f} words/s", flush=True)
