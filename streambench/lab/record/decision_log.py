"""The log of a controller's decisions as a file, gzipped: a line of JSON that says what was run, then a line for each
number of a decision, with that number of the first decision and then the differences from decision to decision.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from streambench.errors import OptionError
from streambench.execution.decisions import KINDS, MOST_OPERATORS, Decisions, columns
from streambench.execution.options import MOST_PARTITIONS, MOST_UNIT, MOST_WORKERS
from streambench.lab.atomic_file import Writer
from streambench.pyx.ordered.core_costs import assumed

FORMAT = "streambench decisions"
VERSION = 1
LARGEST = 1 << 62  # of any number: sums and differences stay within 64 bits
MOST_COLUMNS = 1 << 16
LARGEST_ROW = 1 << 30  # bytes
HOW = (
    *("unit", "free_plan", "credit", "latency_target", "interval", "free_credit", "cuts", "dealt", "costs"),
    "row_bytes",
)


class _WrongError(Exception):
    """What such a log cannot hold."""


def writer(decisions: Decisions) -> Writer:
    """What writes the log; the same decisions make the same bytes."""

    def write(file: IO[bytes]) -> None:
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            packed.write(_line(_header(decisions)))
            for column in decisions.rows.T:
                packed.write(_line(differences(column)))

    return write


def read(path: Path) -> Decisions:
    """The decisions in a log. Raises OptionError, one sentence, for a file that is none or cannot be read."""
    try:
        with gzip.open(path) as file:
            return _decisions(file)
    except _WrongError as wrong:
        raise OptionError(f"{path} is no log of decisions that can be replayed: {wrong}.") from None
    except EOFError:
        raise OptionError(f"{path} is truncated: copy it again, or record anew.") from None
    except (gzip.BadGzipFile, zlib.error, ValueError, RecursionError):
        raise OptionError(f"{path} is no log of decisions: make one with `streambench run --decisions`.") from None
    except OSError as problem:
        raise OptionError(f"{path} cannot be read ({problem.strerror}): name a log of `run --decisions`.") from None


def differences(column: npt.NDArray[np.int64]) -> list[int]:
    """The first number, and then how much more each is than the one before it."""
    steps: list[int] = np.diff(column, prepend=0).tolist()
    return steps


def summed(column: Any) -> npt.NDArray[np.int64]:
    """The numbers of which these are the ``differences``. Raises ValueError for other things than 64-bit integers."""
    if not isinstance(column, list) or not all(type(each) is int and abs(each) <= LARGEST for each in column):
        raise ValueError("this is no list of integers")
    return np.cumsum(np.array(column, dtype=np.int64))


def _line(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _header(decisions: Decisions) -> dict[str, Any]:
    kinds = ("source", *decisions.kinds, "sink")
    parts = zip(decisions.names, kinds, decisions.partitions, decisions.widths, strict=True)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "version": decisions.version,
        "operators": [dict(zip(("name", "kind", "partitions", "width"), each, strict=True)) for each in parts],
        "workers": decisions.workers,
        "how": dict(decisions.how),
        "constants": dict(decisions.constants),
        "ns_per_tick": decisions.ns_per_tick,
        "begun": decisions.begun,
        "due": decisions.due,
        "asked": decisions.asked,
        "columns": columns(len(decisions.names)),
    }


def _decisions(file: gzip.GzipFile) -> Decisions:
    header = json.loads(file.readline())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _WrongError(f"its first line does not say {FORMAT!r}")
    if header.get("format_version") != VERSION:
        raise _WrongError(
            f"it has format {header.get('format_version')!r}, written by version {header.get('version')!r}, and this "
            f"version reads format {VERSION}"
        )
    try:
        header_values = _given(header)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise _WrongError("its first line lacks something, or holds what no run has") from None
    numbers = columns(len(header_values["names"]))
    if header.get("columns") != numbers:
        raise _WrongError(f"its decisions have not the {len(numbers)} numbers that this version reads")
    lines = file.read().splitlines()
    if len(lines) != len(numbers):
        raise _WrongError(f"it has {len(lines)} lines of numbers instead of {len(numbers)}")
    read = [summed(json.loads(line)) for line in lines]
    if len({len(each) for each in read}) != 1:
        raise _WrongError("its lines of numbers are not all as long")
    rows = np.stack(read, axis=1)
    _require(rows.min(initial=0) >= 0 and rows.max(initial=0) <= LARGEST, "a number is out of its range")
    ticks_and_positions = np.diff(rows[:, :2], axis=0, prepend=[[header_values["begun"], 0]])
    _require(bool((ticks_and_positions >= 0).all()), "its time goes back, or its stream")
    return Decisions(**header_values, rows=rows)


def _given(header: Mapping[str, Any]) -> dict[str, Any]:
    """All but the rows, checked: a controller takes what it is given, and looks no further."""
    operators = header["operators"]
    _require(2 <= len(operators) <= MOST_OPERATORS, "it has no pipeline that this version can run")
    names, kinds, partitions, widths = (
        tuple(each[name] for each in operators) for name in ("name", "kind", "partitions", "width")
    )
    how = header["how"]
    _require(all(isinstance(each, str) for each in (*names, header["version"])), "a name is no text")
    _require((kinds[0], kinds[-1]) == ("source", "sink") and set(kinds[1:-1]) <= set(KINDS), "an operator has no kind")
    _require_numbers(partitions, 1, MOST_PARTITIONS)
    _require_numbers(widths, 0, MOST_COLUMNS)
    _require_numbers((header["workers"],), 1, MOST_WORKERS)
    _require_numbers((header["begun"], header["due"], header["asked"]), 0, LARGEST)
    _require_numbers((how["unit"],), 0, MOST_UNIT)
    _require_numbers((how["credit"],), 1, LARGEST)
    _require_numbers(how["cuts"], 0, (1 << len(names)) - 1)
    for first, end in how["dealt"]:
        _require_numbers((first, end), 1, len(names))
        _require(first < end, "operators that are dealt end before they begin")
    if how["row_bytes"] is not None:
        _require_numbers(how["row_bytes"], 0, LARGEST_ROW)
        _require(len(how["row_bytes"]) == len(names), "it has the rows of other operators")
    _require(sorted(how) == sorted(HOW) and len(how["cuts"]) == 2, "the controller was made in another way")
    costs = assumed() if how["costs"] is None else how["costs"]
    _require(sorted(costs) == sorted(assumed()), "what cores take to share is told in another way")
    _require(all(math.isfinite(each) and each >= 0 for each in costs.values()), "a cost is none")
    _require(isinstance(how["free_plan"], bool) and isinstance(how["free_credit"], bool), "yes or no is neither")
    for time in (header["ns_per_tick"], how["latency_target"]):
        _require(math.isfinite(time) and time > 0, "a time is none")
    _require(math.isfinite(how["interval"]) and how["interval"] >= 0, "a time is none")
    _require(all(map(math.isfinite, header["constants"].values())), "a constant is no number")
    return {
        "names": names,
        "kinds": kinds[1:-1],
        "widths": widths,
        "partitions": partitions,
        "how": {**how, "cuts": tuple(how["cuts"])},
        **{name: header[name] for name in ("version", "workers", "constants", "ns_per_tick", "begun", "due", "asked")},
    }


def _require(right: bool, otherwise: str) -> None:
    if not right:
        raise _WrongError(otherwise)


def _require_numbers(numbers: Any, least: int, most: int) -> None:
    _require(all(type(each) is int and least <= each <= most for each in numbers), "a number is out of its range")
