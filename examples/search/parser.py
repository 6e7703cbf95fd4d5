"""A dependency parser in Python: arc-hybrid with a dynamic oracle, and the label as a second prediction.

python examples/search/parser.py [TRAIN.conllu TEST.conllu] [--epochs N]

Chang et al. (2015) show that such a parser takes a few hundred lines with a library for learning to search.
`arcwise train` does the same, and more, in C++.
"""

from arcwise import search
from treebanks import arguments, in_sentences, read, report_speed

SHIFT, LEFT, RIGHT = MOVES = ("shift", "left", "right")
LABELS_OF = {LEFT: 1, RIGHT: 2}  # policies


class Parser(search.Task):
    """Stack and buffer as in arc-hybrid: ROOT (0) is at the bottom, words are 1 … n."""

    policies = 3

    def __init__(self, labels):
        self.labels = tuple(labels)
        self.actions = (*MOVES, *self.labels)

    def run(self, search, example):
        forms, tags, gold_heads, gold_labels = example
        n = len(forms) - 1
        stack, buffer = [0], 1
        heads, labels = [0] * (n + 1), [""] * (n + 1)
        left, right = ([[] for _ in range(n + 1)] for _ in range(2))  # dependents on either side
        while buffer <= n or len(stack) > 1:
            allowed = allowed_moves(stack, buffer, n)
            features = features_of_state(forms, tags, stack, buffer, n, left, right, labels)
            reference = costs = None
            if search.is_training:
                lost = [cost(move, stack, buffer, gold_heads) for move in allowed]
                # 0 for the best moves, 1 for others: how much worse they are is harder to learn, for less.
                costs = [float(arcs > min(lost)) for arcs in lost]
                reference = allowed[costs.index(0)]
            move = search.predict(features, reference=reference, allowed=allowed, costs=costs)
            if move == SHIFT:
                stack.append(buffer)
                buffer += 1
                continue
            word = stack.pop()
            head = buffer if move == LEFT else stack[-1]
            if search.is_training:
                reference = gold_labels[word]
                is_gold = head == gold_heads[word]
                costs = [float(is_gold and label != reference) for label in self.labels]
            heads[word] = head
            (left if move == LEFT else right)[head].append(word)
            labels[word] = search.predict(
                features, reference=reference, allowed=self.labels, costs=costs, policy=LABELS_OF[move]
            )
        if search.is_training:  # 2 for a wrong head, 1 for a wrong label
            for word in range(1, n + 1):
                wrong = heads[word] != gold_heads[word]
                search.loss(2 if wrong else labels[word] != gold_labels[word])
        return heads[1:], labels[1:]


def allowed_moves(stack, buffer, n):
    if buffer > n:
        return (RIGHT,)
    if len(stack) == 1:
        return (SHIFT,)
    # The one word under ROOT comes last.
    return MOVES if len(stack) > 2 else (SHIFT, LEFT)


def cost(move, stack, buffer, heads):
    """How many gold arcs a move puts out of reach (Goldberg & Nivre 2013)."""
    top, n = stack[-1], len(heads) - 1
    if move == SHIFT:  # the new top loses its heads and dependents that lie deeper in the stack
        return (heads[buffer] in stack[:-1]) + sum(heads[word] == buffer for word in stack[1:])
    lost = sum(heads[word] == top for word in range(buffer, n + 1))
    if move == LEFT:
        return lost + (heads[top] == stack[-2] or heads[top] > buffer)
    return lost + (heads[top] >= buffer)


def features_of_state(forms, tags, stack, buffer, n, left, right, labels):
    """A part of the paper's Table 3: words, tags and labels of the places around, by two and three."""

    def word_and_tag(word):
        return (forms[word], tags[word]) if word is not None else ("-", "-")

    s0, s1, s2 = (stack[-i] if len(stack) >= i else None for i in (1, 2, 3))
    b0, b1, b2 = (buffer + i if buffer + i <= n else None for i in (0, 1, 2))
    (s0w, s0t), (s1w, s1t), (s2w, s2t) = map(word_and_tag, (s0, s1, s2))
    (b0w, b0t), (b1w, b1t), (b2w, b2t) = map(word_and_tag, (b0, b1, b2))
    features = [
        f"1 {s0w}", f"2 {s0t}", f"3 {s0w} {s0t}", f"4 {s1w}", f"5 {s1t}", f"6 {s1w} {s1t}", f"7 {s2w} {s2t}",
        f"8 {b0w}", f"9 {b0t}", f"10 {b0w} {b0t}", f"11 {b1w}", f"12 {b1t}", f"13 {b1w} {b1t}",
        f"14 {b2w} {b2t}", f"15 {s0w} {b0w}", f"16 {s0w} {b0t}", f"17 {s0t} {b0w}", f"18 {s0t} {b0t}",
        f"19 {s0w} {s1w}", f"20 {s0w} {s1t}", f"21 {s0t} {s1w}", f"22 {s0t} {s1t}", f"23 {b0t} {b1t}",
        f"24 {s0t} {s1t} {s2t}", f"25 {s0t} {b0t} {b1t}", f"26 {s0t} {s1t} {b0t}", f"27 {b0t} {b1t} {b2t}",
        f"28 {s0w} {s1t} {b0t}", f"29 {s0t} {s1w} {b0t}", f"30 {s0t} {s1t} {b0w}", f"31 {s0w} {b0t} {b1t}",
    ]  # fmt: skip
    places = ((s0, left, "a"), (s0, right, "b"), (s1, left, "c"), (s1, right, "d"), (b0, left, "e"))
    for word, side, name in places:
        dependents = side[word] if word is not None else ()
        outer = dependents[-1] if dependents else None
        tag, label = (tags[outer], labels[outer]) if outer is not None else ("-", "-")
        features += (f"{name}1 {tag}", f"{name}2 {label}", f"{name}3 {s0t} {b0t} {tag}")
        features += (
            f"{name}4 {s0t} {s1t} {tag}",
            f"{name}5 {s0t} {label}",
            f"{name}6 {s0t} {len(dependents)}",
        )
    return features


def examples_of(treebank):
    examples = []
    for columns in zip(*(in_sentences(treebank, c) for c in ("form", "upos", "head", "deprel")), strict=True):
        forms, tags, heads, labels = columns
        examples.append((["ROOT", *forms], ["ROOT", *tags], [-1, *map(int, heads)], ["", *labels]))
    return examples


def main():
    options = arguments(__doc__)
    train = examples_of(read(options.train, options.sentences))
    test = examples_of(read(options.test))
    task = Parser(sorted({label for *_, labels in train for label in labels[1:]}))
    with report_speed("Training", options.epochs * sum(len(example[0]) - 1 for example in train)):
        model = search.train(
            task, train, preset=options.preset, epochs=options.epochs, seed=options.seed, bits=24
        )
    for beam in options.beam:
        with report_speed(f"Parsing, beam {beam}", sum(len(example[0]) - 1 for example in test)):
            predicted = model.predict([(forms, tags, None, None) for forms, tags, *_ in test], beam=beam)
        words = right_heads = right_labels = 0
        for (*_, gold_heads, gold_labels), (heads, labels) in zip(test, predicted, strict=True):
            for word, head in enumerate(heads, start=1):
                words += 1
                right_heads += head == gold_heads[word]
                right_labels += head == gold_heads[word] and labels[word - 1] == gold_labels[word]
        print(f"UAS {100 * right_heads / words:.2f}, LAS {100 * right_labels / words:.2f} of {words:,} words")


if __name__ == "__main__":
    main()
