"""The sentences of a file in an order, a page of them at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from arcwise.annotate.editing import Model
from arcwise.annotate.patterns import search
from arcwise.annotate.ranking import Rankings, rarity
from arcwise.annotate.snapshots import Snapshots
from arcwise.annotate.tree_file import TreeFile, is_checked_text

ORDERS = ("file", "suggest", "rarest")
MOST_LISTED = 500
MOST_CHARACTERS = 200


class Wanted(NamedTuple):
    """What is asked of a list."""

    order: str = "file"
    pattern: str = ""
    checked: bool | None = None
    begin: int = 0
    most: int = 100


class Lists:
    """Lists of the sentences of a project's files."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._rankings = Rankings()

    def stop(self) -> None:
        self._rankings.stop()

    def page(self, file: TreeFile, wanted: Wanted, model: Model) -> dict[str, Any]:
        found: Mapping[int, list[int]] | None = None
        if wanted.pattern.strip():
            found = search(wanted.pattern, self._snapshots.of(file))
        with file.lock:
            blocks, keys = list(file.blocks), list(file.keys)
            scores, progress = self._scores(file, wanted.order, model)
        places = [
            place
            for place, (key, block) in enumerate(zip(keys, blocks, strict=True))
            if (found is None or key in found)
            and (wanted.checked is None or is_checked_text(block) == wanted.checked)
        ]
        if wanted.order != "file":
            places.sort(key=lambda place: (scores[place] is None, -(scores[place] or 0.0), place))
        listed = [
            {
                "key": str(keys[place]),
                "index": place,
                **_told(blocks[place]),
                "score": scores[place],
                "matches": [] if found is None else found[keys[place]],
            }
            for place in places[wanted.begin : wanted.begin + wanted.most]
        ]
        return {
            "total": len(places),
            "from": wanted.begin,
            "order": wanted.order,
            "ready": progress is None,
            "progress": progress,
            "sentences": listed,
        }

    def _scores(
        self, file: TreeFile, order: str, model: Model
    ) -> tuple[list[float | None], dict[str, Any] | None]:
        """Of each sentence its score, and how far that is, if they are still made."""
        if order == "suggest":
            return self._rankings.of(file, model)
        scores: list[float | None] = [None] * len(file)
        if order == "rarest":
            snapshot = self._snapshots.of(file)
            places = {key: place for place, key in enumerate(file.keys)}
            for key, score in zip(snapshot.keys, rarity(snapshot).tolist(), strict=True):
                if key in places:
                    scores[places[key]] = round(score, 3)
        return scores, None


def _told(block: bytes) -> dict[str, Any]:
    """What a list has of a sentence, without reading all of it."""
    id, text, forms, words, after = None, None, [], 0, ""
    for line in block.decode("utf-8", "replace").splitlines():
        if line.startswith("# sent_id = "):
            id = line[12:]
        elif line.startswith("# text = "):
            text = line[9:]
        elif line[:1].isdigit():
            number, _, rest = line.partition("\t")
            if number.isdigit():
                words += 1
                forms.append(rest.partition("\t")[0])
    shown = text if text is not None else " ".join(forms[:MOST_CHARACTERS])
    if len(shown) > MOST_CHARACTERS:
        shown, after = shown[:MOST_CHARACTERS], "…"
    return {"sent_id": id, "text": shown + after, "words": words, "checked": is_checked_text(block)}
