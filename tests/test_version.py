"""The version stands in one place, src/arcwise/__init__.py, and everything else has it from there."""

import re
from pathlib import Path

import arcwise

ROOT = Path(__file__).resolve().parents[1]


def test_no_other_file_says_a_version():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^dynamic = \["version"\]$', project, re.MULTILINE)
    assert not re.search(r"^version = ", project, re.MULTILINE)
    assert 'metadata.version.input = "src/arcwise/__init__.py"' in project
    build = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "file(STRINGS src/arcwise/__init__.py" in build and arcwise.__version__ not in build


def test_the_changelog_begins_with_it():
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == arcwise.__version__


def test_the_formats_of_the_library_and_of_python_are_the_same():
    from arcwise.model_file import FORMAT

    header = (ROOT / "cpp/pipeline/container.h").read_text(encoding="utf-8")
    assert f"kModelFormat = {FORMAT};" in header
