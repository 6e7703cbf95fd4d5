"""A chunker: finds names and compounds (UD's flat and compound) as spans, by tags B-…, I-… and O.

python examples/search/chunker.py [TRAIN.conllu TEST.conllu] [--epochs N]

The loss counts whole spans: those that were missed and those that are none. What a single tag costs
depends on the tags around it, and roll-outs find it out.
"""

from tagger import features_of_word

from arcwise import search
from treebanks import arguments, in_sentences, read, report_speed

KINDS = ("flat", "compound")
STARTS = ("O", *(f"B-{kind}" for kind in KINDS))
ALLOWED_AFTER = {"O": STARTS}  # I-flat goes on with a flat span only, and so on
for kind in KINDS:
    ALLOWED_AFTER[f"B-{kind}"] = ALLOWED_AFTER[f"I-{kind}"] = (*STARTS, f"I-{kind}")


class Chunker(search.Task):
    actions = (*STARTS, *(f"I-{kind}" for kind in KINDS))

    def run(self, search, example):
        forms, upos, gold = example
        padded = ["<s>", "<s>", *forms, "</s>", "</s>"]
        padded_tags = ["-", "-", *upos, "-", "-"]
        tags = []
        last = "O"
        for i in range(len(forms)):
            allowed = ALLOWED_AFTER[last]
            reference = None
            if search.is_training:
                reference = gold[i] if gold[i] in allowed else "O"
            last = search.predict(
                lambda i=i, last=last: features_of_tag(padded, padded_tags, i + 2, last),
                reference=reference,
                allowed=allowed,
            )
            tags.append(last)
        if search.is_training:
            search.loss(len(spans(tags) ^ spans(gold)))
        return tags


def features_of_tag(forms, upos, i, last):
    left, here, right = upos[i - 1 : i + 2]
    features = [f"p0 {here}", f"p-1 {left} {here}", f"p+1 {here} {right}", f"p3 {left} {here} {right}"]
    features += [f"{last} {feature}" for feature in (*features, forms[i].lower())]
    return [*features, f"p-2 {upos[i - 2]}", f"p+2 {upos[i + 2]}", last, *features_of_word(forms, i)]


def spans(tags):
    """The spans of some tags, as (first, end, kind)."""
    found, begin = set(), None
    for i, tag in enumerate((*tags, "O")):
        if begin is not None and not tag.startswith("I-"):
            found.add((begin, i, tags[begin][2:]))
            begin = None
        if tag.startswith("B-"):
            begin = i
    return found


def tags_of_tree(heads, deprels):
    """Words that flat or compound arcs join are one span, if no other words are between them."""
    group = list(range(len(heads)))
    for word, (head, deprel) in enumerate(zip(heads, deprels, strict=True)):
        if deprel.split(":")[0] in KINDS and head not in ("0", "_"):
            old, new = group[word], group[int(head) - 1]
            group = [new if g == old else g for g in group]
    tags = ["O"] * len(heads)
    for g in set(group):
        words = [word for word in range(len(heads)) if group[word] == g]
        if len(words) > 1 and words[-1] - words[0] == len(words) - 1:
            kind = "flat" if any(deprels[word].startswith("flat") for word in words) else "compound"
            tags[words[0]] = f"B-{kind}"
            tags[words[0] + 1 : words[-1] + 1] = [f"I-{kind}"] * (len(words) - 1)
    return tags


def examples_of(treebank):
    forms, upos, heads, deprels = (in_sentences(treebank, c) for c in ("form", "upos", "head", "deprel"))
    return list(zip(forms, upos, map(tags_of_tree, heads, deprels), strict=True))


def main():
    options = arguments(__doc__)
    train = examples_of(read(options.train, options.sentences))
    test = examples_of(read(options.test))
    with report_speed("Training", options.epochs * sum(len(forms) for forms, _, _ in train)):
        model = search.train(
            Chunker(), train, preset=options.preset, epochs=options.epochs, seed=options.seed
        )
    for beam in options.beam:
        with report_speed(f"Chunking, beam {beam}", sum(len(forms) for forms, _, _ in test)):
            predicted = model.predict([(forms, upos, None) for forms, upos, _ in test], beam=beam)
        gold = {(s, *span) for s, (_, _, tags) in enumerate(test) for span in spans(tags)}
        found = {(s, *span) for s, tags in enumerate(predicted) for span in spans(tags)}
        right = len(gold & found)
        precision, recall = right / max(len(found), 1), right / max(len(gold), 1)
        f1 = 2 * right / max(len(found) + len(gold), 1)
        print(f"Spans: {len(gold)}; precision {precision:.1%}, recall {recall:.1%}, F1 {f1:.1%}")


if __name__ == "__main__":
    main()
