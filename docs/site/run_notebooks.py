"""Runs the notebooks, and keeps what they show in them.

python docs/site/run_notebooks.py            all of them
python docs/site/run_notebooks.py teacher    one
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import arcwise

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
KINDS = ("image/svg+xml", "image/png", "text/html", "text/plain")
"""What is kept of an output: the first of these that it has."""


def run(path: Path, *, timeout: int = 300) -> nbformat.NotebookNode:
    """The notebook after all its cells; an error in one of them ends it."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=timeout, resources={"metadata": {"path": str(path.parent)}})
    # The package that runs this, wherever it lies.
    client.execute(env=os.environ | {"PYTHONPATH": str(Path(arcwise.__file__).resolve().parents[1])})
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = _joined(_kept(o) for o in cell.outputs if o.get("name") != "stderr")
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def _kept(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    if "data" in output:
        kind = next(kind for kind in KINDS if kind in output.data)
        output.data, output.metadata = {kind: output.data[kind]}, {}
    if "execution_count" in output:
        output.execution_count = None
    return output


def _joined(outputs: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """What was printed in several goes is one output."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            nbformat.write(run(path), path)
            print(path.name)
