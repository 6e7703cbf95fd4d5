"""Runs the tests with a core that is compiled with sanitizers, which name each wrong access as it happens.

    python tests/sanitize.py address                        # address and undefined behaviour, all test files
    python tests/sanitize.py thread tests/test_network.py   # data races, in some of them
    python tests/sanitize.py address -- -k damaged -x       # what comes after -- is for pytest

The core is compiled in build/address or build/thread, which leaves other builds alone, and every test file
runs in a process of its own, so that a finding ends one file and not all. Processes that tests start are
watched too. Findings are written to build/address/reports, also those that pytest or a test would have
swallowed; any of them, and any test that fails, makes this fail.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
TESTS = PROJECT / "tests"
NO_TESTS = 5
"""The exit code of pytest if a file has none, or none that were asked for."""

RUNTIMES = {"address": "libasan.so", "thread": "libtsan.so"}


def main() -> int:
    arguments = sys.argv[1:]
    own, for_pytest = arguments, []
    if "--" in arguments:
        cut = arguments.index("--")
        own, for_pytest = arguments[:cut], arguments[cut + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sanitizer", choices=RUNTIMES)
    parser.add_argument("files", nargs="*", help="test files; without, all")
    parser.add_argument("--jobs", type=int, default=1, help="test files that run at the same time")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="compile in a quarter of the time, with arc-eager as the only system: for readers and loaders",
    )
    asked = parser.parse_intermixed_args(own)
    files = [Path(file).resolve() for file in asked.files] or sorted(TESTS.glob("test_*.py"))
    folder = PROJECT / "build" / f"{asked.sanitizer}{'-quick' if asked.quick else ''}"
    compiled(folder, asked.sanitizer, quick=asked.quick)
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    environment = watched(asked.sanitizer, packaged(folder), reports)
    with ThreadPoolExecutor(asked.jobs) as pool:
        bad = sum(pool.map(lambda file: not passes(file, for_pytest, environment, reports), files))
    findings = sorted(reports.glob("*.finding.*"))
    for finding in findings:
        print(f"== {finding.name}\n{finding.read_text(errors='replace')}")
    print(f"{len(files)} test files, {bad} failed, {len(findings)} findings in {reports}")
    return 1 if bad or findings else 0


def compiled(folder: Path, sanitizer: str, *, quick: bool) -> None:
    """Compiles the core in this folder, or what has changed of it."""
    configure = ["cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", f"-DARCWISE_SANITIZE={sanitizer}"]
    configure.append(f"-DPython_EXECUTABLE={sys.executable}")
    configure.append("-DARCWISE_QUICK=ON" if quick else "-DARCWISE_UNITY=ON")
    # Next to this Python are the programs of its environment.
    programs = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    for command in (configure, ["cmake", "--build", folder]):
        subprocess.run(command, check=True, env={**os.environ, "PATH": programs}, stdout=sys.stderr)


def packaged(folder: Path) -> Path:
    """Where the package lies with the core that was compiled there: beside it, its sources."""
    package = folder / "package" / "arcwise"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (PROJECT / "src" / "arcwise").iterdir():
        if not path.name.startswith(("_core.", "__pycache__")):
            (package / path.name).symlink_to(path)
    (core,) = folder.glob("_core.*.so")
    (package / core.name).symlink_to(core)
    return package.parent


def watched(sanitizer: str, package: Path, reports: Path) -> dict[str, str]:
    """The environment of processes in which findings end the process and are written down."""
    preload = [library(RUNTIMES[sanitizer]), library("libstdc++.so")]
    report = str(reports / "process.finding")
    # Beside another sanitizer's runtime, that of undefined behaviour does not hear of log_path.
    told = f"ctypes.CDLL({library('libubsan.so')!r}).__sanitizer_set_report_path({report.encode()!r})"
    (package / "sitecustomize.py").write_text(f"import ctypes\n\n{told}\n")
    common = {"log_path": report, "halt_on_error": 1}
    address = {
        **common,
        "detect_leaks": 0,  # Python frees little of what it holds when it ends
        "detect_stack_use_after_return": 1,
        "strict_string_checks": 1,
        "allocator_may_return_null": 1,
    }
    # What races goes on: one run finds all. Tests fork processes that have threads.
    thread = {
        **common,
        "halt_on_error": 0,
        "die_after_fork": 0,
        "suppressions": TESTS / "sanitize_thread.supp",
    }
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(preload),
        "ASAN_OPTIONS": options(address),
        "UBSAN_OPTIONS": options({**common, "print_stacktrace": 1}),
        "TSAN_OPTIONS": options(thread),
        "PYTHONPATH": str(package),
        # Python's own allocator hides what was freed.
        "PYTHONMALLOC": "malloc",
    }


def library(name: str) -> str:
    """Where the compiler has a library."""
    compiler = os.environ.get("CXX", "g++")
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return os.path.realpath(found.stdout.strip())


def options(chosen: dict[str, object]) -> str:
    return ":".join(f"{name}={value}" for name, value in chosen.items())


def passes(file: Path, for_pytest: list[str], environment: dict[str, str], reports: Path) -> bool:
    """Runs a test file, and says how it went."""
    started = time.monotonic()
    # pytest's own handler of crashes would come before the sanitizer's.
    command = [sys.executable, "-m", "pytest", "-p", "no:faulthandler", "-p", "no:cacheprovider"]
    command.append("--hypothesis-profile=sanitized")
    output = reports / f"{file.stem}.txt"
    with output.open("wb") as stream:
        done = subprocess.run(
            [*command, *for_pytest, file], cwd=PROJECT, env=environment, stdout=stream, stderr=stream
        )
    passed = done.returncode in (0, NO_TESTS)
    last = output.read_text(errors="replace").strip().rpartition("\n")[2]
    print(
        f"{'ok  ' if passed else 'FAIL'} {file.name} {time.monotonic() - started:.0f} s: {last}", flush=True
    )
    return passed


if __name__ == "__main__":
    sys.exit(main())
