"""The frame of the programs: their options, runs over seeds, the store, and tables.

A program says what its rows are, how one run of a row is made, and what its tables look like:

    @benchmark(run, tables)
    @click.option("--epochs", ...)
    def main(data, epochs):
        '''Shown by --help.'''
        yield "en_ewt/fast", {"treebank": "en_ewt", "preset": "fast", "epochs": epochs}

`run(data, setting, seed)` gives the values of one run, `tables(results)` all tables that can be made of some
results.
"""

from __future__ import annotations

import inspect
import multiprocessing
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from store import FOLDER, Results, Setting, Store
from tables import Table
from treebanks import DATA

Run = Callable[[Path, dict[str, Any], int], dict[str, Any]]
Tables = Callable[[Results], Iterable[Table]]
Rows = Callable[..., Iterable[tuple[str, Setting]]]

positive = click.IntRange(min=1)
treebank_option = click.option(
    "--treebank", default="en_ewt", show_default=True, help="Measured on this one."
)
epochs_option = click.option("--epochs", type=positive, help="Of training, in place of the default.")
part_option = click.option(
    "--part", type=click.Choice(["dev", "test"]), default="test", show_default=True, help="What is scored."
)
repetitions_option = click.option(
    "--repetitions", type=positive, default=5, show_default=True, help="Of what is timed."
)
features_option = click.option(
    "--features", default="zn2011", show_default=True, help="A built-in set of features, or a file."
)


def pattern(context: click.Context, parameter: click.Parameter, value: str) -> re.Pattern[str]:
    try:
        return re.compile(value, re.IGNORECASE)
    except re.error as error:
        raise click.BadParameter(f"'{value}' is no regular expression: {error}.") from error


SHARED = (
    click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=DATA,
        help="The folder of treebanks, one folder each. [default: ../shared/data beside the project]",
    ),
    click.option(
        "--only",
        metavar="PATTERN",
        default="",
        callback=pattern,
        help="Only rows in whose name this regular expression is found.",
    ),
    click.option("--jobs", type=positive, default=1, show_default=True, help="Runs at the same time."),
    click.option(
        "--store",
        type=click.Path(file_okay=False, path_type=Path),
        default=FOLDER,
        help="The folder of results. A run that is there is not made again. [default: benchmarks/results]",
    ),
    click.option("--again", is_flag=True, help="Make runs that are in the store again."),
    click.option("--markdown", is_flag=True, help="Print tables in Markdown."),
)


def benchmark(
    run: Run, tables: Tables, *, seeds: int | None = 3, timed: bool = False
) -> Callable[[Rows], click.Command]:
    """Makes a command of the rows of a program. Without `seeds`, a run of a row is all there is of it.

    If it is `timed`, seeds are repetitions, and runs are made again whatever the store has."""

    def make(rows: Rows) -> click.Command:
        def command(
            data: Path,
            only: re.Pattern[str],
            jobs: int,
            store: Path,
            again: bool,
            markdown: bool,
            seeds: int = 1,
            **own: Any,
        ) -> None:
            named = [
                (name, {key: value for key, value in setting.items() if value is not None})
                for name, setting in rows(data, **own)
            ]
            chosen = [setting for name, setting in named if only.search(name)]
            if not chosen:
                raise click.ClickException(f"No row matches. The rows: {', '.join(n for n, _ in named)}.")
            again = again or timed
            results = Store(store, program)
            # Seed by seed, so that an interrupted program has something of every row.
            planned = [(setting, seed) for seed in range(1, seeds + 1) for setting in chosen]
            if not again:
                done = [(r["setting"], r["seed"]) for r in results.read() if "seed" in r]
                planned = [one for one in planned if one not in done]
            make_runs(run, data, planned, jobs, results, anew=again)
            for table in tables(results.results(chosen)):
                table.print(markdown)

        program = Path(inspect.getfile(rows)).stem
        command.__doc__ = rows.__doc__ or inspect.getdoc(inspect.getmodule(rows))
        command.__click_params__ = getattr(rows, "__click_params__", [])  # type: ignore[attr-defined]
        if seeds is not None:
            option = click.option(
                "--repetitions" if timed else "--seeds",
                "seeds",
                type=positive,
                default=seeds,
                show_default=True,
                help="Runs of each row.",
            )
            command = option(command)
        for option in reversed(SHARED):
            command = option(command)
        return click.command(program)(command)

    return make


def make_runs(
    run: Run, data: Path, planned: Sequence[tuple[Setting, int]], jobs: int, store: Store, *, anew: bool
) -> None:
    """Makes runs and keeps what they come to; an interrupt leaves what is done until then."""
    with progress("runs", len(planned)) as done:
        try:
            for setting, seed, values in _run(run, data, planned, jobs):
                store.add(setting, seed, values, anew=anew and seed == 1)
                done(", ".join(str(value) for value in setting.values()))
        except KeyboardInterrupt:
            print("Interrupted: the tables hold what is done until here.", file=sys.stderr)


def _run(
    run: Run, data: Path, planned: Sequence[tuple[Setting, int]], jobs: int
) -> Iterator[tuple[Setting, int, dict[str, Any]]]:
    if jobs == 1:
        for setting, seed in planned:
            yield setting, seed, run(data, dict(setting), seed)
        return
    # Processes are spawned: forking beside the thread of the progress bar may hang.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        under_way = {
            pool.submit(run, data, dict(setting), seed): (setting, seed) for setting, seed in planned
        }
        for future in as_completed(under_way):
            yield *under_way[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error, which leaves nothing there; call what it gives for every step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, advance=1, description=done)
