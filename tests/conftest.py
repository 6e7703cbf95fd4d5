"""What the tests share: the development treebanks, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TREEBANK_FILES = sorted(SHARED_DATA.glob("*/*.conll*"))
ABSENT = f"the development treebanks are not at {SHARED_DATA}"


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew")
