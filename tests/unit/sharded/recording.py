"""Recorded decisions of a controller: how they are written to a file and read again.

A file holds sequences. Of each: the pipeline, how the controller was made, and a row of numbers for each decision (see
``RecordedController.recorded``), column by column as differences from row to row.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from streambench.pyx.sharded.controller import Controller

from streambench.pyx.operator import PartitionedStateful, Sink, Source, Stateful, Stateless

HERE = Path(__file__).parent / "recorded"
KINDS: dict[str, type] = {"sl": Stateless, "ps": PartitionedStateful, "sf": Stateful}
TOLD = 5  # numbers of a row before those of the operators: tick, position, in full units, waiting, waited
DECIDED = 7  # behind them: changed, unit, heads, sharded heads, in flight, tick of the next look, bound


@dataclass
class Sequence:
    """One run of a controller.

    ``kinds`` of the operators between source and sink; ``columns`` of all, source and sink too. ``how``: the
    controller's keywords. ``cuts``: bits of a plan by hand. ``begun``, ``due``: ticks of the beginning and of the
    first look.
    """

    name: str
    kinds: list[str]
    columns: list[int]
    partitions: list[int]
    workers: int
    how: dict[str, Any]
    cuts: list[int]
    ns_per_tick: float
    begun: int
    due: int
    rows: list[list[int]]

    def controller(self, constants: dict[str, Any] | None = None) -> Any:
        """A new one, as the run's. ``constants``: changes by name."""
        return Controller(
            _operators(self.kinds, self.columns),
            self.partitions,
            workers=self.workers,
            cuts=tuple(self.cuts),
            ns_per_tick=self.ns_per_tick,
            constants=constants,
            **self.how,
        )


def bits(plan: tuple[list[int], list[int]]) -> tuple[int, int]:
    """Of places: of heads, and of sharded ones."""
    heads, sharded = (sum(1 << place for place in places) for places in plan)
    return heads, sharded


def decided(controller: Any, changed: bool) -> list[int]:
    """The last numbers of a row."""
    in_flight, due = controller.units_in_flight, controller.next_decision
    return [int(changed), controller.unit, *bits(controller.plan), in_flight, due, int(controller.bound)]


def _operators(kinds: list[str], columns: list[int]) -> list[Any]:
    """Operators that are never called: the controller asks for their kinds and columns only."""
    made = [Source(), *(KINDS[kind]() for kind in kinds), Sink()]
    for each, width in zip(made, columns, strict=True):
        each.columns = ("value",) * width
    return made


def write(name: str, sequences: list[Sequence]) -> None:
    held = [{**asdict(each), "rows": _columns(each.rows)} for each in sequences]
    with gzip.GzipFile(HERE / name, "wb", mtime=0) as file:
        file.write(json.dumps(held, separators=(",", ":")).encode())


def read(name: str) -> list[Sequence]:
    with gzip.open(HERE / name) as file:
        return [Sequence(**{**each, "rows": _rows(each["rows"])}) for each in json.load(file)]


def _columns(rows: list[list[int]]) -> list[list[int]]:
    return [[column[0], *(after - before for before, after in pairwise(column))] for column in zip(*rows, strict=True)]


def _rows(columns: list[list[int]]) -> list[list[int]]:
    return [list(row) for row in zip(*(accumulate(column) for column in columns), strict=True)]
