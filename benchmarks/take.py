"""Takes a table that no program makes into the store, for pages to show: the first of a Markdown file.

    python benchmarks/take.py profile.md --title "Components of a run" --note "Callgrind, dev of en_ewt."

A table of the same title is replaced. Pages show it by <!-- generated: earlier: TITLE -->.
"""

from __future__ import annotations

from pathlib import Path

import click

from store import FOLDER, Store, provenance


def first_table(text: str) -> list[list[str]]:
    """The cells of the first table, its columns first.

    >>> first_table("# Page\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |\\n\\n| c |\\n")
    [['a', 'b'], ['1', '2']]
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.startswith("|")), len(lines))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return rows[:1] + rows[2:]


@click.command()
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title", required=True)
@click.option("--note", "notes", multiple=True, help="Said under the table; may be given several times.")
@click.option("--commit", help="At which it was measured.  [default: this one]")
def main(page: Path, title: str, notes: tuple[str, ...], commit: str | None) -> None:
    """Takes the first table of a Markdown file into the store."""
    rows = first_table(page.read_text(encoding="utf-8"))
    if not rows:
        raise click.ClickException(f"There is no table in {page}.")
    by = provenance() | ({"commit": commit} if commit else {})
    values = {"columns": rows[0], "rows": rows[1:], "notes": list(notes)}
    record = {"setting": {"title": title}, "seeds": 1, **by, "source": "measured by hand", "values": values}
    store = Store(FOLDER, "earlier")
    store.write([old for old in store.read() if old["setting"]["title"] != title] + [record])


if __name__ == "__main__":
    main()
