"""`arcwise features`: the templates of a feature set, or a network's inputs."""

from __future__ import annotations

import click

from arcwise.cli.common import FromCore, counted
from arcwise.options import SystemOptions


@click.command(
    short_help="Print the templates of a feature set.",
    epilog="""\b
Examples:
  arcwise features zn2011 --system arc-hybrid
  arcwise features > my-features.txt
  arcwise train train.conllu --learner perceptron \\
      --features my-features.txt -o my.model
  arcwise features network --system arc-standard
""",
)
@click.argument("name", metavar="[NAME|FILE]", default="default")
@click.option(
    "--system",
    type=FromCore("SYSTEMS"),
    default=SystemOptions.name,
    show_default=True,
    help="The transition system whose places the templates look at.",
)
def features(name: str, system: str) -> None:
    """Print the templates of a feature set, to read or to start your own from.

    NAME is default, zn2011 (Zhang & Nivre 2011), turbo or l2s (Chang et al. 2015); a
    FILE of templates is checked and printed without its comments. A template
    is a line of atoms, such as 'S0.form N0.upos': the word on top of the stack
    together with the tag of the next one. The attribute 'tag' is XPOS, or UPOS
    in a treebank without XPOS.

    With the NAME network, what a network looks at in a state: places, and what
    the tree says of them, in the notation of 'arcwise train --states'. With the
    NAME ranking, the templates of HC-search's ranker, in the notation of
    'arcwise train --rank-features'.
    """
    from arcwise import features as sets

    if name == "network":
        from arcwise.network import default_states

        inputs = default_states(system)
        click.echo(f"# {name} for {system}: {counted(len(inputs), 'input')} of states")
        click.echo("\n".join(inputs))
        return
    if name == "ranking":
        from arcwise.hc import features as ranking

        lines = ranking.default()
        click.echo(f"# {name}: {counted(len(lines), 'template')}")
        click.echo("\n".join(lines))
        return
    if name in sets.SETS:
        # In a file that is to serve any treebank, 'tag' stands for the column that there is.
        lines = [line.replace(".xpos", ".tag") for line in sets.builtin(name, system)]
    else:
        lines = sets.read(name)
        sets.check(lines, system)
    click.echo(f"# {name} for {system}: {counted(len(lines), 'template')}")
    for line in lines:
        click.echo(line)
