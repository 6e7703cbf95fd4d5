"""More than it can carry, with slow clients and clients that leave: everyone is answered or refused."""

from __future__ import annotations

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from serving.service import running, wait_until

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_everyone_is_answered_or_refused_and_nothing_is_left(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    load = importlib.import_module("load")
    with running(max_requests=8, max_silence=1.0, max_seconds=10, threads=2) as one:
        with ThreadPoolExecutor(1) as pool:  # the browser's tests have an event loop in this thread
            told = pool.submit(
                load.storm,
                *("127.0.0.1", one.port),
                clients=40,
                seconds=3,
                text="The dog sleeps. " * 60,
                slow=4,
                vanishing=4,
            ).result()
        assert told.lost == 0, told
        assert told.answered > 10 and told.refused > 0
        assert told.answered + told.refused == told.asked
        # What is still worked on for those who left ends.
        wait_until(lambda: not one.service.work.accepted)
        wait_until(lambda: one.service.work.memory.held == 0)
        assert one.parse("Dogs bark.")["sentences"]
    assert "load" in sys.modules
