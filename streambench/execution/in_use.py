"""Operators that an execution has under way: no other one may have them, as they hold state."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from streambench.errors import OptionError

_guard = threading.Lock()
_in_use: dict[int, Any] = {}
"""By identity; an operator need not be hashable."""


def take(operators: Sequence[Any]) -> None:
    """Mark the operators. Raises OptionError for one that stands twice or is another run's; then none is marked."""
    with _guard:
        for place, each in enumerate(operators):
            if any(each is other for other in operators[:place]):
                raise OptionError(f"one {type(each).__name__} stands in two places of the pipeline: make another one.")
            if id(each) in _in_use:
                raise OptionError(
                    f"this {type(each).__name__} is in a run that has not ended: wait for that, or make another one."
                )
        _in_use.update({id(each): each for each in operators})
    for each in operators:
        _tell(each, True)


def leave(operators: Sequence[Any]) -> None:
    """The execution has ended."""
    for each in operators:
        _tell(each, False)
    with _guard:
        for each in operators:
            _in_use.pop(id(each), None)


def _tell(operator: Any, in_run: bool) -> None:
    if hasattr(operator, "in_run"):
        operator.in_run = in_run
