"""A row's event time in whole seconds since 1900-01-01: from texts, timestamps, epochs or date and time keys.

The session's time zone is UTC, so a time without a zone stays as it was written, daylight saving or not, and a time
with a zone is counted in UTC. Parts of a second are cut off.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_mapping import EPOCHS, TIME_COLUMNS, TIMESTAMP_DEFAULT, ColumnMapping
from streambench.datagen.ingest_source import Source, quoted

SECONDS_PER_DAY = 86_400
DAYS_1900_TO_1970 = 25_567
LAST_DATE_SK = 2_958_463  # 9999-12-31; a later time is an epoch read in the wrong unit


def time_sources(mapping: ColumnMapping, source: Source) -> tuple[str, ...]:
    """The columns of the file that the event time comes from.

    `A+B` names two columns unless the file has a column of just that name.
    """
    assert mapping.table is not None
    if "ts" not in mapping.columns:
        return tuple(str(mapping.columns[name]) for name in TIME_COLUMNS[mapping.table])
    given = mapping.columns["ts"]
    if isinstance(given, tuple):
        return given
    return (given,) if given in source.columns else tuple(part.strip() for part in given.split("+"))


def seconds_since_1900(mapping: ColumnMapping, source: Source, types: T.StructType) -> Column:
    """The event time; null where a row's cannot be told. DatagenError for a format that does not fit the columns."""
    names = time_sources(mapping, source)
    if "ts" not in mapping.columns:
        if mapping.timestamp_format is not None:
            raise DatagenError("--timestamp-format goes with ts, not with date_sk and time_sk: leave it out.")
        date, time = (F.col(quoted(name)).try_cast("bigint") for name in names)
        in_range = (date >= 0) & (date <= LAST_DATE_SK) & (time >= 0) & (time < SECONDS_PER_DAY)
        return F.when(in_range, date * SECONDS_PER_DAY + time)
    since_1970 = (
        _joined(names, mapping.timestamp_format) if len(names) > 1 else _single(names[0], mapping, source, types)
    )
    seconds = since_1970 + DAYS_1900_TO_1970 * SECONDS_PER_DAY
    return F.when((seconds >= 0) & (seconds < (LAST_DATE_SK + 1) * SECONDS_PER_DAY), seconds)


def _joined(names: tuple[str, ...], pattern: str | None) -> Column:
    if pattern in EPOCHS:
        raise DatagenError(f"--timestamp-format {pattern} is for one column: ts joins {' and '.join(names)}.")
    text = F.col(quoted(names[0])).cast("string")
    for name in names[1:]:  # concat_ws would skip a missing part; here it must make the whole null
        text = F.concat(text, F.lit(" "), F.col(quoted(name)).cast("string"))
    return _parsed(text, pattern)


def _single(name: str, mapping: ColumnMapping, source: Source, types: T.StructType) -> Column:
    column, kind, pattern = F.col(quoted(name)), types[name].dataType, mapping.timestamp_format
    if name in source.nanoseconds or isinstance(kind, (T.TimestampType, T.TimestampNTZType, T.DateType)):
        if pattern is not None:
            raise DatagenError(f"Column {name!r} holds timestamps already: leave --timestamp-format out.")
        if name in source.nanoseconds:
            return _whole_seconds(column, 1_000_000_000)
        return F.unix_seconds(column.cast("timestamp"))
    if pattern in EPOCHS:
        return _epoch(column, kind, EPOCHS[pattern])
    if isinstance(kind, T.NumericType):
        raise DatagenError(
            f"Column {name!r} holds numbers: say --timestamp-format epoch (seconds since 1970) or epoch-ms."
        )
    if not isinstance(kind, T.StringType):
        raise DatagenError(f"Column {name!r} holds {kind.simpleString()}, which is no time: map another column.")
    return _parsed(column, pattern)


def _epoch(column: Column, kind: T.DataType, per_second: int) -> Column:
    if not isinstance(kind, T.IntegralType):  # decimals keep every digit of a text such as 1477821491.999
        column = F.floor(column.try_cast("decimal(38,9)"))
    return _whole_seconds(column.try_cast("bigint"), per_second)


def _whole_seconds(units: Column, per_second: int) -> Column:
    """Integer division that rounds down, before 1970 too."""
    return F.call_function("div", units - F.pmod(units, F.lit(per_second)), F.lit(per_second))


def _parsed(text: Column, pattern: str | None) -> Column:
    return F.unix_seconds(F.try_to_timestamp(text, F.lit(pattern or TIMESTAMP_DEFAULT)))
