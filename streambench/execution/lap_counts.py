"""What each lap of a replayed stream gave the operators, as the run itself has counted it, compared with SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

PLACES = {"last_operator": -2, "sink": -1}  # of the operators that SQL counts for, by what its columns are called


@dataclass(frozen=True)
class LapCounts:
    """Tuples that each lap gave each operator.

    ``operators``: their names, source first. ``laps``: (how many, tuples given to each operator by each of them), in
    order: consecutive laps that gave the same stand together. ``flushed``: what was given at end of stream, and by laps
    behind the first 4,096 that differ from the one before. A tuple counts for the lap whose tuple caused it; the
    source is given nothing.
    """

    operators: tuple[str, ...]
    laps: tuple[tuple[int, tuple[int, ...]], ...]
    flushed: tuple[int, ...]

    @classmethod
    def of(
        cls, operators: Sequence[Any], counted: tuple[list[tuple[int, tuple[int, ...]]], tuple[int, ...]]
    ) -> LapCounts:
        """What an engine's egress has counted."""
        laps, flushed = counted
        n = len(operators)
        return cls(tuple(each.name for each in operators), tuple((k, tuples[:n]) for k, tuples in laps), flushed[:n])

    def __iter__(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """(first lap, last lap, tuples given) of laps that gave the same, counted from 0."""
        first = 0
        for count, tuples in self.laps:
            yield first, first + count - 1, tuples
            first += count

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for results."""
        laps = [{"laps": count, "given": list(tuples)} for count, tuples in self.laps]
        return {"operators": list(self.operators), "by_lap": laps, "flushed": list(self.flushed)}


def difference(counts: LapCounts, expected: pa.Table, laps: int) -> str | None:
    """None if ``counts`` are those of SQL (see ``oracle.by_lap``), else one sentence that names the first that is not.

    A lap beyond those that SQL has counted must give what its last one gives. What comes at end of stream is compared
    if SQL has counted all ``laps``.
    """
    columns = expected.column_names[1:]
    places = [PLACES[name] for name in columns]
    names = [counts.operators[place] for place in places]
    *by_lap, flushed = [tuple(row[name] for name in columns) for row in expected.to_pylist()]
    done = 0
    for first, last, tuples in counts:
        counted = tuple(tuples[place] for place in places)
        for lap in range(first, min(last, max(first, len(by_lap) - 1)) + 1):
            by_sql = by_lap[min(lap, len(by_lap) - 1)]
            if counted != by_sql:
                since = "" if lap < len(by_lap) else f", as from lap {len(by_lap)} on all laps do"
                return (
                    f"Lap {lap + 1} of {laps} gave {_show(names, counted)} where SQL says "
                    f"{_show(names, by_sql)}{since}."
                )
        done = last + 1
    if done != laps:
        return f"{done} laps were counted instead of {laps}."
    counted = tuple(counts.flushed[place] for place in places)
    if laps == len(by_lap) and counted != flushed:
        return f"The end of the stream gave {_show(names, counted)} where SQL says {_show(names, flushed)}."
    return None


def _show(names: Sequence[str], tuples: Sequence[int]) -> str:
    return " and ".join(f"{name} {count} tuples" for name, count in zip(names, tuples, strict=True))
