"""The answer of a stream as if it ended here: what was added, and what operators still hold in Spark's state store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streambench.datagen.spark import for_writing
from streambench.lab.streams.bucket import Bucket, close
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.lab.streams.processor import ADDED, LATE, STATE_NAME
from streambench.lab.streams.terms import StreamTerms

ROWS = 1 << 20
"""A task sums up what it was given whenever it holds so many new rows, or as many as pairs."""


@dataclass(frozen=True)
class StreamAnswer:
    """``late``: rows that came too late since the stream's first start; ``keys`` with state, ``waiting`` rows."""

    table: pa.Table
    late: int
    keys: int
    waiting: int


def answer(session: Any, terms: StreamTerms, work: KeyedWork) -> StreamAnswer:
    """Read the output and the state as of the last micro-batch that was committed; the stream must have stopped."""
    buckets = _buckets(session, terms)
    schema = work.stream.schema
    held = pa.concat_tables([schema.empty_table(), *(close(work, bucket) for bucket in buckets)])
    keys, waiting = sum(each.keys for each in buckets), sum(each.waiting.num_rows for each in buckets)
    late = 0
    # What the file sink has committed, by its own log: files of micro-batches that were given up are not in it.
    if any(terms.output.glob("kind=*/*.parquet")):
        out = session.read.parquet(for_writing(terms.output))
        added = out.where(out.kind == ADDED).select(*schema.names)
        late = out.where(out.kind == LATE).count()
        if work.stream.split:
            held = _parts(session, added, held, work)
        else:
            held = pa.concat_tables([added.toArrow().cast(schema), held])
    return StreamAnswer(work.stream.answer(held, work.parameters), late, keys, waiting)


def _parts(session: Any, added: Any, held: pa.Table, work: KeyedWork) -> pa.Table:
    """The parts' answers, of what was added and is held: by tasks, as it may be more than a driver's memory takes."""
    schema = work.stream.schema
    everything = added.union(session.createDataFrame(held)) if held.num_rows else added
    columns = ", ".join(f"{name} bigint" for name in schema.names)
    return everything.repartition(*work.stream.split).mapInArrow(_OfPart(work), columns).toArrow().cast(schema)


@dataclass(frozen=True)
class _OfPart:
    """The answer of a partition's rows, summed up as they come."""

    work: KeyedWork

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        *keys, n = self.work.stream.schema.names
        total, new = self.work.stream.schema.empty_table(), []
        rows = 0
        for batch in batches:
            new.append(pa.Table.from_batches([batch]))
            rows += batch.num_rows
            if rows > max(ROWS, total.num_rows):
                total, new, rows = _summed([total, *new], keys, n), [], 0
        total = _summed([total, *new], keys, n)
        yield from self.work.stream.answer(total, self.work.parameters).to_batches()


def _summed(tables: list[pa.Table], keys: list[str], n: str) -> pa.Table:
    grouped = pa.concat_tables(tables).group_by(keys).aggregate([(n, "sum")])
    return grouped.rename_columns([*keys, n])


def _buckets(session: Any, terms: StreamTerms) -> list[Bucket]:
    if not any(terms.spark_checkpoint.glob("commits/[0-9]*")):
        return []
    state = (
        session.read.format("statestore").option("stateVarName", STATE_NAME).load(for_writing(terms.spark_checkpoint))
    )
    rows = state.select("value.frontier", "value.waiting", "value.keyed").toLocalIterator()
    return [Bucket.from_bytes(row.frontier, bytes(row.waiting), bytes(row.keyed)) for row in rows]
