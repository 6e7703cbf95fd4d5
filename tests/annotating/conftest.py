"""The tests of the page of `arcwise annotate` share a server and a browser."""

from __future__ import annotations

from annotating.page_project import folder as folder
from annotating.page_project import server as server
from serving.browser import page as page
from serving.browser import window as window
