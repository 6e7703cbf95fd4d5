"""The reference of options, from the classes that have them."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator

from arcwise import options
from arcwise.options.fields import Option, Options, said_of
from arcwise.options.learners import AdaGradOptions, BeamTrainingOptions, L2sOptions, PerceptronOptions
from arcwise.options.network import NetworkOptions
from arcwise.options.parser import ParserOptions, PolicyOptions, SystemOptions
from arcwise.options.pipeline import PipelineOptions
from arcwise.options.ranking import RankingOptions
from arcwise.options.segmenter import SegmenterOptions
from arcwise.options.silver import SilverOptions
from arcwise.options.tagger import TaggerOptions

KINDS: tuple[type[Options], ...] = (
    PipelineOptions,
    SegmenterOptions,
    TaggerOptions,
    ParserOptions,
    SystemOptions,
    PolicyOptions,
    NetworkOptions,
    PerceptronOptions,
    AdaGradOptions,
    L2sOptions,
    BeamTrainingOptions,
    SilverOptions,
    RankingOptions,
    options.ParseOptions,
)


def page() -> str:
    """All options, a table a class."""
    parts = [
        "# Options",
        "How they go together, in files and in Python: [options and recipes](../options.md).",
    ]
    for kind in KINDS:
        about = re.split(r"\n>>> |\nAttributes:", inspect.cleandoc(kind.__doc__ or ""))[0]
        rows = [_row(field, said) for field, said in _fields(kind)]
        table = "\n".join(["| option | default | |", "| --- | --- | --- |", *rows])
        parts += [f"## {kind.__name__}", about.strip(), table]
    return "\n\n".join(parts) + "\n"


def _fields(kind: type[Options]) -> Iterator[tuple[dataclasses.Field[object], Option]]:
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if (said := said_of(field)) is not None:
            yield field, said


def _row(field: dataclasses.Field[object], said: Option) -> str:
    if said.part is not None and said.choices is None:
        default = f"[{said.part.__name__}](#{said.part.__name__.lower()})"
    elif field.default is None and said.unset is not None:
        default = said.unset
    elif field.default is dataclasses.MISSING:
        made = field.default_factory() if field.default_factory is not dataclasses.MISSING else None
        default = f"`{type(made).__name__}()`" if isinstance(made, Options) else f"`{made!r}`"
    else:
        default = f"`{field.default!r}`"
    known = said.known()
    values = f" One of {', '.join(f'`{name}`' for name in known)}." if known else ""
    return f"| `{field.name}` | {_cell(default)} | {_cell(said.help + values)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
