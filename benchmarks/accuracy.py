"""Accuracy on the treebanks of the papers and on English, beside the papers and other parsers.

    python benchmarks/accuracy.py
    python benchmarks/accuracy.py --only udt2_sv/zn2011 --jobs 2

Each row is the mean over seeds, scored as the papers or the other parsers are on that treebank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from arcwise import ParserOptions
from common import (
    NOTHING,
    WITHOUT_PUNCTUATION,
    Part,
    Results,
    Run,
    data_option,
    jobs_option,
    markdown_option,
    mean,
    only_option,
    print_table,
    run_all,
    seeds_option,
)


@dataclass(frozen=True)
class Row:
    """A setting, what it is scored on, and what is to be reached. Figures are UAS / LAS."""

    name: str
    treebank: str
    part: Part
    options: ParserOptions
    aim: str = NOTHING
    paper: str = NOTHING
    prototype: str = NOTHING

    @property
    def run(self) -> Run:
        return Run(self.treebank, self.options)


@dataclass(frozen=True)
class Peer:
    """What another parser reaches on the same data."""

    name: str
    treebank: str
    part: Part
    scores: str


# Goldberg 2013 removed non-projective trees, trained for 15 iterations and used Zhang & Nivre's features.
PAPER = ParserOptions.of(learner="perceptron", features="zn2011", nonprojective="skip", epochs=15)
STATIC = PAPER.changed(policy="static")
EXPLORE = {k: PAPER.changed(policy="explore", k=k) for k in (0, 1)}
SAMPLE = {k: PAPER.changed(learner="adagrad", features="zn2011", policy="sample", k=k) for k in (0, 1)}
LINEAR = ParserOptions.of(learner="perceptron", policy="explore", k=1, epochs=15)
NETWORK = ParserOptions.of()
FAST = ParserOptions.preset("fast")

ROWS = (
    Row(
        "udt2_sv/zn2011/perceptron/static",
        "udt2_sv",
        "dev",
        STATIC,
        aim="83.2 / 79.4",
        paper="83.21 / 79.40",
        prototype="– / 79.45",
    ),
    Row(
        "udt2_sv/zn2011/perceptron/explore-k1",
        "udt2_sv",
        "dev",
        EXPLORE[1],
        aim="84.4 / 80.6",
        paper="84.16 / 80.48",
        prototype="84.3 / 80.64",
    ),
    Row("udt2_sv/zn2011/perceptron/explore-k0", "udt2_sv", "dev", EXPLORE[0], paper="84.79 / 81.00"),
    Row("udt2_sv/zn2011/adagrad/sample-k1", "udt2_sv", "dev", SAMPLE[1], paper="84.56 / 80.97"),
    Row(
        "udt2_sv/zn2011/adagrad/sample-k0",
        "udt2_sv",
        "dev",
        SAMPLE[0],
        aim="– / 80.7",
        paper="84.17 / 80.54",
        prototype="– / 80.81",
    ),
    Row(
        "udt2_sv/default/perceptron/explore-k1",
        "udt2_sv",
        "dev",
        LINEAR,
        aim="– / 81.2",
        prototype="84.7 / 81.27",
    ),
    Row("udt2_sv/network", "udt2_sv", "dev", NETWORK, aim="86.3 / 83.1", prototype="86.50 / 83.16"),
    Row("udt2_ko/zn2011/perceptron/static", "udt2_ko", "dev", STATIC, paper="79.96 / 71.90"),
    Row(
        "udt2_ko/zn2011/perceptron/explore-k1",
        "udt2_ko",
        "dev",
        EXPLORE[1],
        aim="– / 73.5",
        paper="80.59 / 72.66",
        prototype="81.7 / 73.7",
    ),
    Row("udt2_ko/zn2011/perceptron/explore-k0", "udt2_ko", "dev", EXPLORE[0], paper="80.59 / 73.06"),
    Row("udt2_ko/zn2011/adagrad/sample-k1", "udt2_ko", "dev", SAMPLE[1], paper="80.92 / 73.06"),
    Row(
        "udt2_ko/zn2011/adagrad/sample-k0",
        "udt2_ko",
        "dev",
        SAMPLE[0],
        aim="– / 73.5",
        paper="81.17 / 73.19",
    ),
    Row(
        "udt2_ko/default/perceptron/explore-k1",
        "udt2_ko",
        "dev",
        LINEAR,
        aim="– / 84.5",
        prototype="87.3 / 84.3",
    ),
    Row("udt2_ko/network", "udt2_ko", "dev", NETWORK, aim="– / 85.2", prototype="– / 85.32"),
    Row(
        "en_ewt/default/perceptron/explore-k1/dev",
        "en_ewt",
        "dev",
        LINEAR,
        aim="– / 87.4",
        prototype="89.17 / 87.52",
    ),
    Row("en_ewt/network/dev", "en_ewt", "dev", NETWORK, aim="– / 89.3", prototype="– / 89.23"),
    Row(
        "en_ewt/default/perceptron/explore-k1/test",
        "en_ewt",
        "test",
        LINEAR,
        aim="– / 86.8",
        prototype="– / 86.83",
    ),
    Row("en_ewt/network/test", "en_ewt", "test", NETWORK, aim="– / 89.0", prototype="– / 89.04"),
    Row("en_ewt/network-fast/test", "en_ewt", "test", FAST, aim="– / 87.4", prototype="– / 87.31"),
)

PEERS = (
    Peer("MaltParser 1.8.1, arc-eager", "udt2_sv", "dev", "82.41 / 78.08"),
    Peer("UDPipe 1.4, beam 5", "udt2_sv", "dev", "82.57 / 78.38"),
    Peer("Yara, beam 1", "udt2_sv", "dev", "82.03 / 77.71"),
    Peer("Yara, beam 8", "udt2_sv", "dev", "84.15 / 80.00"),
    Peer("Liu et al. 2015, beam 16, arc-eager", "udt2_sv", "dev", "84.88 / 80.36"),
    Peer("Liu et al. 2015, beam 16, arc-standard", "udt2_sv", "dev", "83.75 / 79.12"),
    Peer("Vowpal Wabbit 9.11", "udt2_sv", "dev", "79.13 / 74.30"),
    Peer("spaCy 3.8, no tags", "udt2_sv", "dev", "78.69 / 72.73"),
    Peer("MaltParser 1.8.1, arc-eager", "udt2_ko", "dev", "79.75 / 70.80"),
    Peer("UDPipe 1.4, beam 5, no XPOS", "udt2_ko", "dev", "75.29 / 62.77"),
    Peer("MaltParser 1.8.1, arc-eager", "en_ewt", "dev", "85.84 / 83.11"),
    Peer("MaltParser 1.8.1, stackproj", "en_ewt", "dev", "86.34 / 83.60"),
    Peer("UDPipe 1.4, greedy", "en_ewt", "dev", "85.35 / 83.19"),
    Peer("UDPipe 1.4, beam 5", "en_ewt", "dev", "87.42 / 85.32"),
    Peer("Yara, beam 1", "en_ewt", "dev", "83.80 / 81.57"),
    Peer("Vowpal Wabbit 9.11", "en_ewt", "dev", "82.68 / 80.27"),
    Peer("spaCy 3.8, no tags", "en_ewt", "dev", "84.37 / 80.33"),
    Peer("MaltParser 1.8.1, arc-eager", "en_ewt", "test", "85.87 / 83.19"),
    Peer("UDPipe 1.4, greedy", "en_ewt", "test", "86.49 / 84.42"),
    Peer("UDPipe 1.4, beam 5", "en_ewt", "test", "87.90 / 85.94"),
    Peer("Yara, beam 1", "en_ewt", "test", "83.26 / 81.33"),
    Peer("Vowpal Wabbit 9.11", "en_ewt", "test", "82.69 / 80.31"),
    Peer("spaCy 3.8, no tags", "en_ewt", "test", "84.99 / 81.14"),
)

NOTES = (
    "Gold tokens and tags, full labels; udt2_*: without punctuation; en_ewt: all tokens.",
    "± is the standard deviation over seeds. The last epoch counts: none is chosen on dev.",
    "aim, paper, prototype, peers: UAS / LAS.",
    "paper: Goldberg 2013, Table 1, on version 1.0 of the udt2 treebanks (here: 2.0).",
    "prototype: a throw-away program of the same method that went before arcwise.",
    "peers: measured on another occasion; Yara and spaCy were not trained until they got no better.",
)


def lines(rows: list[Row], results: Results) -> Iterator[tuple[str, ...]]:
    """The table: what was reached in each row, and under those of a treebank what its peers reach."""
    for number, row in enumerate(rows):
        of_all = [result.part(row.part) for result in results.of(row.run)]
        scores = [s.no_punct for s in of_all] if row.treebank in WITHOUT_PUNCTUATION else of_all
        uas, las = mean(s.uas for s in scores), mean(s.las for s in scores)
        yield row.name, str(len(scores)), uas, las, row.aim, row.paper, row.prototype, ""
        following = rows[number + 1] if number + 1 < len(rows) else None
        if following is None or (following.treebank, following.part) != (row.treebank, row.part):
            for peer in PEERS:
                if (peer.treebank, peer.part) == (row.treebank, row.part):
                    yield f"  {peer.name}", "", "", "", "", "", "", peer.scores


@click.command()
@data_option
@seeds_option
@jobs_option
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    help="Instead of the 15 of the papers, and of what a network takes.",
)
@only_option("rows")
@markdown_option
def main(
    data: Path, seeds: int, jobs: int, epochs: int | None, only: re.Pattern[str], markdown: bool
) -> None:
    """Accuracy beside the papers and other parsers."""
    rows = [row for row in ROWS if only.search(row.name)]
    if not rows:
        raise click.ClickException("No row matches. The rows: " + ", ".join(row.name for row in ROWS) + ".")
    if epochs is not None:
        rows = [replace(row, options=replace(row.options, epochs=epochs)) for row in rows]
    results = run_all([row.run for row in rows], data=data, seeds=seeds, jobs=jobs)
    print_table(
        "Accuracy",
        ("setting", "seeds", "UAS", "LAS", "aim", "paper", "prototype", "peers"),
        lines(rows, results),
        notes=NOTES,
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
