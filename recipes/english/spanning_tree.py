"""The best tree by scores of arcs (Chu & Liu 1965, Edmonds 1967), with one word under ROOT."""

from __future__ import annotations

import numpy as np

NEVER = -1e9


def best_tree(scores: np.ndarray) -> np.ndarray:
    """Heads of words 1 to n; `scores[i, j]` is how good head j (0 is ROOT) is for word i + 1."""
    heads = spanning_tree(scores)
    if np.count_nonzero(heads == 0) == 1:
        return heads
    best, most = heads, -np.inf
    for root in np.argsort(-scores[:, 0])[:6]:
        limited = scores.copy()
        limited[:, 0] = NEVER
        limited[root, 0] = 0.0
        tree = spanning_tree(limited)
        total = scores[np.arange(len(tree)), tree].sum()
        if np.count_nonzero(tree == 0) == 1 and total > most:
            best, most = tree, total
    return best


def spanning_tree(scores: np.ndarray) -> np.ndarray:
    count = len(scores) + 1
    square = np.full((count, count), NEVER)
    square[1:] = scores
    np.fill_diagonal(square, NEVER)
    return _edmonds(square)[1:]


def _edmonds(scores: np.ndarray) -> np.ndarray:
    heads = scores.argmax(1)
    heads[0] = -1
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    # The cycle becomes one node: it is entered where that costs least.
    inside = set(cycle)
    rest = [node for node in range(len(heads)) if node not in inside]
    last = len(rest)
    smaller = np.full((last + 1, last + 1), NEVER)
    smaller[:last, :last] = scores[np.ix_(rest, rest)]
    members = np.array(cycle)
    leaving = scores[np.ix_(rest, cycle)]
    smaller[:last, last] = leaving.max(1)
    smaller[0, last] = NEVER
    entering = scores[np.ix_(cycle, rest)] - scores[members, heads[members]][:, None]
    smaller[last, :last] = entering.max(0)
    inner = _edmonds(smaller)
    made = heads.copy()
    for place, node in enumerate(rest):
        if node != 0:
            chosen = inner[place]
            made[node] = members[leaving[place].argmax()] if chosen == last else rest[chosen]
    way_in = inner[last]
    made[members[entering[:, way_in].argmax()]] = rest[way_in]
    return made


def _cycle(heads: np.ndarray) -> list[int] | None:
    colour = np.zeros(len(heads), dtype=int)
    for start in range(1, len(heads)):
        path, node = [], start
        while node > 0 and colour[node] == 0:
            colour[node] = start
            path.append(node)
            node = heads[node]
        if node > 0 and colour[node] == start:
            return path[path.index(node) :]
    return None
