"""Correcting treebanks: sentences edited step by step, files that lose nothing, and models that learn.

`Project` has the files, `TreeFile` one of them, and `arcwise.annotate.operations` what can be done to a
sentence. Nothing here knows of the web: `arcwise.serve.annotating` has the routes of `arcwise annotate`.
"""

from __future__ import annotations

from arcwise.annotate.marks import without_marks
from arcwise.annotate.project import Project
from arcwise.annotate.refusals import RefusedEditError
from arcwise.annotate.tree_file import TreeFile

__all__ = ["Project", "RefusedEditError", "TreeFile", "without_marks"]
