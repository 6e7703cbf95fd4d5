"""Writes the tables and pictures of the project's pages anew from the store of results.

    python benchmarks/report.py
    python benchmarks/report.py --check

A page has places such as

    <!-- generated: network: Presets -->
    <!-- end -->

between whose marks the table of that title comes, made by that program; without a title all its tables. The
program 'earlier' stands for tables that no program makes. Pictures need matplotlib.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from store import FOLDER, Results, Store
from tables import Table

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "benchmarks/README.md",
    "benchmarks/experiments.md",
    "docs/benchmarks.md",
    "docs/papers/chang_2015.md",
    "docs/papers/goldberg_2013.md",
    "docs/papers/goldberg_nivre_2012.md",
    "docs/papers/goldberg_nivre_2013.md",
    "docs/papers/liu_2015.md",
    "docs/annotate.md",
    "docs/segmentation.md",
    "docs/serve.md",
    "docs/ray.md",
)
PICTURES = {
    "docs/images/beam.svg": "beam",
    "docs/images/calibration.svg": "calibration",
    "docs/images/exploration.svg": "systems",
    "docs/images/peers.svg": "peers",
    "docs/images/suggest.svg": "suggest",
}
"""Each is drawn by a program from its results."""

PLACE = re.compile(r"(<!-- generated: (\w+)(?:: ([^\n]*?))? -->\n).*?(<!-- end -->)", re.DOTALL)


@cache
def tables_of(program: str) -> dict[str, Table]:
    """The tables of a program, by title."""
    store = Store(FOLDER, program)
    if program == "earlier":
        return {table.title: table for table in earlier(store)}
    module = importlib.import_module(program)
    return {table.title: table for table in module.tables(store.results())}


def earlier(store: Store) -> Iterator[Table]:
    for record in store.read():
        yield Table(record["setting"]["title"], **record["values"], of=Results([record]))


def generated(text: str) -> str:
    """A page with its places filled."""

    def fill(match: re.Match[str]) -> str:
        start, program, title, end = match.groups()
        tables = tables_of(program)
        if not tables:
            return f"{start}\nNot measured yet.\n\n{end}"
        if title is None:
            lines = [
                line for own in tables.values() for line in ("", f"**{own.title}**", "", *own.lines(True))
            ]
            return "\n".join([start.strip(), *lines, "", end])
        if title not in tables:
            raise click.ClickException(
                f"{program} has no results for a table '{title}'. Its tables: {', '.join(tables) or 'none'}."
            )
        return "\n".join([start.strip(), "", *tables[title].lines(True), "", end])

    return PLACE.sub(fill, text)


def digest(program: str) -> str:
    """By which a picture says what results it was drawn from."""
    return hashlib.sha256((FOLDER / f"{program}.json").read_bytes()).hexdigest()[:16]


def out_of_date() -> list[str]:
    """The pages and pictures that the results have changed since."""
    pages = [
        name
        for name in PAGES
        if generated((ROOT / name).read_text("utf-8")) != (ROOT / name).read_text("utf-8")
    ]
    pictures = [
        name
        for name, program in PICTURES.items()
        if not (ROOT / name).exists() or digest(program) not in (ROOT / name).read_text("utf-8")
    ]
    return pages + pictures


def draw(name: str, program: str) -> None:
    from matplotlib import rcParams

    # The same picture for the same results, and its words as text.
    rcParams.update({"svg.hashsalt": "arcwise", "svg.fonttype": "none"})
    figure = importlib.import_module(program).draw(Store(FOLDER, program).results())
    figure.savefig(ROOT / name, metadata={"Date": None, "Description": f"results {digest(program)}"})


@click.command()
@click.option("--check", is_flag=True, help="Change nothing, and say what is out of date.")
def main(check: bool) -> None:
    """Writes tables and pictures anew from the store of results."""
    old = out_of_date()
    if check:
        if old:
            raise click.ClickException(f"Out of date: {', '.join(old)}. Run python benchmarks/report.py.")
        return
    for name in old:
        if name in PICTURES:
            draw(name, PICTURES[name])
        else:
            (ROOT / name).write_text(generated((ROOT / name).read_text("utf-8")), encoding="utf-8")
        click.echo(f"{name} is new.")


if __name__ == "__main__":
    main()
