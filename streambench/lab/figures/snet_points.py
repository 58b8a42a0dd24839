"""The points of an S-NET bench as a chart's rows: of each run a value, made of its seconds and of those beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streambench.lab.figures.chart import Row
from streambench.lab.record.snet_summary import POINT, rows
from streambench.lab.record.statistics import summary

Document = Mapping[str, Any]
Found = Mapping[str, Any]
Value = Callable[[float, float], float]

THREADS = "a thread for each entity"


def verified(document: Document, case: str) -> list[dict[str, Any]]:
    """The rows of a case of which no run was wrong, in the document's order."""
    return [each for each in rows(document["runs"]) if each["case"] == case and each["verified"]]


def line(point: Found) -> str:
    """Who ran it."""
    if point["runtime"] == "threads":
        return THREADS
    return f"FRONT, {point['workers']} worker{'s' * (point['workers'] > 1)}"


def ratio(found: Sequence[Found], fits: Callable[[Found], bool]) -> tuple[str, float] | None:
    """The size and the median ratio of the largest point with one that ``fits``."""
    both = [each for each in found if each["ratio"] and fits(each)]
    if not both:
        return None
    last = max(both, key=lambda each: int(each["size"]))
    return f"{last['size']:,}", float(last["ratio"]["median"])


def row(
    panel: str, name: str, x: float, point: Found, document: Document, value: Value, base: Found | None = None
) -> Row:
    """The chart's row of a point. ``value``: of a run's seconds and those of ``base`` beside it."""
    own, other = _by_repeat(point, document), _by_repeat(base or point, document)
    both = [k for k in sorted(own) if k in other]
    values = tuple(value(own[k]["seconds"], other[k]["seconds"]) for k in both)
    found = summary(values)
    low, high = (found.low, found.high) if found.coverage is not None else (None, None)
    return {
        "panel": panel,
        "line": name,
        "x": x,
        **{"y": found.median, "y_low": low, "y_high": high, "repeats": found.n, "values": values},
        "core_round_trips_ns": tuple(own[k]["core_round_trip_ns"] for k in both),
        **{each: point[each] for each in POINT},
    }


def level(panel: str, name: str, x: float | None, y: float) -> Row:
    """A reference: over the whole panel where ``x`` is None."""
    blank = dict.fromkeys(("y_low", "y_high", "repeats", "values", "core_round_trips_ns", *POINT))
    return {"panel": panel, "line": name, "x": x, "y": y, **blank}


def _by_repeat(point: Found, document: Document) -> dict[int, Mapping[str, Any]]:
    runs = [each for each in document["runs"] if all(each[name] == point[name] for name in POINT)]
    return {each["repeat"]: each for each in runs}
