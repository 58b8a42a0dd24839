"""A bucket's rows, state and timer between Spark and the operators: the stateful processor of `transformWithState`.

Spark keeps one value for a bucket: its frontier, the waiting rows and the operators' state as Arrow bytes. The value is
written with the micro-batch or not at all, so a micro-batch that is done again begins where it began.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from streambench.lab.cluster.task import require_version
from streambench.lab.streams.bucket import Bucket, advance, next_due
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.version import __version__

VALUE = "frontier bigint, waiting binary, keyed binary"
STATE_NAME = "bucket"
ADDED, LATE, STATE = "added", "late", "state"
"""What a row of the output is: ``added`` to the answer, a row that came too ``late``, as JSON, or how many keys have
``state`` in a bucket."""
MS = 1000

_TYPES = {pa.int64(): "bigint", pa.float64(): "double"}


def output_schema(work: KeyedWork) -> str:
    """The columns of the output, for Spark."""
    added = ", ".join(f"{each.name} {_TYPES[each.type]}" for each in work.stream.schema)
    return f"kind string, {added}, late string, keys bigint"


class BucketProcessor(StatefulProcessor):
    """Has the buckets advance to the watermark, with the rows of a micro-batch or, by a timer, without any."""

    def __init__(self, work: KeyedWork) -> None:
        self.work = work
        self.version = __version__  # the driver's

    def init(self, handle: Any) -> None:
        require_version(self.version)
        self.handle = handle
        self.value = handle.getValueState(STATE_NAME, VALUE)

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        frame = pd.concat(list(rows))[list(self.work.columns)]
        yield from self._advance(
            pa.Table.from_pandas(frame, self.work.no_rows.schema, preserve_index=False), timerValues
        )

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        yield from self._advance(self.work.no_rows, timerValues)

    def close(self) -> None:
        """Nothing is held open."""

    def _advance(self, rows: pa.Table, timers: Any) -> Iterator[pd.DataFrame]:
        bucket = Bucket.from_bytes(*self.value.get()) if self.value.exists() else Bucket.empty(self.work)
        step = advance(self.work, bucket, rows, timers.getCurrentWatermarkInMs() // MS)
        self.value.update(step.bucket.to_bytes())
        for timer in list(self.handle.listTimers()):
            self.handle.deleteTimer(timer)
        due = next_due(self.work, step.bucket)
        if due is not None:
            self.handle.registerTimer(due * MS)
        yield from self._output(ADDED, step.added.to_pandas())
        yield from self._output(LATE, pd.DataFrame({"late": [json.dumps(row) for row in step.late.to_pylist()]}))
        yield from self._output(STATE, pd.DataFrame({"keys": [step.bucket.keys]}))

    def _output(self, kind: str, rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
        """The rows with all columns of the output."""
        if len(rows) == 0:
            return
        names = ["kind", *self.work.stream.schema.names, "late", "keys"]
        output = rows.assign(kind=kind).reindex(columns=names)
        whole = [each.name for each in self.work.stream.schema if each.type == pa.int64()]
        yield output.astype(dict.fromkeys([*whole, "keys"], "Int64")).astype({"late": object})
