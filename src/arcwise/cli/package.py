"""`arcwise package`: a model as a Python package, which pip installs."""

from __future__ import annotations

import click

from arcwise.cli.common import say


@click.command(
    short_help="Make a Python package of a model.",
    epilog="""\b
Examples:
  arcwise package el.model -o arcwise-model-el --name el --version 1.0
  pip install ./arcwise-model-el
  arcwise parse el text.txt
""",
)
@click.argument("model")
@click.option("-o", "--output", metavar="FOLDER", required=True, help="A new folder for the package.")
@click.option("--name", help="What the model is called once it is installed; by default as its file is.")
@click.option("--version", default="1.0.0", show_default=True, help="The version of the package.")
@click.option("--description", help="One line; by default what the model says of itself.")
@click.option("--licence", help="The licence of the model; by default what the model says of itself.")
@click.option(
    "--card", metavar="FILE", help="Markdown that tells of the model; by default what it says of itself."
)
def package(
    model: str,
    output: str,
    name: str | None,
    version: str,
    description: str | None,
    licence: str | None,
    card: str | None,
) -> None:
    """Make a Python package of MODEL, that others install with pip.

    Once it is installed, arcwise.load(NAME) opens the model, and every command
    takes NAME in place of a file. The package has the model, a card that tells
    of it (README.md), and its licence. Look at both before you publish it.
    """
    from arcwise.model_packages import write

    made = write(
        model, output, name=name, version=version, description=description, licence=licence, card=card
    )
    say(f"{output} is the package {made}. Install it with 'pip install {output}'.")
