"""What a person has decided, as a file has it: of words in MISC, of sentences in comments.

`Fixed=head,deprel` in MISC: these values of the word are a person's. They become constraints when the rest is
parsed again. `# checked = yes`: somebody has looked at the whole sentence. `# parsed_by = en`: the rest of
the tree is a model's. A file without them was never touched; `without_marks` takes them out again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from arcwise.annotate.lines import ID, MISC, Block, misc_value, with_misc

FIELDS = ("head", "deprel", "upos", "xpos", "feats", "lemma")
"""What can be fixed."""
FIXED, CHECKED, PARSED_BY = "Fixed", "checked", "parsed_by"


def fixed_fields(misc: str) -> list[str]:
    """What of a word is fixed."""
    value = misc_value(misc, FIXED)
    return [] if value is None else [name for name in FIELDS if name in value.split(",")]


def with_fixed(misc: str, fields: Iterable[str]) -> str:
    wanted = set(fields)
    return with_misc(misc, FIXED, ",".join(name for name in FIELDS if name in wanted) or None)


def fix(row: list[str], *fields: str) -> None:
    row[MISC] = with_fixed(row[MISC], [*fixed_fields(row[MISC]), *fields])


def free(row: list[str], *fields: str) -> None:
    row[MISC] = with_fixed(row[MISC], [name for name in fixed_fields(row[MISC]) if name not in fields])


def fixed_of(block: Block) -> dict[str, list[str]]:
    """By the number of a word, what is fixed of it."""
    if block.format == "conllx":
        return {}
    found = {row[ID]: fixed_fields(row[MISC]) for row in block.words}
    return {id: fields for id, fields in found.items() if fields}


def is_checked(block: Block) -> bool:
    return block.comment(CHECKED) == "yes"


def follows(block: Block) -> bool:
    """Whether the tree is a model's, so that another may take its place when a part of it is put right."""
    if is_checked(block) or block.format == "conllx":
        return False
    if not block.has_tree or block.comment(PARSED_BY) is not None:
        return True
    return any(misc_value(row[MISC], "HeadProb") is not None for row in block.words)


def without_marks(block: Block) -> Block:
    """The sentence as others know it."""
    rows = tuple((*row[:MISC], with_misc(row[MISC], FIXED, None)) for row in block.rows)
    return replace(block, rows=rows).with_comment(CHECKED, None).with_comment(PARSED_BY, None)
