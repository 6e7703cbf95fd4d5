"""More than it can carry, with slow clients and clients that leave: everyone is answered or refused."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from service import running

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_everyone_is_answered_or_refused_and_nothing_is_left(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    load = importlib.import_module("load")
    with running(max_requests=8, max_silence=1.0, max_seconds=10, threads=2) as one:
        told = load.storm(
            "127.0.0.1", one.port, clients=40, seconds=3, text="The dog sleeps. " * 60, slow=4, vanishing=4
        )
        assert told.lost == 0, told
        assert told.answered > 10 and told.refused > 0
        assert told.answered + told.refused == told.asked
        # What is still worked on for those who left ends.
        from service import wait_until

        wait_until(lambda: not one.service.work.accepted)
        assert one.service.work.memory.held == 0
        assert one.parse("Dogs bark.")["sentences"]
    assert "load" in sys.modules
