"""The tests of `arcwise serve` share a server and a browser."""

from __future__ import annotations

from browser import browser as browser
from browser import page as page
from browser import server as server
from browser import window as window
