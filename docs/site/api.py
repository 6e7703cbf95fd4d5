"""The reference of the package: which names stand on which page. Their docstrings say what they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Group(NamedTuple):
    title: str
    about: str
    names: tuple[str, ...]


PAGES = {
    "pipeline": Group(
        "Models and pipelines",
        "From text to trees: [pipelines](../../pipelines.md).",
        ("arcwise.load", "arcwise.Pipeline", "arcwise.ParseOptions", "arcwise.PipelineOptions"),
    ),
    "documents": Group(
        "Documents and treebanks",
        "What a pipeline gives, and what files have: [documents](../../documents.md), "
        "[formats](../../formats.md).",
        ("arcwise.Document", "arcwise.Treebank", "arcwise.Sentence", "arcwise.Token", "arcwise.Categories"),
    ),
    "parser": Group(
        "The parser",
        "[Search](../../search.md), [constraints](../../constraints.md), "
        "[probabilities](../../probabilities.md).",
        (
            "arcwise.Parser",
            "arcwise.Candidate",
            "arcwise.Constraints",
            "arcwise.Marginals",
            "arcwise.ArcProbability",
            "arcwise.Calibration",
            "arcwise.Suggestions",
        ),
    ),
    "segmenter": Group(
        "Segmenter and tagger",
        "[Words and sentences](../../segmentation.md), [tags and lemmas](../../tagging.md).",
        (
            "arcwise.Segmenter",
            "arcwise.SegmenterOptions",
            "arcwise.Tagger",
            "arcwise.TaggerOptions",
            "arcwise.TaggerTraining",
            "arcwise.TagScores",
            "arcwise.jackknife",
        ),
    ),
    "training": Group(
        "Training",
        "What is trained and how: [options](../../options.md).",
        (
            "arcwise.Training",
            "arcwise.Epoch",
            "arcwise.ParserOptions",
            "arcwise.TrainingOptions",
            "arcwise.RankingOptions",
            "arcwise.distill",
        ),
    ),
    "evaluation": Group(
        "Evaluation",
        "Scores, and where errors are: [why is it wrong?](../../errors.md)",
        ("arcwise.evaluate", "arcwise.Evaluation", "arcwise.evaluation"),
    ),
    "transitions": Group(
        "Transition systems",
        "[Systems and oracles](../../oracles.md), and [your own](../../python_systems.md).",
        ("arcwise.transitions",),
    ),
    "search": Group(
        "Learning to search",
        "[Your own structured predictor](../../learning_to_search.md).",
        ("arcwise.search",),
    ),
    "hc": Group("HC-search", "[HC-search](../../hc_search.md).", ("arcwise.hc",)),
    "trace": Group("Traces", "A parse step by step: [traces](../../traces.md).", ("arcwise.trace",)),
    "features": Group("Features", "[Templates](../../features.md).", ("arcwise.features",)),
    "output": Group(
        "Text, JSON and pictures",
        "[Formats](../../formats.md).",
        ("arcwise.text", "arcwise.json_output", "arcwise.json_input", "arcwise.draw", "arcwise.svg"),
    ),
    "tools": Group(
        "Tables, spaCy and Ray",
        "[Tables and files](../../arrow.md), [spaCy](../../spacy.md), [Ray](../../ray.md).",
        ("arcwise.arrow", "arcwise.corpus", "arcwise.spacy", "arcwise.ray"),
    ),
    "annotate": Group(
        "Correcting treebanks",
        "Files that lose nothing: [annotate](../../annotate.md).",
        ("arcwise.annotate",),
    ),
    "errors": Group(
        "Errors and warnings",
        "All errors of the package are an `ArcwiseError`.",
        (
            "arcwise.ArcwiseError",
            "arcwise.ConstraintError",
            "arcwise.EvaluationError",
            "arcwise.FeatureError",
            "arcwise.ModelError",
            "arcwise.OptionError",
            "arcwise.SearchError",
            "arcwise.TextError",
            "arcwise.TransitionError",
            "arcwise.TreebankError",
            "arcwise.VectorsError",
            "arcwise.LongSentenceWarning",
            "arcwise.SkippedTextWarning",
        ),
    ),
}


def pages() -> Iterator[tuple[str, str]]:
    """The pages, by the name that each has."""
    rows = [
        f"| [{group.title}]({name}.md) | {', '.join(f'[`{own}`][{own}]' for own in group.names)} |"
        for name, group in PAGES.items()
    ]
    yield "index", "\n".join(["# Python", "", "| | |", "| --- | --- |", *rows, ""])
    for name, group in PAGES.items():
        directives = "\n\n".join(map(_directive, group.names))
        yield name, f"# {group.title}\n\n{group.about}\n\n{directives}\n"


def _directive(name: str) -> str:
    kind = name.rpartition(".")[2]
    if not kind.endswith("Options") or kind == "TrainingOptions":
        return f"::: {name}"
    # Their fields have a page of their own.
    without = "    options:\n      members: [of, from_dict, to_dict]\n      inherited_members: false"
    return f"::: {name}\n{without}\n\n[All fields of {kind}](../options.md#{kind.lower()})"
