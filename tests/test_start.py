"""What the command line imports before it has parsed a sentence."""

import subprocess
import sys

import pytest

# Names on standard error what was imported.
RUN = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from arcwise.cli import main
main()
"""


def run(*arguments: str) -> tuple[str, set[str]]:
    """What a command writes, given a sentence, and the modules that it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        input="Time flies like an arrow.\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("to", ["conllu", "json"])
def test_a_sentence_is_parsed_without_numpy_and_rich(to: str) -> None:
    output, modules = run("parse", "--to", to)
    assert "arrow" in output and "arcwise._core" in modules
    assert not modules & {"numpy", "rich", "concurrent.futures", "tempfile"}
