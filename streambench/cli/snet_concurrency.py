"""The option `--concurrency` of `snet run`: how many calls of a box may be under way at a time."""

from __future__ import annotations

import re

from streambench.errors import OptionError
from streambench.snet.boxes import Concurrency

MOST_CALLS = 1024


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
        calls = int(found[1])
        if not 1 <= calls <= MOST_CALLS:
            raise OptionError(f"--concurrency must be 1 to {MOST_CALLS}, not {calls}.")
        if found[2] is None:
            others = calls
        else:
            named[found[2]] = calls
    return Concurrency(named, others)
