"""Trains a parser on a small treebank, parses sentences that it has not seen, and scores it.

python examples/garden.py
"""

from pathlib import Path

import arcwise
from arcwise.draw import draw

garden = Path(__file__).parent / "garden"

# Sentences with their trees to learn from; without a dev treebank, all epochs are trained and kept.
parser = arcwise.Parser.train(garden / "train.conllu")
print(f"Trained: {parser}\n")

# The parser sees the words and tags of the held-back sentences; the trees are its own.
held_back = arcwise.Treebank.read(garden / "dev.conllu")
parsed = parser.parse(held_back)
for sentence in parsed[:3]:
    print(sentence.text)
    print(draw(sentence), end="\n\n")

scores = arcwise.evaluate(held_back, parsed).attachment
print(f"On {scores.words} words of {scores.sentences} held-back sentences:")
print(f"  {scores.uas:.1f}% have the right head (UAS)")
print(f"  {scores.las:.1f}% have the right head and the right label (LAS)")
print(f"  {scores.uem:.1f}% of the sentences have every head right")
