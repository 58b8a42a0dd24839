"""From the runs of `streambench bench stream` to a row for each query and contender, and their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KIND = "stream-bench"


def rows(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A run is a row: what a contender sustained, and its latencies at half of that."""
    names = ("query", "contender", "sustained", "rate", "batches", "committed", "ordered")
    return [{name: run[name] for name in names} for run in runs]
