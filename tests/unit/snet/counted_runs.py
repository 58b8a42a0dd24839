"""FRONT with a counted `operator new`, of which one call may be refused; told as JSON (test_refused_memory.py)."""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from collections.abc import Iterator
from typing import Any

from streambench.snet.net import Net

counted = ctypes.CDLL(sys.argv[1])
count_from_now = counted.count_from_now
count_from_now.argtypes = [ctypes.c_long]


class Value:
    """One that is counted while somebody has it."""

    alive = 0

    def __init__(self) -> None:
        Value.alive += 1

    def __del__(self) -> None:
        Value.alive -= 1


def f(n: int) -> Any:
    """``n`` records of either kind for a star of cells, which has the first while the others wait."""
    return [{"<b>" if half else "<a>": each, "<k>": each} for each in range(n) for half in (0, 1)]


def run(net: Net, records: int, refused: int) -> dict[str, Any]:
    """What a run comes to in which call ``refused`` since the first record is."""

    def source() -> Iterator[dict[str, Any]]:
        count_from_now(refused)
        for k in range(records):
            yield {"ab"[k % 2]: Value(), "<k>": k // 2}

    before, made, ended = Value.alive, [], "whole"
    try:
        for each in net.run(source(), runtime="front", workers=1):
            made.append((each["<k>"], sorted(each)))
    except MemoryError:
        ended = "refused"
    calls = counted.calls_since()
    count_from_now(-1)
    each = None
    gc.collect()
    return {"ended": ended, "made": made, "calls": calls, "kept": Value.alive - before}


def every(text: str, records: int) -> list[dict[str, Any]]:
    """A run without refusal, and one for each call that it makes."""
    net = Net.parse(text)
    run(net, records, -1)
    first = run(net, records, -1)
    return [first, *(run(net, records, k) for k in range(first["calls"]))]


def most(text: str, n: int) -> int:
    """Of what ``new`` makes, how much more there is at a time than before the run."""
    net = Net.parse(text)

    def source() -> Iterator[dict[str, Any]]:
        count_from_now(-1)
        yield {"<n>": n}

    before = counted.living_now()
    list(net.run(source(), {"f": f, "g": f}, runtime="front", workers=1))
    return int(counted.most_living()) - before


print(json.dumps((every if sys.argv[2] == "every" else most)(sys.argv[3], int(sys.argv[4]))))
