"""`arcwise models`: which models are there by name."""

from __future__ import annotations

import click

from arcwise.cli.common import file_size, say, show


@click.command(
    short_help="List the models that are installed.",
    epilog="""\b
Examples:
  arcwise models
  arcwise train train.conllu -o "$(arcwise models --folder)/sv.arc"
  arcwise parse sv brev.txt
""",
)
@click.option("--folder", is_flag=True, help="Print the folder where models of your own go, and make it.")
def models(folder: bool) -> None:
    """List the models that can be called by their names, in place of a file.

    Files NAME.arc in a folder of your own (see --folder) are models of those
    names; the environment variable ARCWISE_MODELS names another folder. Others
    are in Python packages ('arcwise package' makes one), or come with arcwise.
    """
    from arcwise import model_packages
    from arcwise.errors import ModelError
    from arcwise.models import installed, user_folder
    from arcwise.pipeline import Pipeline
    from arcwise.transitions.system import AsDescribed

    if folder:
        user_folder().mkdir(parents=True, exist_ok=True)
        click.echo(user_folder())
        return
    for model in installed():
        try:
            pipeline = Pipeline.load(model.path, system=AsDescribed)
        except ModelError as error:
            say(f"{model.name} cannot be opened: {error}")
            continue
        where = "comes with arcwise" if model.is_packaged else model.package or str(model.path)
        what = pipeline.about.get("description") or ", ".join(pipeline.components())
        show(f"{model.name}: {what} ({file_size(model.path.stat().st_size)}; {where})")
    for broken in model_packages.installed():
        if broken.path is None:
            say(f"{broken.name} of the package {broken.package} cannot be opened: {broken.problem}")
    say(f"Your own models go to {user_folder()} as NAME.arc.")
