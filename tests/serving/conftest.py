"""The tests of `arcwise serve` share a server and a browser."""

from __future__ import annotations

from serving.browser import page as page
from serving.browser import server as server
from serving.browser import window as window
