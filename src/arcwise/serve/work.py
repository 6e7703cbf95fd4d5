"""Work in threads: bounded in number, in memory and in time, and given up when nobody waits for it.

What is asked for is done in steps. Between two steps of a long request others have their turn, and whoever
has left is forgotten. Small requests that wait at the same time and are of one kind are done together: the
network looks at many sentences at once in less time than at each.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from arcwise.serve.settings import Settings, is_loopback

AT_ONCE = 64
"""Small requests that are done together, at most."""
Made = TypeVar("Made")


class RefusedError(Exception):
    """Work that is not taken on now: what to say, and when to ask again."""

    def __init__(self, status: int, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after


@dataclass(eq=False)
class _Job:
    """A step that waits for a thread."""

    function: Callable[[Any], Any]
    item: Any
    future: asyncio.Future[Any]
    kind: Hashable | None
    """If not None: the function takes a list of items, of all jobs of this kind."""


class Memory:
    """The bytes of bodies and answers that are held for clients; there is an end to them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0

    def take(self, count: int) -> None:
        if self.held + count > self.most:
            raise RefusedError(503, "The service holds as much text as it may: try again later.", 1)
        self.held += count

    def give_back(self, count: int) -> None:
        self.held -= count


@dataclass
class Work:
    """The threads, and who waits for them."""

    settings: Settings
    threads: int
    accepted: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.memory = Memory(max(64 * 2**20, 4 * self.settings.max_bytes))
        self._clients: Counter[str] = Counter()
        self._jobs: deque[_Job] = deque()
        self._wake = threading.Condition()
        self._running: list[threading.Thread] = []
        self._stopped = False
        self._number = 0
        self._mean = 0.01  # seconds of a step, of each of those that are done together

    # --- of the event loop ---------------------------------------------------------------------------------

    def demand_room(self, client: str) -> None:
        """Refuses a request that there is no room for."""
        waiting, own = len(self.accepted), self._clients[client]
        if waiting >= self.settings.max_requests:
            raise RefusedError(
                503,
                f"{waiting} requests are before this one, the most there may be: try again later.",
                self.retry_after(),
            )
        if own >= self.settings.max_per_client and not is_loopback(client):
            raise RefusedError(
                429,
                f"{own} requests of yours are not answered yet: wait for them first.",
                self.retry_after(),
            )

    @contextmanager
    def accept(self, client: str) -> Iterator[None]:
        """Takes a request on for as long as it is worked on and answered, or refuses it."""
        self.demand_room(client)
        self._number += 1
        number = self._number
        self.accepted.add(number)
        self._clients[client] += 1
        try:
            yield
        finally:
            self.accepted.discard(number)
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    async def step(self, function: Callable[[Any], Made], item: Any) -> Made:
        """What a function makes of an item, in a thread."""
        made: Made = await self._queue(function, item, None)
        return made

    async def together(
        self, kind: Hashable, function: Callable[[list[Any]], Sequence[Any]], item: Any
    ) -> Any:
        """What a function of many items makes of this one, with others of its kind that wait.

        The function gives a value or an exception for each.
        """
        return await self._queue(function, item, kind)

    async def _queue(self, function: Callable[[Any], Any], item: Any, kind: Hashable | None) -> Any:
        future = asyncio.get_running_loop().create_future()
        with self._wake:
            self._jobs.append(_Job(function, item, future, kind))
            self._start()
            self._wake.notify()
        return await future

    def retry_after(self) -> int:
        """Seconds after which there may be room: what waits now will be done."""
        return max(1, min(60, math.ceil(len(self.accepted) * self._mean / self.threads)))

    @property
    def is_full(self) -> bool:
        return len(self.accepted) >= self.settings.max_requests

    def stop(self) -> None:
        """Ends the threads when there are no more jobs."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()

    # --- of the threads ------------------------------------------------------------------------------------

    def _start(self) -> None:
        # Not before there is work: threads do not survive a fork.
        while len(self._running) < self.threads:
            thread = threading.Thread(target=self._work, name=f"parse-{len(self._running)}", daemon=True)
            self._running.append(thread)
            thread.start()

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._jobs:
                    if self._stopped:
                        return
                    self._wake.wait()
                jobs = self._next()
            jobs = [job for job in jobs if not job.future.cancelled()]
            if jobs:
                begun = time.monotonic()
                self._do(jobs)
                self._mean += 0.05 * ((time.monotonic() - begun) / len(jobs) - self._mean)

    def _next(self) -> list[_Job]:
        """The first job, and those that can be done with it."""
        first = self._jobs.popleft()
        if first.kind is None:
            return [first]
        together, others = [first], deque[_Job]()
        while self._jobs and len(together) < AT_ONCE:
            job = self._jobs.popleft()
            (together if job.kind == first.kind else others).append(job)
        self._jobs.extendleft(reversed(others))
        return together

    @staticmethod
    def _do(jobs: list[_Job]) -> None:
        first = jobs[0]
        try:
            made = (
                first.function([job.item for job in jobs])
                if first.kind is not None
                else [first.function(first.item)]
            )
        except BaseException as error:
            made = [error] * len(jobs)
        loop = first.future.get_loop()
        with suppress(RuntimeError):  # of a loop that is closed
            loop.call_soon_threadsafe(_tell, [job.future for job in jobs], made)


def _tell(futures: list[asyncio.Future[Any]], made: Sequence[Any]) -> None:
    for future, value in zip(futures, made, strict=True):
        if future.cancelled():
            continue
        if isinstance(value, BaseException):
            future.set_exception(value)
        else:
            future.set_result(value)
