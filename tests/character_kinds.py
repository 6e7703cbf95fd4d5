"""The kinds of characters, as the standard library knows them.

`python tests/character_kinds.py > cpp/text/character_kinds.inc` writes the core's table; the tests compare it
with what is said here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

FIRST = 0x80  # what comes before is told apart one by one
LAST = 0x10FFFF

_SCRIPTS = {
    "Hiragana": ((0x3040, 0x309F),),
    "Katakana": ((0x30A0, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
}
_SOUTH_EAST = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ", "TAI ", "NEW TAI ")


def kind_of(code: int) -> str | None:
    """The name of a character's kind; None if it is not assigned."""
    character = chr(code)
    category = unicodedata.category(character)
    if category in ("Cn", "Cs", "Co"):
        return None
    if character.isspace():
        return "Space"
    if category == "Cf" or category[0] == "M" or 0x1F3FB <= code <= 0x1F3FF:
        return "Joined"
    if category[0] == "L":
        return _kind_of_letter(code, category)
    if category == "Nd":
        return "Digit"
    if code >= 0x10000 or 0x2100 <= code <= 0x2BFF or category[0] in "NSC":
        return "Symbol"
    if code >= 0x100 and not (0x2000 <= code <= 0x206F or 0x3000 <= code <= 0x303F):
        return "Punctuation"
    return {"Ps": "Open", "Pi": "Open", "Pe": "Close", "Pf": "Close", "Pd": "Dash"}.get(
        category, "Punctuation"
    )


def _kind_of_letter(code: int, category: str) -> str:
    if category in ("Lu", "Lt", "Ll"):
        return "Cased"
    name = unicodedata.name(chr(code), "")
    if name.startswith("CJK") or code == 0x3005:
        return "Han"
    for script, stretches in _SCRIPTS.items():
        if any(first <= code <= last for first, last in stretches):
            return script
    if name.startswith("HANGUL"):
        return "Hangul"
    return "SouthEast" if name.startswith(_SOUTH_EAST) else "Letter"


def stretches() -> Iterator[tuple[int, str]]:
    """Where each stretch of one kind begins; what is not assigned belongs to the stretch before it."""
    last = None
    for code in range(FIRST, LAST + 1):
        kind = kind_of(code)
        if kind is not None and kind != last:
            yield code, kind
            last = kind


def main() -> None:
    print("// Where each stretch of characters of one kind begins: written by tests/character_kinds.py.")
    line = ""
    for code, kind in stretches():
        entry = f"{{0x{code:X}, k{kind}}},"
        if len(line) + len(entry) > 108:
            print(line)
            line = ""
        line += (" " if line else "") + entry
    print(line)


if __name__ == "__main__":
    main()
