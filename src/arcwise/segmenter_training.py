"""Training a segmenter: the text of a treebank, with where its tokens and sentences end."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._progress import Bar
from arcwise.augmentation import augmented
from arcwise.errors import TreebankError
from arcwise.evaluation.conll18 import Conll18Scores
from arcwise.learners.linear import ARRAYS as LINEAR_ARRAYS
from arcwise.multiword import learn_multiwords
from arcwise.options.segmenter import SegmenterOptions
from arcwise.segmenter import RULE_ARRAYS, SEEN, Segmenter, SegmenterInfo
from arcwise.text import RawSentence, raw_sentences
from arcwise.treebank import Treebank

SENTENCES_IN_A_TEXT = 40
"""Longer paragraphs are learnt from in parts; so are treebanks that do not say where paragraphs are."""
SENTENCES_IN_A_VARIANT = 5
"""Of text that is made up: as many as a list or a short paragraph has."""
BIASES = (-2.0, -1.0, 1.0, 2.0, 3.0, 4.0, 6.0)
"""What sentence ends may be given beforehand."""
LEAST_GAIN = 1.0
"""By a bias, in F1 of the sentences of each half of dev."""
WIDTHS = (40, 120)
"""Of lines that text is wrapped to, in characters."""


@dataclass(frozen=True)
class SegmenterEpoch:
    """What one epoch came to; `words` and `sentences` are F1 on dev, if there is any."""

    number: int
    loss: float
    """Of a decision: minus the log of the probability of the correct moves together."""
    words: float | None = None
    sentences: float | None = None


class SegmentedText(NamedTuple):
    """A paragraph, and where in its bytes each token ends, and how."""

    text: str
    ends: NDArray[np.uint32]
    boundaries: NDArray[np.uint8]


class SegmenterTraining:
    """A training run of a segmenter. On dev, the mean F1 of words and sentences says what is best."""

    def __init__(
        self, treebank: Treebank, *, dev: Treebank | None = None, options: SegmenterOptions | None = None
    ) -> None:
        self.options = o = options or SegmenterOptions()
        self.treebank = treebank
        self.dev = dev
        self.history: list[SegmenterEpoch] = []
        self._best: Segmenter | None = None
        self._best_score = 0.0
        sentences = list(raw_sentences(treebank))
        if not sentences:
            raise TreebankError(f"{treebank.source} has no sentences to learn from.")
        self._multiwords = learn_multiwords(sentences)
        texts = list(training_texts(sentences, o))
        plain = len(texts)
        texts += variant_texts(treebank, o)
        self._core = _core.SegmentationTrainer(
            [text.text for text in texts],
            [text.ends for text in texts],
            [text.boundaries for text in texts],
            self._multiwords.without_what_rules_know().to_core(),
            alpha=o.alpha,
            rho=o.rho,
            penalty=o.penalty,
            cutoff=o.cutoff,
            k=o.k,
            seed=o.seed,
            prune=o.prune,
            plain=plain,
        )

    def epochs(self) -> Iterator[SegmenterEpoch]:
        """Trains an epoch at a time until all are done."""
        while len(self.history) < self.options.epochs:
            yield self._epoch(len(self.history) + 1)

    def finish(self) -> Segmenter:
        """Trains all epochs that are left and gives the segmenter."""
        with Bar("Segmenter", self.options.epochs) as bar:
            for epoch in self.epochs():
                bar.show(epoch.number, f"epoch {epoch.number}")
        return self.segmenter()

    def segmenter(self) -> Segmenter:
        """The segmenter of the last epoch or, with dev, of the best one, with a bias if that is better."""
        if self._best is None:
            raise TreebankError(
                "There is no segmenter before the end of training, or of an epoch scored on dev."
            )
        return self._best if self.dev is None else with_a_bias(self._best, self.dev)

    def _epoch(self, number: int) -> SegmenterEpoch:
        progress = self._core.epoch()
        epoch = SegmenterEpoch(number, progress.loss / max(1, progress.decisions))
        if self.dev is None:
            if number == self.options.epochs:
                self._best = self._frozen(number)
        else:
            segmenter = self._frozen(number)
            scores = segmenter.evaluate(self.dev)
            if self._best is None or _mean(scores) > self._best_score:
                self._best, self._best_score = segmenter, _mean(scores)
            epoch = replace(epoch, words=scores["Words"].f1, sentences=scores["Sentences"].f1)
        self.history.append(epoch)
        return epoch

    def _frozen(self, epoch: int) -> Segmenter:
        frozen = self._core.arrays()
        training = {
            "treebank": Path(self.treebank.source).name,
            "sentences": len(self.treebank),
            "words": self.treebank.word_count,
            "dev": None if self.dev is None else Path(self.dev.source).name,
            "epoch": epoch,
        }
        info = SegmenterInfo(
            self.options, self._multiwords, frozen["scale"], frozen["features"], frozen["weights"], training
        )
        return Segmenter(
            info, {name: np.asarray(frozen[name]) for name in (*RULE_ARRAYS, SEEN, *LINEAR_ARRAYS)}
        )


def with_a_bias(segmenter: Segmenter, dev: Treebank) -> Segmenter:
    """With the bias that suits dev best, if both halves of it gain by it: then other texts may, too."""
    middle = len(dev) // 2
    halves = [half for half in (dev[:middle], dev[middle:]) if len(half) > 0]

    def sentences(own: Segmenter) -> list[float]:
        return [own.evaluate(half)["Sentences"].f1 for half in halves]

    before = sentences(segmenter)
    gains = {
        bias: min(now - f1 for now, f1 in zip(sentences(segmenter.with_bias(bias)), before, strict=True))
        for bias in BIASES
    }
    best = max(BIASES, key=gains.__getitem__)
    return segmenter.with_bias(best) if gains[best] >= LEAST_GAIN else segmenter


def _mean(scores: Conll18Scores) -> float:
    return (scores["Words"].f1 + scores["Sentences"].f1) / 2


def training_texts(sentences: Sequence[RawSentence], options: SegmenterOptions) -> Iterator[SegmentedText]:
    """The paragraphs of a treebank as they stand, and some of them again with other line ends."""
    draw = random.Random(options.seed)
    for paragraphs in _groups(_paragraphs(sentences)):
        for paragraph in paragraphs:
            yield _text(paragraph, [" "] * len(paragraph))
        if draw.random() >= options.rewrapped:
            continue
        together = [sentence for paragraph in paragraphs for sentence in paragraph]
        last = {id(paragraph[-1]) for paragraph in paragraphs}
        line, between = draw.choice(["\n", " "]), draw.choice(["\n", " ", " "])
        joints = [line if id(sentence) in last else between for sentence in together]
        width = draw.choice([None, draw.randint(*WIDTHS)])
        yield _text(together, joints, width)


def variant_texts(treebank: Treebank, options: SegmenterOptions) -> Iterator[SegmentedText]:
    """Some sentences as other texts have them, together with others of their kind.

    List items and headings, which may end in no mark, stand on lines of their own.
    """
    if options.augment == 0:
        return
    draw = random.Random(options.seed)
    variants, own_lines = augmented(treebank, options.augment, options.seed)
    items = list(zip(raw_sentences(variants), own_lines, strict=True))
    for begin in range(0, len(items), SENTENCES_IN_A_VARIANT):
        together = items[begin : begin + SENTENCES_IN_A_VARIANT]
        starts_line = [own for _, own in together[1:]] + [True]
        joints = [
            "\n" if own or starts or draw.random() < 0.5 else " "
            for (_, own), starts in zip(together, starts_line, strict=True)
        ]
        yield _text([one for one, _ in together], joints, draw.choice([None, draw.randint(*WIDTHS)]))


def _paragraphs(sentences: Iterable[RawSentence]) -> Iterator[list[RawSentence]]:
    paragraph: list[RawSentence] = []
    for sentence in sentences:
        if paragraph and (sentence.starts_paragraph or len(paragraph) == SENTENCES_IN_A_TEXT):
            yield paragraph
            paragraph = []
        paragraph.append(sentence)
    if paragraph:
        yield paragraph


def _groups(paragraphs: Iterable[list[RawSentence]]) -> Iterator[list[list[RawSentence]]]:
    """Paragraphs together that make about as long a text as the longest do alone."""
    group: list[list[RawSentence]] = []
    for paragraph in paragraphs:
        if group and sum(map(len, group)) + len(paragraph) > SENTENCES_IN_A_TEXT:
            yield group
            group = []
        group.append(paragraph)
    if group:
        yield group


def _text(sentences: Sequence[RawSentence], joints: Sequence[str], width: int | None = None) -> SegmentedText:
    """A text of these sentences, each followed by its joint where it is followed by white space.

    With a width, lines end at the last space before it is reached.
    """
    parts: list[str] = []
    ends: list[int] = []
    boundaries: list[int] = []
    size = column = 0
    for sentence, joint in zip(sentences, joints, strict=True):
        for number, token in enumerate(sentence.tokens, 1):
            is_last = number == len(sentence.tokens)
            size += len(token.text.encode())
            column += len(token.text)
            ends.append(size)
            boundaries.append(_boundary(is_last, bool(token.words)))
            space = " " if token.after is None else token.after
            if space == " " and is_last:
                space = joint
            if space == " " and width is not None and column >= width:
                space = "\n"
            column = 0 if "\n" in space else column + len(space)
            size += len(space.encode())
            parts += (token.text, space)
    return SegmentedText("".join(parts), np.array(ends, np.uint32), np.array(boundaries, np.uint8))


def _boundary(ends_sentence: bool, is_split: bool) -> int:
    kinds = _core.Boundary
    if ends_sentence:
        return int((kinds.SENTENCE_SPLIT if is_split else kinds.SENTENCE).value)
    return int((kinds.END_SPLIT if is_split else kinds.END).value)
