"""A part-of-speech tagger: a loop over the words, and what each looks like.

python examples/search/tagger.py [TRAIN.conllu TEST.conllu] [--epochs N]
"""

import re

from arcwise import search
from treebanks import arguments, in_sentences, read, report_speed


class Tagger(search.Task):
    """Predicts the tag of one word after the other; sees the last two tags that it gave."""

    def __init__(self, tags):
        self.actions = tags

    def run(self, search, example):
        forms, gold = example
        padded = ["<s>", "<s>", *forms, "</s>", "</s>"]
        tags = []
        before = last = "-"
        for i in range(len(forms)):
            features = features_of_word(padded, i + 2)
            features += [f"t1 {last}", f"t2 {before} {last}", f"t1w {last} {forms[i]}"]
            before, last = last, search.predict(features, reference=gold[i] if gold else None)
            tags.append(last)
        if gold:
            search.loss(sum(a != b for a, b in zip(tags, gold, strict=True)))
        return tags


def features_of_word(forms, i):
    form = forms[i]
    word, left, left2, right, right2 = (forms[j].lower() for j in (i, i - 1, i - 2, i + 1, i + 2))
    features = [
        f"form {form}",
        f"word {word}",
        f"shape {shape(form)}",
        f"first {i == 2} {form[:1].isupper()}",
    ]
    features += [f"suffix {word[-n:]}" for n in range(1, 5)]
    features += [f"prefix {word[:n]}" for n in range(1, 5)]
    features += [f"-1 {left}", f"-2 {left2}", f"+1 {right}", f"+2 {right2}", f"-1+1 {left} {right}"]
    features += [f"-1s {left[-3:]}", f"+1s {right[-3:]}", f"+1shape {shape(forms[i + 1])}"]
    return [*features, f"-1+0 {left} {word}", f"+0+1 {word} {right}"]


def shape(form):
    """McDonald is XxXxx, 1984 is dd."""
    kinds = ("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in form[:12])
    return re.sub(r"(.)\1+", r"\1\1", "".join(kinds))


def examples_of(treebank):
    return list(zip(*(in_sentences(treebank, column) for column in ("form", "upos")), strict=True))


def main():
    options = arguments(__doc__)
    train = examples_of(read(options.train, options.sentences))
    test = examples_of(read(options.test))
    task = Tagger(sorted({tag for _, tags in train for tag in tags}))
    with report_speed("Training", options.epochs * sum(len(tags) for _, tags in train)):
        # A wrong tag is one wrong word, whatever comes after: no roll-out has to tell.
        model = search.train(
            task, train, preset=options.preset, rollout="none", epochs=options.epochs, seed=options.seed
        )
    for beam in options.beam:
        with report_speed(f"Tagging, beam {beam}", sum(len(tags) for _, tags in test)):
            predicted = model.predict([(forms, None) for forms, _ in test], beam=beam)
        pairs = [
            p for (_, gold), tags in zip(test, predicted, strict=True) for p in zip(gold, tags, strict=True)
        ]
        print(f"Accuracy: {100 * sum(a == b for a, b in pairs) / len(pairs):.2f}% of {len(pairs):,} words")


if __name__ == "__main__":
    main()
