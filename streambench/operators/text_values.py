"""Texts for functions that Python calls: columns hold codes, and the stream's source knows what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.operators.column_types import dtype_of
from streambench.pyx.tuples.operator import Operator


def require_texts(name: str, columns: Sequence[str], before: Operator, source: Operator) -> None:
    """Raise OptionError unless ``before`` hands on these columns of texts of the source, by their names."""
    held = getattr(source, "held_columns", None)
    known = {} if held is None else held.meanings
    for each in columns:
        if each not in known or known[each].texts is None or dtype_of(before, each) != np.int32:
            raise OptionError(
                f"operator {name}: texts= names column {each}, which is {dtype_of(before, each).name} and none of "
                f"{source.name}'s codes of texts: name such a column, which keeps its name and type."
            )


def with_texts(
    function: Callable[..., Any], leading: int, reads: Sequence[str], texts: Sequence[str], source: Any
) -> Callable[..., Any]:
    """``function`` with the values for codes in the columns ``texts`` of ``reads``, None for null.

    ``leading``: parameters before them.
    """
    places = [leading + place for place, each in enumerate(reads) if each in texts]
    if not places:
        return function
    values = source.held_columns.codes.values

    def called(*given: Any) -> Any:
        changed = list(given)
        for place in places:
            code = int(given[place])
            if code >= len(values):
                raise ValueError(f"the source knows no text of code {code}")
            changed[place] = values[code] if code >= 0 else None
        return function(*changed)

    return called
