"""Runs a command on some cores, and says what it took.

    python -I -S launch.py CORES COMMAND...

A process of its own that imports next to nothing: the peak memory of a process is at least that of the one
that started it. The command's output goes through; the last line is JSON of CPU seconds, those of the clock,
peak memory in bytes, and the status that the command ended with.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any


def launched(
    command: list[str], *, cores: int = 1, output: bool = True, environment: dict[str, str] | None = None
) -> tuple[str, dict[str, Any]]:
    """Runs a command through this program; without `output`, what it writes is thrown away."""
    own = [sys.executable, "-I", "-S", __file__, str(cores), "keep" if output else "drop", *command]
    done = subprocess.run(own, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8")
    printed, _, last = done.stdout.rstrip("\n").rpartition("\n")
    if done.returncode:
        raise RuntimeError(f"'{' '.join(command)}' could not be run.")
    took = json.loads(last)
    if took.pop("status"):
        raise RuntimeError(f"'{' '.join(command)}' failed.")
    return printed, took


def main(cores: str, output: str, *command: str) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0), reverse=True)[: int(cores)])
    drop = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)] if output == "drop" else []
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=drop)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    took = {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "memory": memory, "status": status}
    print(f"\n{json.dumps(took)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
