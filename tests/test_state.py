"""What left-to-right systems are made of: a buffer that may be reordered, arcs in any order, a way back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import _core

WORDS = 6


class Slow:
    """The same with lists, a copy for every move."""

    def __init__(self) -> None:
        self.stack: list[int] = []
        self.buffer = list(range(1, WORDS + 2))
        self.arcs: dict[int, tuple[int, int]] = {}
        self.before: list[tuple[list[int], list[int], dict[int, tuple[int, int]]]] = []

    def begin_move(self) -> None:
        self.before.append((self.stack[:], self.buffer[:], dict(self.arcs)))

    def undo(self) -> None:
        self.stack, self.buffer, self.arcs = self.before.pop()

    def node(self, node: int) -> tuple[int, ...]:
        head, label = self.arcs.get(node, (-1, -1))
        dependents = sorted(d for d, (h, _) in self.arcs.items() if h == node)
        left, right = [d for d in dependents if d < node], [d for d in reversed(dependents) if d > node]
        return head, label, *[*left, -1, -1][:2], *[*right, -1, -1][:2], len(left), len(right)


def seen(state: Any) -> tuple[Any, ...]:
    return list(state.stack), list(state.buffer), [state.node(n) for n in range(WORDS + 2)]


@given(st.data())
def test_changes_in_any_order_are_made_and_taken_back(data: st.DataObject) -> None:
    state, slow = _core.State(WORDS), Slow()
    slow.begin_move()
    for _ in range(data.draw(st.integers(0, 25))):
        headless = [n for n in range(1, WORDS + 1) if n not in slow.arcs]
        possible = ["begin_move", "undo"] if slow.before else ["begin_move"]
        possible += ["shift"] if slow.buffer else []
        possible += ["swap"] if slow.stack else []
        possible += ["add_arc"] if headless else []
        change = data.draw(st.sampled_from(possible))
        if change in ("begin_move", "undo"):
            getattr(state, change)()
            getattr(slow, change)()
        elif change == "shift":
            state.shift()
            slow.stack.append(slow.buffer.pop(0))
        elif change == "swap":  # back into the buffer, wherever
            node, place = slow.stack.pop(), data.draw(st.integers(0, len(slow.buffer)))
            assert state.pop() == node
            state.insert(node, place)
            slow.buffer.insert(place, node)
        else:
            dependent = data.draw(st.sampled_from(headless))
            head = data.draw(st.sampled_from([n for n in range(WORDS + 2) if n != dependent]))
            state.add_arc(head, dependent, dependent)
            slow.arcs[dependent] = head, dependent
        assert seen(state) == seen(slow)
    while slow.before:
        state.undo()
        slow.undo()
        assert seen(state) == seen(slow)


def test_a_state_refuses_what_it_cannot_do():
    state = _core.State(2)
    for wrong in (
        lambda: state.pop(),
        lambda: state.insert(1, 0),
        lambda: state.add_arc(1, 1, 0),
        lambda: state.add_arc(4, 1, 0),
        lambda: state.node(4),
        lambda: _core.State(-1),
    ):
        with pytest.raises(ValueError):
            wrong()
    state.shift()
    with pytest.raises(ValueError, match="no such place"):
        state.insert(1, 3)
    state.undo()
    with pytest.raises(ValueError, match="No move has been made"):
        state.undo()
