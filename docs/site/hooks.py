"""What MkDocs asks while it builds the site: which pages there are, and where their links lead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import api
import commands
import notebooks
import option_tables
from links import in_site
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]

BROUGHT = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "benchmarks/README.md": "benchmarks/tables.md",
    "benchmarks/experiments.md": "benchmarks/experiments.md",
    "benchmarks/english/README.md": "benchmarks/english.md",
    "benchmarks/web/README.md": "benchmarks/web.md",
    "examples/README.md": "examples.md",
    "src/arcwise/data/en.md": "models/en.md",
}
"""Pages of the project that are pages of the site too, and what they are called there."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the pages of commands and of the Python reference where the navigation names their folders.

    A page of `docs` that it does not name has a place under "More".
    """
    folders = {
        "reference/commands/": [f"reference/commands/{name}.md" for name in ("index", *commands.names())],
        "reference/python/": [f"reference/python/{name}.md" for name in ("index", *api.PAGES)],
    }
    sections = {title: own for section in config.nav or [] for title, own in section.items()}
    for entry in sections["Reference"]:
        for title, target in entry.items():
            entry[title] = folders.get(target, target)
    named = set(_targets(config.nav))
    others = [path.name for path in sorted(Path(config.docs_dir).glob("*.md")) if path.name not in named]
    if others:
        sections["How to"].append({"More": others})
    return config


def _targets(nav: object) -> Iterator[str]:
    """The pages that the navigation names."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict | list):
        for own in nav.values() if isinstance(nav, dict) else nav:
            yield from _targets(own)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made, or that lie elsewhere in the project."""
    made = {site: (ROOT / path).read_text("utf-8") for path, site in BROUGHT.items()}
    made |= {f"reference/commands/{name}.md": page for name, page in commands.pages()}
    made |= {f"reference/python/{name}.md": page for name, page in api.pages()}
    made["reference/options.md"] = option_tables.page()
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        page = notebooks.as_markdown(Path(str(file.abs_src_path)))
        files.append(File.generated(config, f"{file.src_uri}.md", content=page))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Leads links to where their files are in the site."""
    uri = page.file.src_uri
    path = next((path for path, site in BROUGHT.items() if site == uri), f"docs/{uri}")
    return in_site(markdown, path, uri, BROUGHT, {file.src_uri for file in files})
