"""The option `--concurrency` of `snet run`: how many calls of a box may be under way at a time."""

from __future__ import annotations

import re

from streambench.errors import OptionError
from streambench.snet.boxes import Concurrency


def concurrency_of(given: tuple[str, ...]) -> Concurrency | None:
    """Of texts such as ``9``, for all boxes, and ``4:box``; None where there are none. Raises OptionError."""
    if not given:
        return None
    named: dict[str, int] = {}
    others = 1
    for each in given:
        found = re.fullmatch(r"([0-9]{1,9})(?::([A-Za-z_][A-Za-z0-9_]*))?", each)
        if found is None:
            raise OptionError(f"--concurrency must be a number, or a number and a box as 4:box, not {each}.")
        if found[2] is None:
            others = int(found[1])
        else:
            named[found[2]] = int(found[1])
    return Concurrency(named, others)
