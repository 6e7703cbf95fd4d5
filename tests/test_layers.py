"""The layers of the core (docs/architecture.md): a folder of cpp/ includes itself and those before it."""

import re
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "cpp"
LAYERS = [
    "base",
    "text",
    "tree",
    "task",
    "constraint",
    "feature",
    "network",
    "learn",
    "model",
    "search",
    "rank",
    "parse",
    "pipeline",
    "train",
    "system",
]
"""From the bottom up."""


def test_every_folder_of_the_core_is_a_layer():
    assert {folder.name for folder in CORE.iterdir() if folder.is_dir()} <= set(LAYERS)


def test_no_layer_includes_one_above_it():
    upward = [
        f"{source.relative_to(CORE)} includes {included}"
        for layer in LAYERS
        for source in sorted((CORE / layer).glob("*.*"))
        for included in re.findall(r'#include "([^"]+)"', source.read_text())
        if LAYERS.index(included.partition("/")[0]) > LAYERS.index(layer)
    ]
    assert upward == []
