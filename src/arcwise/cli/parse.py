"""`arcwise parse`: text in, trees out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream, open_output
from arcwise._progress import Bar
from arcwise.cli.common import (
    FORMATS,
    cores,
    demand_writable,
    name_bad,
    probabilities_option,
    reading_options,
    say,
    say_how_many_bad,
    search_options,
    threads_option,
)
from arcwise.errors import OptionError, TreebankError

if TYPE_CHECKING:
    from arcwise.constraints import Constraints
    from arcwise.treebank import Sentence, Treebank

BATCH_BYTES = 4_000_000


@click.command(
    short_help="Parse files or standard input.",
    epilog="""\b
Examples:
  arcwise parse my.model text.conllu > parsed.conllu
  arcwise parse my.model part-*.conllu -o parsed.conllu --threads 4
  arcwise parse my.model text.conllu --beam 8 > parsed.conllu
  arcwise parse my.model half-annotated.conllu --keep-heads > whole.conllu
  arcwise parse my.model text.conllu --probabilities moves > parsed.conllu
  arcwise parse my.model text.conllu --nbest 5 > best.conllu
  arcwise parse my.model text.conllu --min-confidence 0.9 --drop > sure.conllu
  zcat huge.conllu.gz | arcwise parse my.model | gzip > parsed.conllu.gz
""",
)
@click.argument("model")
@click.argument("files", metavar="[FILE|-]...", nargs=-1)
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write.  [default: standard output]"
)
@click.option("--to", type=FORMATS, help="The format of what is written.  [default: that of the first input]")
@click.option(
    "--keep-heads",
    is_flag=True,
    help="Keep what HEAD and DEPREL give, and complete the trees where they are _.",
)
@click.option(
    "--constraints",
    is_flag=True,
    help="Build trees that keep to FixedHead=3, FixedDeprel=obj, NotHead=2,5 and Subtree=4-7 in MISC.",
)
@search_options
@probabilities_option(
    "Write how probable each head is, and head and label, in MISC (HeadProb, DeprelProb): estimated from the "
    "parser's moves, or from trees that it draws."
)
@click.option(
    "--nbest",
    type=click.IntRange(min=1),
    metavar="K",
    help="Write up to K trees of each sentence, with their ranks and probabilities as comments: those of a "
    "beam, or with --samples those drawn most often.",
)
@click.option(
    "--samples", type=click.IntRange(min=1), metavar="N", help="How many trees to draw.  [default: 100]"
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of drawing trees.  [default: 1]")
@click.option(
    "--uncalibrated", is_flag=True, help="The model's own probabilities, as if it were not calibrated."
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Mark words with LowConfidence=Yes in MISC whose head and label are less probable.",
)
@click.option("--drop", is_flag=True, help="Leave such words without head and label (_).")
@threads_option("")
@reading_options
def parse(
    model: str,
    files: tuple[str, ...],
    output: str,
    to: Any,
    keep_heads: bool,
    constraints: bool,
    search: Any,
    beam: int | None,
    probabilities: Any,
    nbest: int | None,
    samples: int | None,
    seed: int | None,
    uncalibrated: bool,
    min_confidence: float | None,
    drop: bool,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Parse files or standard input: every word gets a head and a label.

    Words come one a line in CoNLL-U or CoNLL-X, with the tags that the model
    was trained with; HEAD and DEPREL may be empty (_). They are filled in, or
    completed with --keep-heads, and everything else leaves as it came. Files of
    any size are parsed in bounded memory. With -o the file appears when it is
    complete, or not at all.

    --min-confidence asks for probabilities too: from the moves, unless
    --probabilities says otherwise.
    """
    from arcwise.cli.nbest import to_bytes
    from arcwise.options import PROBABILISTIC
    from arcwise.parser import load

    if drop and min_confidence is None:
        raise OptionError("--drop leaves out what is less probable than --min-confidence: give both.")
    if min_confidence is not None and not nbest:
        probabilities = probabilities or "moves"
    if uncalibrated and not probabilities:
        raise OptionError("--uncalibrated is said of --probabilities: give both.")
    if nbest and (probabilities or min_confidence is not None):
        raise OptionError(
            "--nbest gives whole trees their probabilities: leave out --probabilities and --min-confidence."
        )
    if nbest and search not in (None, "beam"):
        raise OptionError("--nbest gives the trees of a beam, or of --samples: leave out --search.")
    if samples and not nbest and probabilities != "samples":
        raise OptionError("--samples are drawn for --probabilities samples or for --nbest: give one of them.")
    if seed is not None and not samples and probabilities != "samples":
        raise OptionError("--seed is that of drawing trees: give --samples too.")
    drawing = {name: value for name, value in (("samples", samples), ("seed", seed)) if value is not None}
    demand_writable(output)
    inputs = files or ("-",)
    for path in inputs:
        _demand_readable(path)
    parser = load(model)
    if "-" in inputs and sys.stdin.isatty():
        say("Reading CoNLL-U from the terminal: end with an empty line and Ctrl-D.")
    bar = _Bar(inputs, output)
    bad = 0
    missing: list[str] | None = None
    with ExitStack() as stack:
        stack.enter_context(bar)
        written = stack.enter_context(open_output(output))
        # Heads that are to be kept must be heads; others may be anything.
        for part, bytes_read in _parts(inputs, format, skip_bad, check_trees=keep_heads):
            bad += name_bad(part.bad)
            if missing is None and part.word_count:
                missing = parser.missing_columns(part)
                _say_what_is_missing(missing)
            to = to or part.format
            if to == "conllx" and min_confidence is not None and not drop:
                raise OptionError(
                    "CoNLL-X has no MISC for marks: write CoNLL-U, --to conllu, or --drop words."
                )
            how: dict[str, Any] = {
                "beam": beam,
                "threads": threads or cores(),
                "constraints": _given(keep_heads, constraints),
                **drawing,
            }
            if nbest:
                best = parser.nbest(part, nbest, **how)
                written.write(to_bytes(best, parser.info.options.learner in PROBABILISTIC, to))
            else:
                parsed = parser.parse(
                    part,
                    search=search,
                    probabilities=probabilities,
                    calibrated=not uncalibrated,
                    **how,
                )
                if min_confidence is not None:
                    parsed = parsed.with_min_confidence(min_confidence, drop=drop)
                written.write(parsed.to_bytes(to))
            bar.advance(part.word_count, bytes_read)
    say_how_many_bad(bad, "all" if len(inputs) > 1 else "<stdin>" if inputs == ("-",) else inputs[0])


