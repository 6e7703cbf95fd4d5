"""`arcwise annotate`: a page on which trees are corrected."""

from __future__ import annotations

from typing import Any

import click

from arcwise.cli.flags import flags_of
from arcwise.cli.serve import start
from arcwise.serve.settings import Settings


@click.command(
    short_help="Correct trees on a page, and teach the model.",
    epilog="""\b
Examples:
  arcwise annotate trees.conllu --open
  arcwise annotate treebanks/ --model sv.arc
  arcwise annotate anna.conllu ben.conllu --open
  arcwise parse text.txt -o trees.conllu && arcwise annotate trees.conllu

Needs the extra: pip install 'arcwise[serve]'. docs/annotate.md says more.""",
)
@click.argument("file", nargs=-1, required=True, metavar="FILE...")
@flags_of(Settings, leave_out=("project", "processes"))
@click.option("--open", "opens", is_flag=True, help="Show the page in a browser.")
def annotate(file: tuple[str, ...], opens: bool, **flags: Any) -> None:
    """Open treebanks, or a folder of them, on a page of this machine: see
    what the parser is unsure of, put an arc right and watch the rest of the
    tree follow, and let the model learn from it.

    Every change is in a journal beside the file before the page shows it,
    and in the file right after. It prints its address, and runs until Ctrl-C.
    """
    start("annotate", (), opens, {**flags, "project": file})
