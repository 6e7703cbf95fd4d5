"""Lines of JSON on standard error. No text of users is ever in them: no path, no query, no message of an
error that a request has caused, only where in the code it came from."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any, TextIO


class Log:
    """Writes what happens; `everything`: also requests that went well."""

    def __init__(self, everything: bool = True, stream: TextIO | None = None) -> None:
        self.everything = everything
        self._stream = stream

    def write(self, event: str, **more: Any) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **more})
        with suppress(OSError):  # whoever read it has gone
            print(line, file=self._stream or sys.stderr, flush=True)

    def request(self, route: str, method: str, status: int, seconds: float, **more: Any) -> None:
        # Requests that there is no room for (503) may be thousands: /metrics counts them.
        if self.everything or status == 500:
            self.write(
                "request", route=route, method=method, status=status, seconds=round(seconds, 6), **more
            )

    def error(self, error: BaseException, **more: Any) -> None:
        """Something that should not have happened."""
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-12:]]
        self.write("error", error=type(error).__name__, where=where, **more)


class Handler(logging.Handler):
    """Brings what uvicorn and asyncio say into the same form, without what requests had in them."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._log.error(record.exc_info[1], source=record.name)
        else:
            # The template, not what was put into it.
            self._log.write("warning", source=record.name, message=str(record.msg))
