"""Arc-hybrid from the last word to the first, whose trees differ where the other way is misled.

All that changes is the order of the buffer, and with it the side that heads are on: the costs of arc-hybrid
are as exact here. `python examples/systems/right_to_left.py` proves it, and trains both.
"""

from __future__ import annotations

from arc_hybrid import ArcHybrid

from arcwise.transitions import State


class RightToLeft(ArcHybrid):
    name = "right-to-left"
    moves = {"SHIFT": None, "LEFT": "right", "RIGHT": "left", "ROOT": "root"}  # noqa: RUF012

    def start(self, state: State) -> None:
        for place in reversed(range(state.words)):  # the front goes behind all that have not
            state.shift()
            state.insert(state.pop(), place)
        super().start(state)


if __name__ == "__main__":
    from compare import compare

    compare(RightToLeft(), "arc-hybrid")
