"""`arcwise parse`: text in, trees out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arcwise._files import is_standard_stream, open_output
from arcwise._progress import Bar
from arcwise.cli.common import (
    cores,
    demand_grammar,
    demand_writable,
    is_model,
    name_bad,
    probabilities_option,
    say,
    say_how_many_bad,
    search_options,
    tags_option,
    threads_option,
)
from arcwise.cli.inputs import input_options, parts_of, size_of
from arcwise.cli.pictures import PICTURES, PictureFile, drawn
from arcwise.cli.scored import terminal_width
from arcwise.cli.tables import are_meant, parse_tables, table_options
from arcwise.errors import OptionError
from arcwise.inputs import CONLL, Reading, demand_readable, kind_of

if TYPE_CHECKING:
    from arcwise.constraints import Constraints
    from arcwise.given_tags import Tags
    from arcwise.pipeline import Pipeline
    from arcwise.text import Cursor
    from arcwise.treebank import Sentence, Treebank

OUTPUTS = ("conllu", "conllx", "json", *PICTURES)


@click.command(
    short_help="Parse text, from files or standard input.",
    epilog="""\b
Examples:
  echo "Time flies like an arrow." | arcwise parse --to tree
  arcwise parse letter.txt --to html --min-confidence 0.9 -o letter.html
  arcwise parse letter.txt > letter.conllu
  arcwise parse my.model text.conllu > parsed.conllu
  arcwise parse my.model part-*.txt -o parsed.conllu --jobs 4
  arcwise parse my.model text.conllu --beam 8 > parsed.conllu
  arcwise parse my.model half-annotated.conllu --keep-heads > whole.conllu
  arcwise parse my.model text.conllu --probabilities moves > parsed.conllu
  arcwise parse my.model text.conllu --nbest 5 > best.conllu
  arcwise parse my.model text.conllu --min-confidence 0.9 --drop > sure.conllu
  arcwise parse corpus.parquet --text-column text -o parsed.parquet
  zcat huge.txt.gz | arcwise parse my.model --to json | gzip > parsed.json.gz
