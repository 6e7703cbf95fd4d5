"""What the tests share: the sample treebank and, where they are at hand, the development treebanks."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from arcwise import Treebank
from serving.browser import browser as browser  # one Chromium for all folders: a process can have no second

GARDEN = Path(__file__).resolve().parents[1] / "examples" / "garden"
GOLDEN = Path(__file__).parent / "golden"
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TREEBANK_FILES = sorted(SHARED_DATA.glob("*/*.conll*"))
ABSENT = f"the development treebanks are not at {SHARED_DATA}"

# No test asserts a time, and machines are busy at times.
settings.register_profile("arcwise", deadline=None)
# A sanitizer sees in a few examples what a comparison needs many for, and is slow.
settings.register_profile("sanitized", deadline=None, max_examples=10)
settings.load_profile("arcwise")


@pytest.fixture(scope="session")
def garden() -> Treebank:
    """The training part of the project's sample treebank."""
    return Treebank.read(GARDEN / "train.conllu")


@pytest.fixture(scope="session")
def some(garden: Treebank) -> Treebank:
    """A part of the sample treebank: enough to learn something, not enough to take long."""
    return garden[:60]


@pytest.fixture(scope="session")
def garden_dev() -> Treebank:
    """The dev part of the project's sample treebank."""
    return Treebank.read(GARDEN / "dev.conllu")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of development treebanks."""
    if not TREEBANK_FILES:
        pytest.skip(ABSENT)
    return SHARED_DATA


@pytest.fixture(
    params=TREEBANK_FILES or [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))],
    ids=lambda path: path.name if path else "none",
)
def treebank_file(request: pytest.FixtureRequest) -> Path:
    """Each of the development treebanks' files."""
    path: Path = request.param
    return path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file in `golden/`, or writes that anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        text = re.sub(r" +$", "", text, flags=re.MULTILINE)
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


def pytest_configure() -> None:
    # In the background of a script SIGINT is ignored, and so it would be by whatever the tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, for -n auto
def pytest_xdist_auto_num_workers() -> int:
    # Each worker collects all tests and makes what many of them share: many cores are not worth that.
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 8)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew")
