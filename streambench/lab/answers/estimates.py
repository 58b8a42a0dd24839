"""An approximate answer compared with the exact one: are its bounds true, and how much of the exact answer is in it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Judgement:
    """``recall``: the share of the exact answer's rows that the approximate one has; ``precision``: the share of the
    approximate answer's rows that the exact one has (1 of no rows). ``guaranteed``: so many rows are sure to be in the
    exact answer, by the intervals alone. ``greatest_error``: by how much an estimate is above
    the true count at most. ``problem``: what contradicts the bounds, if anything does."""

    recall: float
    precision: float
    guaranteed: int
    greatest_error: int
    problem: str | None


def judge(query: str, answer: pa.Table, exact: pa.Table, counts: pa.Table) -> Judgement:
    """``answer``: keys, then ``n``, ``lower`` and ``guaranteed``; ``exact``: keys and ``n``; ``counts``: of the keys in
    ``answer`` those that occur, with their true ``n``. Where there are three keys the first is a window, which has an
    answer of its own. Both answers are complete: of each window all that there is, or the same number of rows."""
    keys = answer.column_names[: answer.column_names.index("n")]
    truth = {_key(row, keys): row["n"] for row in counts.to_pylist()}
    exact_counts = {_key(row, keys): row["n"] for row in exact.to_pylist()}
    estimates = {_key(row, keys): row for row in answer.to_pylist()}
    common = len(exact_counts.keys() & estimates.keys())
    problem, greatest = None, 0
    least: dict[Row, int] = {}  # by window, the lowest estimate in the answer
    for key, row in estimates.items():
        true, window = truth.get(key, 0), key[:-2]
        greatest = max(greatest, row["n"] - true)
        least[window] = min(least.get(window, row["n"]), row["n"])
        if problem is None and not row["lower"] <= true <= row["n"]:
            problem = f"{_show(keys, key)} occurs {true} times, but {query} says {row['lower']} to {row['n']} times."
        if problem is None and row["guaranteed"] and key not in exact_counts:
            problem = f"{_show(keys, key)} is not in the exact answer, but {query} guarantees it."
    for key, true in exact_counts.items():
        if problem is None and key not in estimates and true > least.get(key[:-2], 0):
            problem = f"{_show(keys, key)} occurs {true} times, more often than {query} says of a row of its answer."
    guaranteed = sum(row["guaranteed"] for row in estimates.values())
    return Judgement(_share(common, len(exact_counts)), _share(common, len(estimates)), guaranteed, greatest, problem)


def _key(row: dict[str, Any], keys: list[str]) -> Row:
    return tuple(row[name] for name in keys)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _show(keys: list[str], key: Row) -> str:
    return "(" + ", ".join(f"{name} {value}" for name, value in zip(keys, key, strict=True)) + ")"
