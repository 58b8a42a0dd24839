"""What every task of a run must know: the driver makes it once, and Spark sends it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import OptionError
from streambench.execution.pipeline import Pipeline
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.columns import check_types, sources
from streambench.lab.data.narrow_types import event_time
from streambench.lab.data.streamed import Streamed
from streambench.lab.workloads.workload import Workload
from streambench.parquet_file import read_metadata, read_schema
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.table_source import BatchSource
from streambench.queries import query as queries
from streambench.queries.cut import Cut, Shuffle
from streambench.version import __version__

Schema = tuple[tuple[str, np.dtype[Any]], ...]
"""Name and type of each column."""
ARRAYS = ("categories", "page_types", "campaigns")
"""What ``queries.Inputs`` looks up, in its order."""


@dataclass(frozen=True)
class Piece:
    """Row group ``number`` of a file. ``first_row``: its first row there; ``place``: and in all files together."""

    file: Path
    number: int
    first_row: int
    place: int
    rows: int


@dataclass(frozen=True)
class LookedUp:
    """``queries.Inputs`` as plain values: of each only what the query's operators have asked for."""

    facts: dict[str, bool]
    bounds: dict[str, int]
    arrays: dict[str, Any]

    def inputs(self) -> queries.Inputs:
        """For the operators of a task."""
        return queries.Inputs(
            self.facts, self.bounds.__getitem__, *(partial(self.arrays.__getitem__, name) for name in ARRAYS)
        )


@dataclass(frozen=True)
class Plan:
    """A query cut into stages, for tasks on other machines.

    ``schemas``: what the source gives, and what arrives behind each shuffle. ``bucketed``: the files hold the
    partitions of the first shuffle already. ``ranged``: tasks read ranges of its keys instead (see ``ranges``).
    ``version``: the driver's, which all must have.
    """

    query: str
    parameter_set: str
    schemas: tuple[Schema, ...]
    partitions: int
    workers: int
    bucketed: bool
    looked_up: LookedUp
    ranged: bool = False
    version: str = __version__

    def cut(self) -> Cut:
        """Where the pipeline is cut."""
        return cut_of(queries.find(self.query), self.parameter_set)

    def operators(self) -> list[Any]:
        """New operators, all of them."""
        query = queries.find(self.query)
        return query.operators(query.parameters[self.parameter_set], self.looked_up.inputs())


def cut_of(query: queries.Query, parameter_set: str) -> Cut:
    """Raises OptionError for a query that runs on one machine only."""
    if query.cut is None:
        able = ", ".join(name for name in queries.names() if queries.find(name).cut is not None)
        raise OptionError(f"{query.name} runs on one machine only: `engine` spark can run {able}.")
    return query.cut(query.parameters[parameter_set])


def make(workload: Workload, partitions: int, workers: int, bucketed: bool) -> Plan:
    """The plan of a workload that is read as it goes. Raises DataError for files whose columns do not fit."""
    query, data = workload.query, workload.data
    names = [each for column in workload.columns for each in sources(query.table, column)]
    for file in data.table(query.table).files:
        check_types(file, read_schema(file), names)
    types = Streamed.of(data, query.table, workload.columns).types
    looked_up = _looked_up(workload)
    plan = Plan(query.name, workload.parameter_set, (), partitions, workers, bucketed, looked_up)
    first = tuple(zip(workload.columns, types, strict=True))
    operators = plan.operators()
    Pipeline([source((), first), *operators, TableSink(False)])  # which tells the operators what they are given
    shuffles = cut_of(query, workload.parameter_set).shuffles
    behind = (_behind(shuffle, operators[shuffle.after - 1].schema) for shuffle in shuffles)
    return replace(plan, schemas=(first, *behind))


def source(batches: Any, schema: Schema) -> BatchSource:
    """What gives a pipeline these batches."""
    names = tuple(name for name, _ in schema)
    return BatchSource(batches, names, 4, None, tuple(kind for _, kind in schema), event_time(names))


def pieces(data: Catalog, table: str) -> list[Piece]:
    """The row groups of a table that are not empty, in order."""
    listed, place = [], 0
    for file in data.table(table).files:
        metadata, first_row = read_metadata(file), 0
        for number in range(metadata.num_row_groups):
            rows = metadata.row_group(number).num_rows
            if rows:
                listed.append(Piece(file.resolve(), number, first_row, place, rows))
            first_row += rows
            place += rows
    return listed


def arrow_schema(schema: Schema) -> pa.Schema:
    """The same for Arrow."""
    return pa.schema([(name, pa.from_numpy_dtype(kind)) for name, kind in schema])


def _behind(shuffle: Shuffle, schema: Schema) -> Schema:
    if shuffle.combine is None:
        return tuple(schema)
    empty = shuffle.combine({name: np.empty(0, kind) for name, kind in schema})
    return tuple((name, values.dtype) for name, values in empty.items())


def _looked_up(workload: Workload) -> LookedUp:
    """Build the operators once, and keep what they ask for."""
    inputs = workload.inputs()
    looked_up = LookedUp({}, {}, {})

    class Facts(dict[str, bool]):
        def __missing__(self, name: str) -> bool:
            return looked_up.facts.setdefault(name, inputs.facts[name])

    def bound(name: str) -> int:
        return looked_up.bounds.setdefault(name, inputs.bound(name))

    def array(name: str) -> Any:
        return looked_up.arrays.setdefault(name, getattr(inputs, name)())

    kept = queries.Inputs(Facts(), bound, *(partial(array, name) for name in ARRAYS))
    workload.query.operators(workload.parameters, kept)
    return looked_up