""",
)
@click.argument("arguments", metavar="[MODEL] [FILE|-]...", nargs=-1)
@click.option("-m", "--model", metavar="MODEL", help="The model, if it is not the first argument.")
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write.  [default: standard output]"
)
@input_options
@click.option(
    "--to",
    type=click.Choice(OUTPUTS),
    help="What is written: CoNLL; JSON, an object a line for each sentence; trees to be looked at, as text "
    "or as pictures, one SVG or a page of HTML.  "
    "[default: as CoNLL is read, otherwise conllu]",
)
@tags_option
@click.option("--retag", is_flag=True, hidden=True)
@click.option(
    "--ranges", is_flag=True, help="Write where each token of raw text stands: TokenRange=0:4 in MISC."
)
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
@click.option(
    "--grammar/--no-grammar",
    default=None,
    help="Keep trees to the rules that were learnt of MODEL's treebank: see 'arcwise grammar'.  "
    "[default: if there are any]",
)
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
@table_options
@threads_option("")
def parse(
    arguments: tuple[str, ...],
    model: str | None,
    output: str,
    format: Any,
    to: Any,
    tags: Tags,
    retag: bool,
    ranges: bool,
    errors: Any,
    max_words: int,
    keep_heads: bool,
    constraints: bool,
    search: Any,
    beam: int | None,
    grammar: bool | None,
    probabilities: Any,
    nbest: int | None,
    samples: int | None,
    seed: int | None,
    uncalibrated: bool,
    min_confidence: float | None,
    drop: bool,
    threads: int | None,
    skip_bad: bool,
    text_column: str | None,
    rows: str | None,
    restart: bool,
    ray: str | None,
) -> None:
    """Parse text: find its sentences and words, their tags, heads and labels.

    MODEL is a file or the name of an installed model; without one, it is the
    English model that comes with arcwise. FILEs are raw text, or words one a
    line in CoNLL-U or CoNLL-X, of which nothing changes but what the model
    fills in: HEAD and DEPREL (with --keep-heads only where they are empty), and
    tags if there are none. Files of any size are parsed in bounded memory. With
    -o the file appears when it is complete, or not at all.

    --min-confidence asks for probabilities too: from the moves, unless
    --probabilities says otherwise.

    FILEs may be tables with a column of texts. Then what is written (-o) is a
    table, too, with all columns and what has become of the texts. A run over
    tables that was broken off goes on where it stopped when called again.
    """
    from arcwise.models import DEFAULT, load

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
    or_model = model is None  # the first argument
    if or_model and arguments and is_model(arguments[0]):
        model, arguments, or_model = arguments[0], arguments[1:], False
    inputs = arguments or ("-",)
    tables = are_meant(inputs, text_column, ray)
    if not tables:
        demand_writable(output)
        for place, path in enumerate(inputs):
            demand_readable(path, or_model=or_model and not place)
    pipeline = load(model or DEFAULT)
    of_parser = {
        "--beam": beam,
        "--search": search,
        "--probabilities": probabilities,
        "--nbest": nbest,
        "--keep-heads": keep_heads or None,
        "--constraints": constraints or None,
        "--grammar": grammar,
    }
    pipeline.refuse_without_parser(name for name, value in of_parser.items() if value is not None)
    if grammar:
        demand_grammar(pipeline, model or DEFAULT)
    if tables:
        parse_tables(
            pipeline,
            inputs,
            output,
            text_column=text_column,
            rows=rows,
            parsing={
                "beam": beam,
                "search": search,
                "grammar": grammar or None,
                "probabilities": probabilities,
                "samples": samples,
                "seed": seed,
                "calibrated": False if uncalibrated else None,
            },
            errors=errors,
            skip_bad=skip_bad,
            threads=threads,
            restart=restart,
            ray=ray,
        )
        return
    if retag:
        say("Note: --retag is now --tags new.")
        tags = "new"
    if tags == "new":
        pipeline.demand("tagger")
    first = format or kind_of(inputs[0], pipeline)
    how = _How(
        pipeline,
        tags,
        {
            "beam": beam,
            "constraints": _given(keep_heads, constraints),
            **{
                name: value
                for name, value in (("samples", samples), ("seed", seed), ("grammar", grammar))
                if value is not None
            },
        },
        {"search": search, "probabilities": probabilities, "calibrated": not uncalibrated},
        nbest,
        min_confidence,
        drop,
        to or (first if first in CONLL else "conllu"),
        ranges=ranges,
        # Of trees that someone watches as they come.
        color=(color := to == "tree" and is_standard_stream(output) and sys.stdout.isatty()),
        width=terminal_width() if color else None,
    )
    if "-" in inputs and sys.stdin.isatty():
        what = "CoNLL-U" if pipeline.segmenter is None else "text"
        say(f"Reading {what} from the terminal: end with Ctrl-D on an empty line.")

    reading = Reading(
        skip_bad=skip_bad,
        # Heads that are to be kept must be heads; others may be anything.
        check_trees=keep_heads,
        errors=errors,
        # Objects say where their words stand.
        ranges=ranges or to == "json",
        max_words=max_words,
    )

    def parts() -> Iterator[_Part]:
        bytes_before, is_first = 0, True
        for path in inputs:
            kind = format or kind_of(path, pipeline)
            cursor = Cursor()
            for part, bytes_read in parts_of(path, kind, pipeline, reading):
                yield _Part(part, bytes_before + bytes_read, is_first, Cursor(cursor))
                if to == "json" and kind != "conllx":
                    cursor.skip(part._core)
                is_first &= not part.word_count
            bytes_before += size_of(path)

    from arcwise.piping import in_order
    from arcwise.text import Cursor

    bar = _Bar(inputs, output)
    file = PictureFile(how.to, inputs)
    bad = 0
    with ExitStack() as stack:
        stack.enter_context(bar)
        written = stack.enter_context(open_output(output))
        written.write(file.begin())
        for done in in_order(parts(), how.work, threads or cores()):
            bad += name_bad(done.bad)
            _say_what_is_missing(done.missing)
            written.write(file.add(done.text))
            if how.shows_at_once:
                written.flush()
            bar.advance(done.words, done.bytes_read)
        written.write(file.end())
    say_how_many_bad(bad, "all" if len(inputs) > 1 else "<stdin>" if inputs == ("-",) else inputs[0])


class _Part(NamedTuple):
    """A part of the input."""

    treebank: Treebank
    bytes_read: int
    is_first: bool
    cursor: Cursor


class _Done(NamedTuple):
    """What a part of the input has become."""

    text: bytes
    words: int
    bytes_read: int
    bad: list[str]
    missing: list[str]


class _How(NamedTuple):
    """What is done with every part of the input."""

    pipeline: Pipeline
    tags: Tags
    parsing: dict[str, Any]
    of_one_tree: dict[str, Any]
    nbest: int | None
    min_confidence: float | None
    drop: bool
    to: str
    ranges: bool
    color: bool
    width: int | None

    @property
    def shows_at_once(self) -> bool:
        """Whether someone waits for each tree."""
        return self.to == "tree"

    def work(self, given: _Part) -> _Done:
        part, bytes_read, is_first, cursor = given
        pipeline, tags, to = self.pipeline, self.tags, self.to
        if to == "conllx" and self.min_confidence is not None and not self.drop:
            raise OptionError("CoNLL-X has no MISC for marks: write CoNLL-U, --to conllu, or --drop words.")
        missing: list[str] = []
        own_tags = pipeline.tagger is not None and (tags == "new" or pipeline.lacks_tags(part))
        if is_first and part.word_count and pipeline.parser is not None and not own_tags:
            missing = pipeline.parser.missing_columns(part)
        if self.nbest:
            text = self._best(part, cursor)
        else:
            how = {} if pipeline.parser is None else {**self.of_one_tree, **self.parsing}
            parsed = pipeline.parse(part, tags=tags, **how)
            if self.min_confidence is not None:
                parsed = parsed.with_min_confidence(self.min_confidence, drop=self.drop)
            text = self._written(parsed, cursor)
        return _Done(text, part.word_count, bytes_read, part.bad, missing)

    def _best(self, treebank: Treebank, cursor: Cursor) -> bytes:
        from arcwise.nbest_output import to_bytes

        assert self.nbest is not None and self.pipeline.parser is not None
        best = self.pipeline.nbest(treebank, self.nbest, tags=self.tags, **self.parsing)
        probabilistic = self.pipeline.parser.info.learner.probabilistic
        return to_bytes(treebank, best, self.to, probabilistic=probabilistic, color=self.color, cursor=cursor)

    def _written(self, treebank: Treebank, cursor: Cursor) -> bytes:
        if self.to == "json":
            from arcwise.json_output import treebank_to_json_bytes

            return treebank_to_json_bytes(treebank, cursor, ranges=self.ranges)
        if self.to in PICTURES:
            return drawn(treebank, self.to, color=self.color, width=self.width)
        return treebank.to_bytes("conllx" if self.to == "conllx" else "conllu")


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


class _Bar:
    """How much of the input has been parsed, and how fast."""

    def __init__(self, inputs: Sequence[str], output: str) -> None:
        # On a terminal that shows the trees, a bar would be drawn over them.
        shows_trees = is_standard_stream(output) and sys.stdout.isatty()
        sizes = [size_of(path) for path in inputs]
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
