"""How a segmenter is trained."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.options.fields import Options, option, seed_option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SegmenterOptions(Options):
    """How a segmenter is trained, by AdaGrad-RDA. Defaults make a good one."""

    TITLE = "Segmenter"

    epochs: int = option(
        5,
        "Passes over the treebank; with dev the best one is kept.",
        least=1,
        must="Training takes from 1 to 2^31 - 1 epochs.",
    )
    seed: int = seed_option("Of shuffling, sampling and line breaks: the same seed gives the same segmenter.")
    k: int = option(
        1,
        "Epochs before training goes on from boundaries that the model chose.",
        least=0,
        must="The number of epochs before exploration (k) goes from 0 to 2^31 - 1.",
    )
    rewrapped: float = option(
        0.5,
        "The share of the text that training sees a second time with other line ends: wrapped at some width, "
        "or a sentence or a paragraph a line, so that line ends alone decide nothing.",
        least=0,
        most=1,
        must="The share of text with other line ends (rewrapped) is from 0 to 1.",
    )
    augment: float = option(
        0.2,
        "The share of sentences that training sees a second time as other texts have them: as list items, "
        "without final marks, with other quotation marks and dashes, in capitals, ….",
        least=0,
        most=1,
        must="The share of sentences that are seen as other texts have them (augment) is from 0 to 1.",
    )
    alpha: float = option(
        0.3, "The learning rate.", above=0, must="The learning rate (alpha) must be a positive number."
    )
    rho: float = option(0.01, "The ridge.", above=0, must="The ridge (rho) must be a positive number.")
    cutoff: float = option(
        0.001,
        "Gradients smaller than this are not stored.",
        least=0,
        below=1,
        must="The gradient cutoff must be at least 0 and below 1.",
    )
    penalty: float = option(
        0.1,
        "What the L1 penalty grows by in an epoch: the more, the smaller the segmenter.",
        least=0,
        must="The penalty must be 0 or a positive number.",
    )
    prune: float = option(
        0.08,
        "Weights nearer to 0 than this do not come into the model.",
        least=0,
        must="Weights are pruned below a size that is not negative.",
    )
