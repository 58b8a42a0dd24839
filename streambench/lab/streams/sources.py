"""Where a stream's rows come from: a frame of the logical columns that a query reads, with the event's time."""

from __future__ import annotations

import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

from streambench.datagen.spark import for_reading, literally
from streambench.errors import DataError, StreambenchError
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.columns import DATE_AND_TIME, DAY, MONEY, check_types, sources
from streambench.lab.streams.kafka_topic import KafkaSource, Topic, require_client
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.lab.streams.terms import StreamTerms
from streambench.parquet_file import read_schema

Frame = Any
"""A `pyspark.sql.DataFrame`."""

EVENT_TIME = "event_time"
SOURCE_METRICS = "source"
DAYS_TO_1970 = 25_567  # from 1900-01-01
REACH_SECONDS = 5.0
RATE_KEYS = 10_000


def opened(session: Any, terms: StreamTerms, work: KeyedWork) -> Frame:
    """The stream's rows: the columns that ``work`` reads, never null, and their event time.

    Rows whose date or time is missing, such as lines that are no JSON, are left out and counted as ``unreadable``.
    Raises StreambenchError for a place that nobody answers at, DataError for files that do not fit.
    """
    from pyspark.sql import functions as F

    table = work.stream.query.table
    needed = tuple(dict.fromkeys(name for column in work.columns for name in sources(table, column)))
    raw = {"files": _files, "rate": _rate, "socket": _socket, "kafka": _kafka}[terms.source](
        session, terms, work, needed
    )
    date, time = DATE_AND_TIME[table]
    known = F.col(date).isNotNull() & F.col(time).isNotNull()
    metrics = [F.count(F.lit(1)).alias("rows"), F.count_if(~known).alias("unreadable")]
    if terms.source == "rate":  # when the first and the last row were made, in microseconds
        metrics += [F.unix_micros(end("timestamp")).alias(name) for end, name in ((F.min, "first"), (F.max, "last"))]
    raw = raw.observe(SOURCE_METRICS, *metrics).where(known)
    return raw.select(*(_logical(table, column).alias(column) for column in work.columns))


def _logical(table: str, column: str) -> Any:
    from pyspark.sql import functions as F

    if column == "ts":
        date, time = DATE_AND_TIME[table]
        return F.col(date).cast("bigint") * DAY + F.col(time).cast("bigint")
    if column == "cents":
        return F.round(F.col(MONEY) * 100).cast("bigint")
    return F.coalesce(F.col(sources(table, column)[0]).cast("bigint"), F.lit(-1).cast("bigint"))


def _files(session: Any, terms: StreamTerms, work: KeyedWork, needed: tuple[str, ...]) -> Frame:
    """The table's files; Spark takes them by the time of their last change."""
    assert terms.data is not None
    files = Catalog.open(terms.data).table(work.stream.query.table)
    for file in files.files:
        check_types(file, read_schema(file), needed)
    if terms.files_per_trigger is not None:
        _require_order(files.files)
    first = files.files[0]
    reader = session.readStream.schema(session.read.parquet(for_reading(first)).schema)
    reader = reader.option("pathGlobFilter", "*.parquet" if len(files.files) > 1 else literally(first.name))
    if terms.files_per_trigger is not None:
        reader = reader.option("maxFilesPerTrigger", terms.files_per_trigger)
    return reader.parquet(for_reading(first.parent)).select(*needed)


def _require_order(files: tuple[Path, ...]) -> None:
    times = [file.stat().st_mtime_ns for file in files]
    for k, (before, after) in enumerate(pairwise(times)):
        if before >= after:
            raise DataError(
                f"{files[k + 1]} was written no later than {files[k].name}, and Spark takes files by that time: leave "
                "--files-per-trigger out, or touch them in the order of their names."
            )


def _rate(session: Any, terms: StreamTerms, work: KeyedWork, needed: tuple[str, ...]) -> Frame:
    """Made-up rows at a rate, whose event time is when they were made; Spark remembers which."""
    from pyspark.sql import functions as F

    rows = session.readStream.format("rate").option("rowsPerSecond", terms.rate).load()
    seconds = F.unix_seconds("timestamp") + DAYS_TO_1970 * DAY
    date, time = DATE_AND_TIME[work.stream.query.table]

    def drawn(salt: int, below: int) -> Any:
        return F.pmod(F.xxhash64("value", F.lit(salt)), F.lit(max(1, below)).cast("bigint"))

    def column(name: str, salt: int) -> Any:
        if name in (date, time):
            return F.floor(seconds / DAY) if name == date else F.pmod(seconds, F.lit(DAY))
        if name == MONEY:
            return (drawn(salt, 100_000) / 100).cast("decimal(17,2)")
        if name == "wcs_sales_sk":
            return F.when(drawn(salt, 10) == 0, F.col("value"))
        table = {"wcs_web_page_sk": "page_types", "ss_item_sk": "categories"}.get(name, "")
        return drawn(salt, len(work.looked_up[table]) if table in work.looked_up else RATE_KEYS)

    return rows.select("timestamp", *(column(name, salt).alias(name) for salt, name in enumerate(needed)))


def _json(lines: Frame, needed: tuple[str, ...]) -> Frame:
    """Lines of JSON, an object of the table's columns each."""
    from pyspark.sql import functions as F

    schema = ", ".join(f"{name} {'decimal(17,2)' if name == MONEY else 'bigint'}" for name in needed)
    return lines.select(F.from_json(F.col("value").cast("string"), schema).alias("row")).select("row.*")


def _socket(session: Any, terms: StreamTerms, work: KeyedWork, needed: tuple[str, ...]) -> Frame:
    host, port = _address(terms.place or "")
    _require_reach([(host, port)], "socket")
    return _json(session.readStream.format("socket").option("host", host).option("port", port).load(), needed)


def _kafka(session: Any, terms: StreamTerms, work: KeyedWork, needed: tuple[str, ...]) -> Frame:
    brokers = [_address(each) for each in (terms.place or "").split(",")]
    _require_reach(brokers, "Kafka broker")
    require_client()
    topic = Topic(terms.place or "", terms.topic or "")
    topic.ends()  # what cannot be read is told before a checkpoint is made
    session.dataSource.register(KafkaSource)
    reader = session.readStream.format(KafkaSource.name()).option("brokers", topic.brokers).option("topic", topic.name)
    return _json(reader.load(), needed)


def _address(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise StreambenchError(f"{place!r} is no address: give HOST:PORT, such as localhost:9999.")
    return host.strip("[]"), int(port)


def _require_reach(places: list[tuple[str, int]], what: str) -> None:
    for place in places:
        try:
            with socket.create_connection(place, timeout=REACH_SECONDS):
                return
        except OSError:
            continue
    shown = ", ".join(f"{host}:{port}" for host, port in places)
    raise StreambenchError(f"No {what} answers at {shown}: start it, or correct --host.")
