"""The codes of texts: what columns hold in the place of values of any length."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from threading import Lock
from typing import Any

NO_TEXT = -1  # the code of null: those of values are 0 and above


class TextCodes:
    """A code for each distinct value, from 0 on in the order in which they come. ``values``: the values by their codes.

    Others may look up the value of a code that they have been given while a thread adds values.
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {None: NO_TEXT}
        self.values: list[Any] = []
        self._adding = Lock()

    def __contains__(self, value: Any) -> bool:
        return value in self._codes

    def of(self, values: Iterable[Any]) -> list[int]:
        """The codes of these values, of which new ones are added."""
        known = self._codes
        with self._adding:
            codes = [known.setdefault(each, len(known) - 1) for each in values]
            self.values.extend(islice(known, len(self.values) + 1, None))
        return codes
