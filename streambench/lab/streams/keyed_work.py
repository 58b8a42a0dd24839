"""What the operators of a query do with a part of its stream, told by plain values: it can be sent to executors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.data.arrow_source import ArrowSource
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.cluster.plan import ARRAYS
from streambench.lab.data.loader import REPLAY_ORDER
from streambench.pyx.tuples.table_sink import TableSink
from streambench.queries import query as queries
from streambench.queries import stream_query
from streambench.queries.stream_query import State, StreamQuery

SERIAL = Options(engine="serial", pin=False)


@dataclass(frozen=True)
class KeyedWork:
    """A query by name, its parameter set, and what it looks up: arrays by key, by the names of `queries.Inputs`."""

    query: str
    parameter_set: str = "paper"
    looked_up: Mapping[str, Any] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyedWork, (self.query, self.parameter_set, self.looked_up)  # what is cached is found there, too

    @cached_property
    def stream(self) -> StreamQuery:
        """The query as a stream."""
        return stream_query.find(self.query)

    @cached_property
    def parameters(self) -> queries.Parameters:
        """The query's constants."""
        return self.stream.query.parameters[self.parameter_set]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The logical columns of the stream that the operators read; ``ts`` among them, whether they do or not."""
        names = self.stream.query.columns(self.parameters)
        return names if "ts" in names else ("ts", *names)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Those of them by which the stream is in replay order."""
        return tuple(name for name in REPLAY_ORDER[self.stream.query.table] if name in self.columns)

    @property
    def no_rows(self) -> pa.Table:
        """The stream without a row."""
        return pa.schema([(name, pa.int64()) for name in self.columns]).empty_table()

    def run(self, rows: pa.Table, state: State | None, *, last: bool) -> tuple[State, pa.Table]:
        """Run the operators over rows in replay order, from ``state`` on: what they hold then, and what the run adds.

        ``last``: the stream ends behind these rows, and what is open is closed.
        """
        inputs = queries.Inputs(
            {"tickets_ascend": False},
            lambda name: 0,  # keys are any of a large range's, so their state is hashed
            *(partial(self.looked_up.__getitem__, name) for name in ARRAYS),
        )
        operators = self.stream.query.operators(self.parameters, inputs)[: self.stream.used]
        keyed = operators[self.stream.keyed]
        keyed.continues = not last
        sink = TableSink()
        names = list(self.stream.query.columns(self.parameters))
        opened = None if state is None else partial(keyed.load, state)
        execute(Pipeline([ArrowSource(rows.select(names)), *operators, sink]), SERIAL, opened=opened)
        rows_emitted = sink.to_arrow()
        emitted = {name: rows_emitted.column(name) for name in rows_emitted.column_names}
        added = self.stream.added(operators, emitted)
        return keyed.save(), pa.table(dict(added)).cast(self.stream.schema)

    def over(self, state: State, frontier: int) -> Any:
        """Which keys' state no tuple of ``frontier`` or later can touch."""
        if self.stream.over is None:
            return np.zeros(len(state["key"]), dtype=bool)
        return self.stream.over(state, frontier, self.parameters)
