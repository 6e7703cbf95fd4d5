"""What the documentation shows runs, and prints what it says."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
from pathlib import Path

import pytest

import arcwise

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MORE_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
EXTRAS = {
    "starlette": ("arcwise.serve",),
    "spacy": ("arcwise.spacy", "spacy.md"),
    "pyarrow": ("arcwise.corpus", "arcwise.ray", "arrow.md"),
    "ray": ("arcwise.ray",),
}
"""Packages of extras, and the modules and pages that need them."""
ABSENT = {
    needing
    for package, all_needing in EXTRAS.items()
    if importlib.util.find_spec(package) is None
    for needing in all_needing
}


def is_absent(module):
    """Whether a module is of an extra that is not installed."""
    return any(module == needing or module.startswith(f"{needing}.") for needing in ABSENT)


MODULES = ["arcwise"] + [
    module.name
    for module in pkgutil.walk_packages(arcwise.__path__, "arcwise.", onerror=lambda name: None)
    if module.name.rpartition(".")[2] not in ("_core", "__main__") and not is_absent(module.name)
]
PATH = re.compile(r"(?<![\w/.*-])(?:cpp|bindings|src|tests|docs|benchmarks|examples)/[\w./*-]*")
PLACEHOLDER = re.compile(r"my_|/N$")
PYTHON_BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_are_found():
    finder = doctest.DocTestFinder()
    examples = [t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples]
    assert {"arcwise.treebank", "arcwise.parser.Parser.train"} <= {test.name for test in examples}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_runs(page, tmp_path, monkeypatch):
    """Blocks share one namespace, in their order, and a folder with the examples; `>>>` is a doctest."""
    if page.name in ABSENT:
        pytest.skip("the extra that this page is about is not installed")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in PYTHON_BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1))
        if ">>>" in block[1]:
            example = doctest.DocTestParser().get_doctest(block[1], names, page.name, str(page), line)
            assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
            names.update(example.globs)
        else:
            exec(compile("\n" * line + block[1], str(page), "exec"), names)


@pytest.mark.parametrize("page", MORE_PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    text = page.read_text(encoding="utf-8")
    linked = {link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link}
    named = {path.rstrip("./") for path in PATH.findall(text)}
    gone = [path for path in named if not PLACEHOLDER.search(path) and not [*ROOT.glob(path)]]
    assert gone + [link for link in linked if not (page.parent / link).exists()] == []


def test_names_of_the_glossary_are_in_the_files_beside_them():
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| (`.*) \|$", glossary, re.MULTILINE)
    assert len(rows) > 50
    for row in rows:
        quoted = re.findall(r"`([^`]+)`", row)
        text = "".join((ROOT / path).read_text(encoding="utf-8") for path in quoted if "/" in path)
        gone = [name for name in quoted if "/" not in name and not re.search(rf"\b{name}\b", text)]
        assert gone == [], row
