"""The answer of a stream as if it ended here: what was added, and what operators still hold in Spark's state store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streambench.streams.bucket import Bucket, close
from streambench.streams.keyed_work import KeyedWork
from streambench.streams.processor import ADDED, LATE, STATE_NAME
from streambench.streams.terms import StreamTerms


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
    added, late = _output(session, terms, work)
    table = pa.concat_tables([added, *(close(work, bucket) for bucket in buckets)])
    keys, waiting = sum(each.keys for each in buckets), sum(each.waiting.num_rows for each in buckets)
    return StreamAnswer(work.stream.answer(table, work.parameters), late, keys, waiting)


def _buckets(session: Any, terms: StreamTerms) -> list[Bucket]:
    if not any(terms.spark_checkpoint.glob("commits/[0-9]*")):
        return []
    state = session.read.format("statestore").option("stateVarName", STATE_NAME).load(str(terms.spark_checkpoint))
    rows = state.select("value.frontier", "value.waiting", "value.keyed").toLocalIterator()
    return [Bucket.from_bytes(row.frontier, bytes(row.waiting), bytes(row.keyed)) for row in rows]


def _output(session: Any, terms: StreamTerms, work: KeyedWork) -> tuple[pa.Table, int]:
    """What the file sink has committed, by its own log: files of micro-batches that were given up are not in it."""
    schema = work.stream.schema
    if not any(terms.output.glob("kind=*/*.parquet")):
        return schema.empty_table(), 0
    out = session.read.parquet(str(terms.output))
    added = out.where(out.kind == ADDED).select(*schema.names).toArrow().cast(schema)
    return added, out.where(out.kind == LATE).count()
