"""Arc-hybrid (Kuhlmann et al. 2011) with its dynamic oracle (Goldberg & Nivre 2013, 4.5), in Python.

The same as the built-in one, move by move, cost by cost: python examples/systems/arc_hybrid.py trains both.
"""

from __future__ import annotations

from collections.abc import Iterator

from arcwise.transitions import GoldTree, State, System

ROOT = 0


class ArcHybrid(System):
    name = "python-arc-hybrid"
    moves = {"SHIFT": None, "LEFT": "left", "RIGHT": "right", "ROOT": "root"}  # noqa: RUF012
    features_of = "arc-hybrid"

    def legal(self, state: State) -> Iterator[str]:
        under, words = state.S(1), state.N(0) is not None
        if words:
            yield "SHIFT"
        if words and under is not None:
            yield "LEFT"
        if under == ROOT and not (words and state.single_root):  # with a single root its arc comes last
            yield "ROOT"
        elif under:
            yield "RIGHT"

    def apply(self, state: State, move: str, label: int | None) -> None:
        if move == "SHIFT":
            state.shift()
        else:
            dependent = state.pop()
            state.add_arc(state.N(0) if move == "LEFT" else state.S(0), dependent, label)

    def costs(self, state: State, gold: GoldTree) -> dict[str, int]:
        s0, s1, buffer = state.S(0), state.S(1), state.buffer
        costs = {}
        if buffer:  # n0 joins the stack: heads under s0, and all its dependents there, are lost to it
            head = gold.head(buffer[0])
            costs["SHIFT"] = sum(map(state.on_stack, gold.dependents(buffer[0])))
            costs["SHIFT"] += head not in (None, s0) and state.on_stack(head)
        if s1 is not None:  # s0 leaves: what is in the buffer is lost to it, but for a head that it gets
            head = gold.head(s0)
            lost = sum(d in buffer for d in gold.dependents(s0))
            costs["LEFT"] = lost + (head in (s1, *buffer[1:]))
            costs["RIGHT"] = costs["ROOT"] = lost + (head in buffer)
        return costs

    def static(self, state: State, gold: GoldTree) -> str:
        """Arcs as soon as they can be made."""
        legal, s0 = list(self.legal(state)), state.S(0)
        if "LEFT" in legal and gold.head(s0) == state.N(0):
            return "LEFT"
        waits = any(d in state.buffer for d in gold.dependents(s0))
        if legal[-1] in ("RIGHT", "ROOT") and gold.head(s0) == state.S(1) and not waits:
            return legal[-1]
        return legal[0]


if __name__ == "__main__":
    from compare import compare

    compare(ArcHybrid(), "arc-hybrid")
