"""What ingest asks of whatever does the work: this process (`Local`) or Spark (`OnSpark`).

Both call the same functions for what a row means (`ingest_rows`); an engine only brings rows to them, removes
duplicates, sorts and writes. So both write the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from streambench.datagen.ingest.keys import KeyColumn
from streambench.datagen.ingest.measure import Measured


@dataclass(frozen=True)
class Twins:
    """How many keys come more than once, the first of them by name, and how many rows are one too many."""

    names: int
    first: str
    rows: int


class Engine(Protocol):
    """The steps of an ingest, to be called in this order."""

    def measure(self) -> Measured:
        """Read all rows once."""

    def keep(self, coded: Collection[str]) -> None:
        """From now on only the rows count that are usable if these keys get a dictionary."""

    def without_twins(self, key: KeyColumn) -> Twins:
        """From now on only the first row of each value of the key counts."""

    def names(self, key: KeyColumn, old: Path | None) -> Iterator[pa.Array]:
        """The names of a key, those of the dictionary `old` too, each once in ascending order of their bytes."""

    def write(self, staging: Path, dictionaries: Mapping[str, Path], files: int) -> None:
        """Write the table in replay order as at most so many files; `dictionaries` are those of its columns."""

    def versions(self) -> dict[str, str]:
        """The versions of what did the work."""
