"""The documentation as a site: it is built without a warning, whole, and asks nobody for anything.

Without the extra `docs` these tests skip themselves.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import pytest

import arcwise
from arcwise.cli import cli
from serving.browser import browser as browser

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "docs" / "site"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST_NOTEBOOK = 60_000
"""Bytes, with what is shown in it."""
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
"""Elements that a browser fetches something for, and the attributes that say what."""


class Links(HTMLParser):
    """The links of a page, what it loads, and the places in it that links can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.page = page
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attributes}
        self.places.update(own[name] for name in ("id", "name") if name in own)
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        # A canonical address and the like are said, not fetched.
        if tag in LOADED and LOADED[tag] in own and own.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(own[LOADED[tag]])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built anew."""
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="the site needs the extra `docs`: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    sources = str(Path(arcwise.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": sources, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    return folder


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Links]:
    return {path: Links(path) for path in sorted(site.rglob("*.html"))}


def test_links_between_pages_lead_somewhere(site, pages):
    gone = []
    for page, own in pages.items():
        if page.name == "404.html":  # shown at any address, so that its links are those of a server's root
            continue
        for link in own.links + own.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            there = pages.get(target)
            lost = parts.fragment and there is not None and unquote(parts.fragment) not in there.places
            if not target.exists() or (lost and parts.fragment != "__skip"):
                gone.append((str(page.relative_to(site)), link))
    assert gone == []


def test_pages_fetch_nothing_from_elsewhere(site, pages):
    fetched = [link for own in pages.values() for link in own.loaded if urlsplit(link).netloc]
    assert fetched == []
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:@import|url\()\s*['\"]?(?:https?:)?//", style.read_text("utf-8")), style


def commands() -> Iterator[tuple[str, click.Command]]:
    with click.Context(cli) as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            assert command is not None
            yield name, command


def test_every_command_and_option_has_a_place(site, pages):
    for name, command in commands():
        own = pages[site / "reference" / "commands" / f"{name}.html"]
        options = [o for o in command.params if isinstance(o, click.Option) and not o.hidden]
        wanted = {f"{name}-{option.opts[-1].lstrip('-')}" for option in options}
        assert wanted - own.places == set()


def test_every_public_name_has_a_place(site):
    inventory = (site / "objects.inv").read_bytes()
    names = {
        line.split()[0] for line in zlib.decompress(inventory.split(b"\n", 4)[4]).decode("utf-8").splitlines()
    }
    modules = {name for name, own in arcwise._HOMES.items() if not own}
    assert {f"arcwise.{name}" for name in {*arcwise.__all__, *modules}} - names == set()


def test_examples_in_docstrings_are_blocks_of_code(site):
    for page in (site / "reference" / "python").glob("*.html"):
        text = page.read_text("utf-8")
        assert text.count("&gt;&gt;&gt;") == len(
            re.findall(r'<span class="gp">&gt;&gt;&gt; ?</span>', text)
        ), page


def test_search_works_without_a_server(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "glossary.html").as_uri())
    page.fill("input[name=query]", "dynamic oracle")
    page.wait_for_selector(".md-search-result__link", timeout=30_000)
    assert [address for address in asked if not address.startswith(("file:", "data:", "blob:"))] == []


def kinds(notebook: Any) -> list[list[str]]:
    """What each cell shows."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        [kind for output in cell["outputs"] for kind in output.get("data", [output["output_type"]])]
        for cell in cells
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept_in_it(path, monkeypatch):
    for module in ("nbclient", "ipykernel", "matplotlib"):
        pytest.importorskip(module, reason="notebooks need the extra `docs`: pip install '.[docs]'")
    monkeypatch.syspath_prepend(str(TOOLS))
    kept = importlib.import_module("nbformat").read(path, as_version=4)
    done = importlib.import_module("run_notebooks").run(path)
    assert kinds(done) == kinds(kept)
    # Trees are drawn, and nothing is so large that it is a burden to keep.
    assert path.stem == "engineer" or "image/svg+xml" in chain.from_iterable(kinds(kept))
    assert path.stat().st_size < LARGEST_NOTEBOOK
