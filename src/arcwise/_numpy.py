"""numpy, which is not imported before something of it is asked for: from text to CoNLL-U nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        """Stands for the module."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)  # so that the next to ask finds it here
            return found

    np = _Numpy()
