r"""White space in MISC, as UDPipe writes it: `SpaceAfter=No`, `SpacesAfter=\s\s`.

>>> written_spaces(""), written_spaces(" "), written_spaces("  \n")
('SpaceAfter=No', '', 'SpacesAfter=\\s\\s\\n')
"""

from __future__ import annotations

_ESCAPES = {" ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p", "\\": "\\\\"}


def escaped(text: str) -> str:
    """Text as the values of `SpacesAfter`, `SpacesBefore` and `SpacesInToken` have it."""
    return "".join(
        _ESCAPES.get(c) or (f"\\u{ord(c):04X}" if c.isspace() or not c.isprintable() else c) for c in text
    )


def written_spaces(after: str) -> str:
    """What MISC says of the white space after a token; nothing if it is one space."""
    if not after:
        return "SpaceAfter=No"
    return "" if after == " " else f"SpacesAfter={escaped(after)}"
