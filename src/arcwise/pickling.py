"""Models in pickles: as a reference to their file, if they are still in it, or else as its bytes.

A reference is the model's name or the path of its file, and a fingerprint: whoever opens the pickle gets the
same model, or is told that the file has gone or changed. `Pipeline.from_bytes(nlp.to_bytes())` has come from
no file, and takes its bytes along wherever it goes.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from arcwise.errors import ModelError
from arcwise.model_file import Origin, Stored

_KEPT = 2
_opened: dict[tuple[type[Stored], str, str], Stored] = {}
"""Models by their references, the last one used at the end. A worker is sent the same again and again."""


def reduced(model: Stored) -> tuple[Any, ...]:
    """What a pickle holds of a model."""
    for name, value in model._given.items():
        _demand_picklable(name, value)
    origin = model._origin
    if origin is None or not origin.is_there:
        return from_bytes, (type(model), model.to_bytes(), model._given)
    return opened, (type(model), _name(origin), origin.fingerprint, model._given)


def _name(origin: Origin) -> str:
    return origin.name or str(Path(origin.path).absolute())


def _demand_picklable(name: str, value: object) -> None:
    try:
        pickle.dumps(value)
    except Exception as error:
        raise ModelError(
            f"The model needs a {name} that is written in Python, '{value}', which cannot be pickled: define "
            f"its class at the top of a module, and keep in it what can be pickled. ({error})"
        ) from error


def from_bytes(kind: type[Stored], data: bytes, given: dict[str, Any]) -> Stored:
    """A model from the bytes of its file."""
    return kind.from_bytes(data, **given)


def opened(kind: type[Stored], name: str, fingerprint: str, given: dict[str, Any]) -> Stored:
    """A model from a reference to its file.

    Raises:
        ModelError: The file is not there, or is another.
    """
    key = kind, name, fingerprint
    # Without a lock, which a forked process might never get: each step by itself leaves the table in order.
    model = None if given else _opened.pop(key, None)
    if model is None:
        model = _checked(_loaded(kind, name, given), name, fingerprint)
    if not given:
        _opened[key] = model
        for old in list(_opened)[:-_KEPT]:
            _opened.pop(old, None)
    return model


def _checked(model: Stored, name: str, fingerprint: str) -> Stored:
    if model._origin is None or model._origin.fingerprint != fingerprint:
        raise ModelError(
            f"The pickle was made of a model in {name}, and another is there now: use the file as it was, or "
            "make the pickle again. What from_bytes(to_bytes()) gives is pickled without a file."
        )
    return model


def _loaded(kind: type[Stored], name: str, given: dict[str, Any]) -> Stored:
    from arcwise.models import find

    try:
        path = find(name)
        if not path.exists():
            raise ModelError(f"There is no file {name}.")
        return kind._load(path, **given)
    except ModelError as error:
        raise ModelError(
            f"The pickle was made of a model in {name}, which cannot be opened here: {error} Put the file "
            "there, or pickle what from_bytes(to_bytes()) gives, which needs none."
        ) from error
