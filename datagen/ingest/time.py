"""A row's event time in whole seconds since 1900-01-01: from texts, timestamps, epochs or date and time keys.

A time without a zone stays as it was written, daylight saving or not, and a time with a zone is counted in UTC. Parts
of a second are cut off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.errors import DatagenError, DatagenOptionError
from streambench.datagen.ingest.mapping import EPOCHS, TIME_COLUMNS, TIMESTAMP_DEFAULT, ColumnMapping
from streambench.datagen.ingest.numbers import converted, exact, per_distinct, texts
from streambench.datagen.ingest.pattern import Pattern
from streambench.datagen.ingest.source import Source

SECONDS_PER_DAY = 86_400
DAYS_1900_TO_1970 = 25_567
LAST_DATE_SK = 2_958_463  # 9999-12-31; a later time is an epoch read in the wrong unit
_PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True)
class EventTime:
    """How the event time is read: from the columns `sources`, which `words` says they are not where there is none."""

    sources: tuple[str, ...]
    words: str
    pattern: Pattern | None = None
    epoch: int | None = None

    def seconds(self, columns: pa.RecordBatch) -> pa.Array:
        """The event time of every row; null where it cannot be told."""
        read = [columns.column(name) for name in self.sources]
        if self.pattern is not None:
            written = pc.binary_join_element_wise(*map(texts, read), " ") if len(read) > 1 else texts(read[0])
            since_1970 = self.pattern.seconds(written)
        elif self.epoch is not None:
            since_1970 = _epoch(read[0], self.epoch)
        elif len(read) == 1:
            since_1970 = _timestamp(read[0])
        else:
            return _of_keys(*read)
        values, fine = _plain(since_1970)
        # Before the sum, which would wrap.
        fine &= (values >= -DAYS_1900_TO_1970 * SECONDS_PER_DAY) & (values < LAST_DATE_SK * SECONDS_PER_DAY)
        values = np.where(fine, values, 0) + DAYS_1900_TO_1970 * SECONDS_PER_DAY
        fine &= values < (LAST_DATE_SK + 1) * SECONDS_PER_DAY
        return pa.array(values, pa.int64(), mask=~fine)


def time_sources(mapping: ColumnMapping, source: Source) -> tuple[str, ...]:
    """The columns of the file that the event time comes from.

    `A+B` names two columns unless the file has a column of just that name.
    """
    assert mapping.table is not None
    if "ts" not in mapping.columns:
        return tuple(str(mapping.columns[name]) for name in TIME_COLUMNS[mapping.table])
    ts = mapping.columns["ts"]
    if isinstance(ts, tuple):
        return ts
    return (ts,) if ts in source.columns else tuple(part.strip() for part in ts.split("+"))


def event_time(mapping: ColumnMapping, source: Source) -> EventTime:
    """How to read the time of a stream's rows; DatagenError for a format that does not fit the columns."""
    names, pattern = time_sources(mapping, source), mapping.timestamp_format
    if "ts" not in mapping.columns:
        if pattern is not None:
            raise DatagenOptionError("--timestamp-format goes with ts, not with date_sk and time_sk: leave it out.")
        words = f"date_sk must be 0 to {LAST_DATE_SK} and time_sk 0 to {SECONDS_PER_DAY - 1}"
        return EventTime(names, words)
    written = f"written as {pattern!r}" if pattern else f"written as {TIMESTAMP_DEFAULT!r} (say --timestamp-format)"
    words, compiled = f"it is no time from 1900 to 9999 {written}", pattern or TIMESTAMP_DEFAULT
    if len(names) > 1:
        if pattern in EPOCHS:
            raise DatagenOptionError(f"--timestamp-format {pattern} is for one column: ts joins {' and '.join(names)}.")
        return EventTime(names, words, pattern=Pattern.compiled(compiled))
    name, kind = names[0], source.types[names[0]]
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        if pattern is not None:
            raise DatagenError(f"Column {name!r} holds timestamps already: leave --timestamp-format out.")
        return EventTime(names, "it is no time from 1900 to 9999")
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not numeric and not pa.types.is_string(kind):
        raise DatagenError(f"Column {name!r} holds {kind}, which is no time: map another column.")
    if pattern in EPOCHS:
        return EventTime(names, words, epoch=EPOCHS[pattern])
    if numeric:
        raise DatagenError(
            f"Column {name!r} holds numbers: say --timestamp-format epoch (seconds since 1970) or epoch-ms."
        )
    return EventTime(names, words, pattern=Pattern.compiled(compiled))


def _of_keys(date: pa.Array, time: pa.Array) -> pa.Array:
    (dates, dated), (times, timed) = (_plain(converted(texts(column), "bigint")) for column in (date, time))
    fine = dated & timed & (dates >= 0) & (dates <= LAST_DATE_SK) & (times >= 0) & (times < SECONDS_PER_DAY)
    return pa.array(np.where(fine, dates, 0) * SECONDS_PER_DAY + times, pa.int64(), mask=~fine)


def _epoch(column: pa.Array, per_second: int) -> pa.Array:
    if pa.types.is_integer(column.type) and not pa.types.is_uint64(column.type):
        values, fine = _plain(column.cast(pa.int64()))
        return pa.array(values // per_second, pa.int64(), mask=~fine)

    def seconds(text: str) -> int | None:
        value = exact(text)
        second = None if value is None else math.floor(value) // per_second
        return second if second is not None and abs(second) < 1 << 62 else None

    return per_distinct(texts(column), seconds, pa.int64())


def _timestamp(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_date(kind):
        values, fine = _plain(column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()))
        return pa.array(values * SECONDS_PER_DAY, pa.int64(), mask=~fine)
    values, fine = _plain(column.cast(pa.int64()))
    return pa.array(values // _PER_SECOND[kind.unit], pa.int64(), mask=~fine)


def _plain(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Values, 0 for null, and where there is one; // of numpy rounds down, before 1970 too."""
    return np.array(pc.fill_null(column, 0)), np.array(column.is_valid())