def _say_what_is_missing(columns: list[str]) -> None:
    if columns:
        names = ", ".join(column.upper() for column in columns)
        say(f"Note: the text lacks {names}, with which the model was trained: its trees will be worse.")


def _given(keep_heads: bool, in_misc: bool) -> Callable[[Sentence], Constraints] | None:
    """Where constraints are read from."""
    from arcwise.constraints import Constraints

    if keep_heads and in_misc:
        return lambda sentence: Constraints.from_tree(sentence) | Constraints.from_misc(sentence)
    return Constraints.from_tree if keep_heads else Constraints.from_misc if in_misc else None


def _parts(
    inputs: tuple[str, ...], format: Any, skip_bad: bool, check_trees: bool
) -> Iterator[tuple[Treebank, int]]:
    """The files' sentences in parts, and how many bytes have been read with each."""
    from arcwise.treebank import Treebank

    bytes_before = 0
    for path in inputs:
        size = _size(path)
        parts = Treebank.stream(
            path, batch_bytes=BATCH_BYTES, format=format, check_trees=check_trees, skip_bad=skip_bad
        )
        for number, part in enumerate(parts, start=1):
            # A part is a batch of the file's bytes, give or take a sentence.
            yield part, bytes_before + min(number * BATCH_BYTES, size)
        bytes_before += size


def _size(path: str) -> int:
    """The size of a file; 0 for a pipe, which does not tell."""
    return 0 if is_standard_stream(path) else Path(path).stat().st_size


def _demand_readable(path: str) -> None:
    """Refuses a file that is not there before those that come before it are parsed."""
    if is_standard_stream(path):
        return
    if not Path(path).exists():
        raise TreebankError(f"{path} does not exist; check the name.")
    if Path(path).is_dir():
        raise TreebankError(f"{path} is a directory; name one of the files in it.")


class _Bar:
    """How much of the input has been parsed, and how fast."""

    def __init__(self, inputs: tuple[str, ...], output: str) -> None:
        # On a terminal that shows the trees, a bar would be drawn over them.
        shows_trees = is_standard_stream(output) and sys.stdout.isatty()
        sizes = [_size(path) for path in inputs]
        self._bar = Bar("parsing", sum(sizes) if all(sizes) else None, shown=not shows_trees)
        self._started = time.monotonic()
        self._words = 0

    def __enter__(self) -> _Bar:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def advance(self, words: int, bytes_read: int) -> None:
        self._words += words
        seconds = max(time.monotonic() - self._started, 1e-9)
        self._bar.show(bytes_read, f"{self._words:,} words, {self._words / seconds:,.0f}/s")
