"""Counts for Prometheus, in memory that all processes of a service share.

Each process has a row of its own, so that no lock is needed, and a process that takes another's place goes
on in its row, so that counts never fall.
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Sequence

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 429, 499, 500, 503)
"""499: the client left before its answer."""
_PLAIN = ("words", "sentences", "cut", "restarts")
_NOW = ("waiting", "connections", "held")


class Metrics:
    """The counts of this process, and the sums over all."""

    def __init__(self, routes: Sequence[str], processes: int = 1) -> None:
        self.routes = [*routes, "other"]
        names = [
            *_PLAIN,
            *_NOW,
            *(f"{route} {status}" for route in self.routes for status in STATUSES),
            *(f"{route} {edge}" for route in self.routes for edge in ("sum", *map(str, BUCKETS), "inf")),
        ]
        self._places = {name: place for place, name in enumerate(names)}
        self._rows = processes
        self._memory = memoryview(mmap.mmap(-1, 8 * len(names) * processes)).cast("d")
        self.row = 0

    def _at(self, name: str) -> int:
        return self.row * len(self._places) + self._places[name]

    def add(self, name: str, count: float = 1) -> None:
        self._memory[self._at(name)] += count

    def set(self, name: str, value: float) -> None:
        """A gauge of this process."""
        self._memory[self._at(name)] = value

    def request(self, route: str, status: int, seconds: float) -> None:
        """A request that was answered, or whose client left."""
        route = route if route in self.routes else "other"
        self.add(f"{route} {status if status in STATUSES else 500}")
        edge = bisect_left(BUCKETS, seconds)
        self.add(f"{route} {BUCKETS[edge] if edge < len(BUCKETS) else 'inf'}")
        self.add(f"{route} sum", seconds)

    def total(self, name: str) -> float:
        """Over all processes."""
        width = len(self._places)
        return sum(self._memory[row * width + self._places[name]] for row in range(self._rows))

    def text(self) -> str:
        """In Prometheus's format."""
        lines = [
            "# HELP arcwise_requests_total Requests by route and status; 499: the client left first.",
            "# TYPE arcwise_requests_total counter",
        ]
        for route in self.routes:
            for status in STATUSES:
                if count := self.total(f"{route} {status}"):
                    lines.append(f'arcwise_requests_total{{route="{route}",status="{status}"}} {count:.0f}')
        lines += [
            "# HELP arcwise_request_seconds How long requests took, from their first byte to their answer.",
            "# TYPE arcwise_request_seconds histogram",
        ]
        for route in self.routes:
            counts = [self.total(f"{route} {edge}") for edge in (*BUCKETS, "inf")]
            if not sum(counts):
                continue
            below = 0.0
            for edge, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                below += count
                lines.append(f'arcwise_request_seconds_bucket{{route="{route}",le="{edge}"}} {below:.0f}')
            lines.append(f'arcwise_request_seconds_sum{{route="{route}"}} {self.total(f"{route} sum"):.6f}')
            lines.append(f'arcwise_request_seconds_count{{route="{route}"}} {below:.0f}')
        refused = sum(self.total(f"{route} {status}") for route in self.routes for status in (429, 503))
        plain = (
            ("arcwise_words_total", "counter", "Words in answers.", self.total("words")),
            ("arcwise_sentences_total", "counter", "Sentences in answers.", self.total("sentences")),
            ("arcwise_refused_total", "counter", "Requests that there was no room for.", refused),
            ("arcwise_cut_off_total", "counter", "Clients that were too slow.", self.total("cut")),
            (
                "arcwise_restarts_total",
                "counter",
                "Processes that took another's place.",
                self.total("restarts"),
            ),
            ("arcwise_waiting", "gauge", "Requests that wait or are worked on.", self.total("waiting")),
            ("arcwise_connections", "gauge", "Connections that are open.", self.total("connections")),
            ("arcwise_held_bytes", "gauge", "Bytes of requests and answers in memory.", self.total("held")),
            ("arcwise_processes", "gauge", "Processes that answer.", self._rows),
        )
        for name, kind, help, value in plain:
            lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}", f"{name} {value:.0f}"]
        return "\n".join(lines) + "\n"
