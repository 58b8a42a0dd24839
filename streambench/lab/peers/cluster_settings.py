"""What is wanted of `streambench bench cluster`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.errors import OptionError
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.measure.named import require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.record.cluster_bench_summary import WAYS

QUERIES = ("q1", "q2", "q3", "q4")


@dataclass(frozen=True)
class ClusterSettings:
    """``queries`` over each directory of ``data`` in each of ``ways``.

    Raises OptionError for what nobody could measure, DataError for a directory that is none.
    """

    data: Sequence[Path]
    queries: Sequence[str] = QUERIES
    ways: Sequence[str] = tuple(WAYS)
    repeats: int = 5

    def __post_init__(self) -> None:
        require_repeats(self.repeats)
        require_once("query", self.queries)
        require_once("way", self.ways)
        names = [Catalog.open(each).path.resolve().name for each in self.data]
        if len(set(names)) < len(names):
            raise OptionError("--data names directories of the same name, which a result could not tell apart.")

    def plain(self) -> dict[str, Any]:
        """What a result file says of it and of the data."""
        return {
            "data_directories": [describe(Catalog.open(each)) for each in self.data],
            "queries": list(self.queries),
            "ways": list(self.ways),
            "repeats": self.repeats,
        }
