"""The tests of `arcwise serve` share a server and a browser."""

from __future__ import annotations

from serve.browser import browser as browser
from serve.browser import page as page
from serve.browser import server as server
from serve.browser import window as window
