"""Arc-hybrid with two moves more, which pass over a word (after Attardi 2006): it builds crossing arcs.

LEFT2 makes the second word on the stack a dependent of the buffer's front, RIGHT2 makes the top one of the
third. The costs are not exact: they count the gold arcs that could still be made if each were the only one,
and two may be in each other's way. python examples/systems/attardi.py says how many are wrong, and trains the
system beside arc-hybrid, which lifts crossing arcs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arcwise.transitions import GoldTree, State, System

ROOT = 0


class Attardi(System):
    name = "attardi"
    moves = {  # noqa: RUF012
        "SHIFT": None,
        "LEFT": "left",
        "RIGHT": "right",
        "ROOT": "root",
        "LEFT2": "left",
        "RIGHT2": "right",
    }
    projective = False

    def legal(self, state: State) -> Iterator[str]:
        words = state.N(0) is not None
        if words:
            yield "SHIFT"
        if words and state.S(0):
            yield "LEFT"
        if words and state.S(1):
            yield "LEFT2"
        if state.S(1) == ROOT and not (words and state.single_root):
            yield "ROOT"
        if state.S(1):
            yield "RIGHT"
        if state.S(2):
            yield "RIGHT2"

    def apply(self, state: State, move: str, label: int | None) -> None:
        if move == "SHIFT":
            state.shift()
        elif move == "LEFT2":
            top, second = state.pop(), state.pop()
            state.add_arc(state.N(0), second, label)
            state.push(top)
        else:
            top = state.pop()
            state.add_arc({"LEFT": state.N(0), "RIGHT2": state.S(1)}.get(move, state.S(0)), top, label)

    def costs(self, state: State, gold: GoldTree) -> dict[str, int]:
        stack, buffer = list(state.stack), list(state.buffer)
        now = possible(stack, buffer, gold)
        costs = {}
        for move in self.legal(state):
            if move == "SHIFT":
                costs[move] = now - possible([*stack, buffer[0]], buffer[1:], gold)
                continue
            place = -2 if move == "LEFT2" else -1
            head = {"LEFT": buffer[:1], "LEFT2": buffer[:1], "RIGHT2": stack[-3:-2]}.get(move, stack[-2:-1])
            left = stack[:place] + stack[place:][1:]
            costs[move] = now - (gold.head(stack[place]) == head[0]) - possible(left, buffer, gold)
        return costs


def possible(stack: Sequence[int], buffer: Sequence[int], gold: GoldTree) -> int:
    """How many gold arcs can be made, each by itself.

    Words on the stack get heads from the buffer, or from below, over one word at most, and from ROOT over
    none; while there are words in the buffer, LEFT and LEFT2 clear the way.
    """
    at = {node: place for place, node in enumerate([*stack, *buffer])}
    count = 0
    for word, place in at.items():
        head = at.get(-1 if word == ROOT else gold.head(word))
        if head is not None:
            both_on_stack = max(place, head) < len(stack)
            reach = len(stack) if buffer else 1 if head == 0 else 2
            count += not both_on_stack or 0 < place - head <= reach
    return count


if __name__ == "__main__":
    from compare import compare

    compare(Attardi(), "arc-hybrid")
