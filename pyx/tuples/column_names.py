"""What a source's columns are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from streambench.pyx.tuples.errors import UnfitTypeError


def column_names(names: Any) -> tuple[str, ...]:
    """``names`` in a tuple. Raises UnfitTypeError for what is no list of texts."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise UnfitTypeError(f"names= lists what the columns are called, and {names!r} is no list")
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise UnfitTypeError(f"names= calls a column {name!r}: a name is a text")
    return found
