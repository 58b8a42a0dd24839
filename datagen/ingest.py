"""A user's own CSV or Parquet becomes a table of a data directory, in replay order, with dictionaries for its names.

>>> from streambench.datagen.ingest import ColumnMapping, ingest
>>> columns = {"ts": "Date+Time", "ticket": "Transaction", "item": "Item"}
>>> bakery = ColumnMapping(table="store_sales", columns=columns, drop=(("Item", "NONE"),))
>>> ingest("bakery.csv", bakery, out="data/bakery").kept  # doctest: +SKIP
20507
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_dictionary import FOLDER
from streambench.datagen.ingest_keys import needs_dictionary
from streambench.datagen.ingest_mapping import SHARED_KEYS, ColumnMapping, check_table
from streambench.datagen.ingest_rows import Judged, check_columns, judge
from streambench.datagen.ingest_source import PLACE, Source, for_reading
from streambench.datagen.ingest_target import Target, choose, undone_on_failure
from streambench.datagen.ingest_write import stage_dictionary, stage_table
from streambench.datagen.progress import Progress, watched
from streambench.datagen.spark import running, versions
from streambench.datagen.tables import SECONDS_PER_DAY, TABLES

_ROWS_PER_FILE = 2_000_000
_BYTES_PER_TASK = 32 << 20


@dataclass
class Summary:
    """What an ingest did.

    Rows: `read` from the file, `left_out` by --drop and --where, `skipped` because they could not be used, `kept`.
    `first` and `last` are the event times of the stream in seconds since 1900-01-01 (None for item and web_page),
    `distinct` counts each mapped key column's values, `dictionaries` the names that each dictionary now holds.
    """

    table: str
    directory: Path
    read: int
    left_out: int
    skipped: int
    kept: int
    first: int | None = None
    last: int | None = None
    distinct: dict[str, int] = field(default_factory=dict)
    dictionaries: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)


def ingest(
    source: str | Path,
    mapping: ColumnMapping,
    *,
    out: str | Path | None = None,
    into: str | Path | None = None,
    overwrite: bool = False,
    skip_bad_rows: bool = False,
    master: str = "local[*]",
    partitions: int | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Turn a CSV or Parquet file, or a folder of them, into one table of a data directory.

    `out` is a new directory (`overwrite` replaces one that streambench made); `into` is one that ingest made before,
    which gets one more table (`overwrite` replaces that table). A row that cannot be used (no such time, a missing or
    negative key, a value of the wrong type) is an error, unless `skip_bad_rows` is set: then it is left out and
    counted. `partitions` is the number of files to write. `progress` is called with the step and the fraction of it
    that is done.

    DatagenError says in one sentence what does not fit. After any failure a new directory is gone again and one
    that was to get another table is as it was.
    """
    table = check_table(mapping.table)
    if partitions is not None and partitions < 1:
        raise DatagenError(f"--partitions must be 1 or more, not {partitions}.")
    mapping = mapping.resolved(TABLES[table].names)
    opened = Source.open(source, mapping)
    check_columns(mapping, opened)
    target = choose(out, into, table, overwrite, Path(source))
    with undone_on_failure(target), running(master, "streambench ingest") as spark, _told():
        tasks = max(1, sum(file.stat().st_size for file in opened.files) // _BYTES_PER_TASK)
        spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
        judged = judge(mapping, opened, opened.frame(spark))
        with watched(spark.sparkContext, "reading", tasks + 1, progress):
            measured = judged.measure()
            coded = _coded(judged, measured, target)
            skipped = _skipped(judged, measured, coded, skip_bad_rows)
            usable, twins = _without_twins(judged, judged.usable(coded), skip_bad_rows)
        left_out = measured["read"] - measured["wanted"]
        summary = Summary(table, target.path, measured["read"], left_out, skipped + twins, 0)
        summary.kept = summary.read - summary.left_out - summary.skipped
        if not summary.kept:
            raise DatagenError(
                f"No row of {Path(source).name} is left: {summary.read:,} were read, {left_out:,} left out by --drop "
                f"and --where, {summary.skipped:,} could not be used."
            )
        target.begin()
        for key in judged.keys:
            if key.target in coded:
                with watched(spark.sparkContext, f"dictionary of {key.shared}", 3 * tasks + 1, progress):
                    summary.dictionaries[key.shared] = stage_dictionary(spark, usable, key, target)
        files = partitions or -(-summary.kept // _ROWS_PER_FILE)
        with watched(spark.sparkContext, "sorting and writing", 2 * tasks + files, progress):
            stage_table(spark, judged, usable, coded, target, files)
        with watched(spark.sparkContext, "finishing", 2 * files, progress):
            _describe(spark, judged, target, summary)
            parameters = _parameters(judged, coded, target, summary, Path(source).name)
            summary.manifest = target.commit(parameters, _dictionaries(parameters), versions())
    return summary


def _coded(judged: Judged, measured: dict[str, Any], target: Target) -> frozenset[str]:
    """The key columns that go through a dictionary."""
    coded = set()
    for key in judged.keys:
        asked = key.target in judged.mapping.dictionary
        if not needs_dictionary(key, measured, asked, target.dictionary(key.shared) is not None):
            continue
        coded.add(key.target)
        for other, (_, holds) in target.users_of(key.shared).items():
            if holds == "integer":
                raise DatagenError(
                    f"{target.path} holds the {key.shared} keys of {other} as integers, and column {key.source!r} "
                    f"needs a dictionary: ingest {other} again with --dictionary for them, then this file."
                )
    return frozenset(coded)


def _skipped(judged: Judged, measured: dict[str, Any], coded: Collection[str], skip: bool) -> int:
    """How many rows cannot be used; an error that shows the first of them unless they may be skipped."""
    suspect = measured["suspect"]
    suspect += sum(measured[f"{key.target}:negative"] for key in judged.keys if key.target not in coded)
    if not suspect:
        return 0
    count, first = judged.unusable(coded)
    if count and not skip:
        rows = "1 row" if count == 1 else f"{count:,} rows"
        raise DatagenError(
            f"{rows} of {measured['read']:,} cannot be used, the first is {first}; "
            "mend the file or the mapping, or add --skip-bad-rows to leave such rows out."
        )
    return count


def _without_twins(judged: Judged, usable: DataFrame, skip: bool) -> tuple[DataFrame, int]:
    """A table that is looked up by key must hold each key once; with `skip` the first row of each key stays."""
    table = TABLES[judged.mapping.table or ""]
    if table.is_stream:
        return usable, 0
    key = next(key for key in judged.keys if key.target == table.names[0])
    repeated = usable.groupBy(key.name.alias("name")).agg(F.count(F.lit(1)).alias("rows")).where("rows > 1")
    found = repeated.agg(
        F.count(F.lit(1)).alias("names"), F.min("name").alias("first"), F.sum(F.col("rows") - 1).alias("twins")
    ).first()
    assert found is not None
    if not found["names"]:
        return usable, 0
    if not skip:
        raise DatagenError(
            f"Table {table.name} must hold each key once, and {found['names']:,} come more than once, such as "
            f"{found['first']!r}: mend the file, or add --skip-bad-rows to keep the first row of each."
        )
    rank = F.row_number().over(Window.partitionBy(key.name).orderBy(*PLACE))
    return usable.withColumn("__sb_rank", rank).where("__sb_rank = 1").drop("__sb_rank"), int(found["twins"])


def _describe(spark: SparkSession, judged: Judged, target: Target, summary: Summary) -> None:
    """Read back, from the files that were written, what the summary tells of them."""
    table = TABLES[summary.table]
    written = spark.read.parquet(for_reading(target.staging / table.name))
    told = {key.target: F.count_distinct(key.target) for key in judged.keys}
    if table.date_column and table.time_column:
        ts = F.col(table.date_column) * SECONDS_PER_DAY + F.col(table.time_column)
        told |= {"first": F.min(ts), "last": F.max(ts)}
    elif table.name == "web_page":
        told |= {kind: F.count_if(F.col("wp_type") == kind) for kind in ("dynamic", "order")}
    found = written.agg(*(column.alias(name) for name, column in told.items())).first()
    assert found is not None
    summary.distinct = {key.target: int(found[key.target]) for key in judged.keys}
    if table.is_stream:
        summary.first, summary.last = int(found["first"]), int(found["last"])
    elif table.name == "web_page":
        missing = [kind for kind in ("dynamic", "order") if not found[kind]]
        summary.notes += [f"no page has the type {kind!r}, which Q4 looks for" for kind in missing]


def _parameters(
    judged: Judged, coded: Collection[str], target: Target, summary: Summary, source: str
) -> dict[str, Any]:
    """For the manifest: what each table of the directory was made of and what its keys hold."""
    tables = {name: target.held["parameters"]["tables"][name] for name in target.other_tables}
    tables[summary.table] = {
        "source": source,
        "mapping": judged.mapping.described(),
        "rows": {name: getattr(summary, name) for name in ("read", "left_out", "skipped", "kept")},
        "keys": {key.target: "dictionary" if key.target in coded else "integer" for key in judged.keys},
    }
    return {"tables": tables}


def _dictionaries(parameters: dict[str, Any]) -> dict[str, str]:
    """Every column of every table that has a dictionary, and its file."""
    return {
        column: f"{FOLDER}/{SHARED_KEYS.get(column, column)}.parquet"
        for table in parameters["tables"].values()
        for column, holds in table["keys"].items()
        if holds == "dictionary"
    }


@contextmanager
def _told() -> Iterator[None]:
    """Spark's own errors in one sentence, without Java's stack and without Spark's log of them."""
    log = PySparkLogger.getLogger("SQLQueryContextLogger")  # its class, too: PySpark relies on who asks first
    silent, log.disabled = log.disabled, True
    try:
        yield
    except (PySparkException, Py4JJavaError) as problem:
        text = str(problem)
        if "INVALID_DATETIME_PATTERN" in text or "Unrecognized datetime pattern" in text:
            raise DatagenError(
                "The --timestamp-format is no date and time pattern that Spark knows: write it like "
                "'yyyy-MM-dd HH:mm:ss', or use epoch or epoch-ms."
            ) from None
        causes = [line for line in text.splitlines() if "Caused by" in line] or [text.splitlines()[0]]
        cause = causes[-1].removeprefix("Caused by:").partition("SQLSTATE")[0].strip()
        raise DatagenError(f"Spark could not read the file with this mapping: {cause}") from None
    finally:
        log.disabled = silent


__all__ = ["ColumnMapping", "Summary", "ingest"]
