"""The store of results: a JSON file a program, a line a run, with what it was measured by."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

import arcwise
from arcwise import _core

FOLDER = Path(__file__).resolve().parent / "results"

Setting = Mapping[str, Any]
"""All that makes a run what it is, but for the seed: names and plain values."""

Record = dict[str, Any]
"""A setting, a seed, the values found, and commit, date, vector unit and processor. A record that was taken
over from older tables says so under 'source', has no seed but the number of 'seeds', and where they were
several a value is a pair of mean and standard deviation."""


def commit_of(source: Path) -> str:
    """The commit of a folder of sources, with a plus if something was changed since."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(source), *arguments], capture_output=True, text=True)
        return done.stdout.strip()

    commit = git("rev-parse", "--short=7", "HEAD") or arcwise.__version__
    return f"{commit}+" if git("status", "--porcelain", "--", ".", "../cpp", "../bindings") else commit


def processor() -> str:
    """What the machine calls its processor: vector units of one name are not of one speed."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    about = dict(map(str.strip, line.split(":", 1)) for line in lines if ":" in line)
    family = f" family {about['cpu family']}" if "cpu family" in about else ""
    return about.get("model name", platform.machine()) + family


@cache
def provenance() -> dict[str, str]:
    """By what is measured here and now."""
    return {
        "commit": commit_of(Path(arcwise.__file__).resolve().parents[1]),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "unit": _core.vector_unit(),
        "processor": processor(),
    }


class Store:
    """The results of one program."""

    def __init__(self, folder: Path, program: str) -> None:
        self._path = folder / f"{program}.json"

    def read(self) -> list[Record]:
        return json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else []

    def add(self, setting: Setting, seed: int, values: Mapping[str, Any], *, anew: bool = False) -> None:
        """Puts a run in the place of one of the same setting and seed; anew, of all of that setting.

        Values may name the commit and the vector unit that they are of, if these are others. The file is read
        again, for another program may have written, and replaced as a whole."""
        others = {name: values[name] for name in ("commit", "unit") if name in values}
        by = provenance() | others
        own = _rounded({name: value for name, value in values.items() if name not in others})
        record = {"setting": dict(setting), "seed": seed, **by, "values": own}
        records = self.read()
        if anew:
            same = _text(setting)
            records = [old for old in records if "seed" not in old or _text(old["setting"]) != same]
        places = [i for i, old in enumerate(records) if _key(old) == _key(record)]
        if places:
            records[places[0]] = record
        else:
            records.append(record)
        self.write(records)

    def write(self, records: Iterable[Record]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
        with tempfile.NamedTemporaryFile("w", dir=self._path.parent, delete=False, encoding="utf-8") as file:
            file.write(f"[\n{lines}\n]\n")
        Path(file.name).chmod(0o644)
        Path(file.name).replace(self._path)

    def results(self, chosen: Iterable[Setting] | None = None) -> Results:
        """All results, or those of some settings, in their order."""
        records = self.read()
        if chosen is not None:
            places = {_text(setting): place for place, setting in reversed([*enumerate(chosen)])}
            records = [record for record in records if _text(record["setting"]) in places]
            records.sort(key=lambda record: places[_text(record["setting"])])
        return Results(records)


def _text(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)


def _key(record: Record) -> tuple[str, int | None]:
    return _text(record["setting"]), record.get("seed")


def _rounded(value: Any) -> Any:
    """Six digits are more than any measurement has."""
    if isinstance(value, Mapping):
        return {str(key): _rounded(own) for key, own in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


class Results:
    """Results that tables are made of. Runs count; what was taken over does where there are none."""

    def __init__(self, records: Sequence[Record]) -> None:
        run = {_text(record["setting"]) for record in records if "seed" in record}
        self.records = [r for r in records if "seed" in r or _text(r["setting"]) not in run]

    def __bool__(self) -> bool:
        return bool(self.records)

    def of(self, **setting: Any) -> Results:
        """Those whose settings say this; None is what they do not say."""
        return Results(
            [r for r in self.records if all(r["setting"].get(name) == own for name, own in setting.items())]
        )

    def distinct(self, name: str) -> list[Any]:
        """What settings say of something, each once, in order."""
        return list(dict.fromkeys(record["setting"].get(name) for record in self.records))

    def by(self, *names: str) -> Iterator[tuple[tuple[Any, ...], Results]]:
        """The results grouped by what their settings say."""
        groups: dict[tuple[Any, ...], list[Record]] = {}
        for record in self.records:
            groups.setdefault(tuple(record["setting"].get(name) for name in names), []).append(record)
        for key, own in groups.items():
            yield key, Results(own)

    @property
    def seeds(self) -> int:
        """How many runs each setting has at most."""
        return max((sum(r.get("seeds", 1) for r in own.records) for own in self._settings()), default=0)

    def _settings(self) -> Iterator[Results]:
        by_setting: dict[str, list[Record]] = {}
        for record in self.records:
            by_setting.setdefault(_text(record["setting"]), []).append(record)
        yield from map(Results, by_setting.values())

    def has(self, *path: str) -> bool:
        return any(_at(record["values"], path) is not None for record in self.records)

    def names(self, *path: str) -> list[str]:
        """The names of the values there, in order."""
        found = (_at(record["values"], path) for record in self.records)
        return list(dict.fromkeys(key for values in found if isinstance(values, dict) for key in values))

    def values(self, *path: str) -> list[float]:
        """A value of every run; of runs that were taken over, their mean."""
        found = [_at(record["values"], path) for record in self.records]
        return [v[0] if isinstance(v, list) else v for v in found if v is not None]

    def deviation(self, *path: str) -> float | None:
        """The standard deviation over seeds, where there were several."""
        pairs = [v for r in self.records if isinstance(v := _at(r["values"], path), list)]
        if pairs:
            return pairs[0][1]
        values = self.values(*path)
        return statistics.stdev(values) if len(values) > 1 else None

    def mean(self, *path: str) -> float | None:
        values = self.values(*path)
        return statistics.fmean(values) if values else None

    def median(self, *path: str) -> float | None:
        values = self.values(*path)
        return statistics.median(values) if values else None

    def measured(self) -> str:
        """By what they were measured, in a line for under a table."""
        kinds: dict[str, None] = {}
        for r in self.records:
            about = ", ".join(filter(None, (r["date"], r.get("unit"), r.get("processor"), r.get("source"))))
            kinds[f"{r['commit']} ({about})"] = None
        return f"Commit: {', '.join(kinds)}." if kinds else ""


def _at(values: Any, path: Sequence[str]) -> Any:
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values
