"""Ingest by Spark: for files that do not fit in memory, on this machine or a cluster."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from streambench.datagen.environment import WORKERS_PYTHON
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.keys import KeyColumn
from streambench.datagen.ingest.measure import Measured, Twins
from streambench.datagen.ingest.numbers import ARROW
from streambench.datagen.ingest.rows import PLACE, Binding, name_of
from streambench.datagen.ingest.source import Piece
from streambench.datagen.problems import require_seen, root_cause
from streambench.datagen.progress import Progress, watched
from streambench.datagen.replay import write_all, write_in_replay_order
from streambench.datagen.spark import for_reading, require_names, running, versions
from streambench.parquet_file import open_parquet

_BATCH_ROWS = 65_536
_DDL = {arrow: kind for kind, arrow in ARROW.items()}


class OnSpark:
    """The engine whose tasks each read a piece of the files."""

    def __init__(self, spark: SparkSession, binding: Binding, scratch: Path, progress: Progress | None = None) -> None:
        """`scratch` is a folder, not there yet at first, for names that are sorted before they are numbered."""
        require_names(spark.sparkContext, scratch)
        files = tuple(file.resolve() for file in binding.source.files)  # an executor works in another folder
        binding = replace(binding, source=replace(binding.source, files=files))
        self._spark, self._binding, self._scratch, self._progress = spark, binding, scratch, progress
        self._pieces = binding.source.pieces()
        self._coded: frozenset[str] = frozenset()
        self._frame: DataFrame | None = None
        spark.conf.set("spark.sql.shuffle.partitions", str(max(1, len(self._pieces))))
        if WORKERS_PYTHON not in os.environ:
            spark.sparkContext.pythonExec = sys.executable  # whose packages are those of this process

    def versions(self) -> dict[str, str]:
        """For the manifest."""
        return versions()

    def measure(self) -> Measured:
        """Read all rows; only what is counted comes back."""
        binding, pieces, context = self._binding, self._pieces, self._spark.sparkContext
        if not pieces:
            return Measured()
        with watched(context, "reading", len(pieces), self._progress):
            numbers = context.parallelize(range(len(pieces)), len(pieces))
            parts = numbers.map(lambda number: _measured(binding, pieces[number])).collect()
        measured = Measured()
        for part in parts:
            if isinstance(part, DatagenError):
                raise part
            measured.add(part)
        return measured

    def keep(self, coded: Collection[str]) -> None:
        """From now on only the rows that are usable if these keys get a dictionary; each use reads them again."""
        binding, pieces, bits = self._binding, self._pieces, self._binding.bits(coded)

        def read(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in numbers:
                for number in batch.column(0).to_pylist():
                    for judged in binding.judged(pieces[number]):
                        yield judged.kept(bits)

        schema = ", ".join(f"{field.name} {_DDL.get(field.type, 'int')}" for field in binding.schema)
        self._coded = frozenset(coded)
        self._frame = self._spark.range(0, len(pieces), 1, len(pieces)).mapInArrow(read, schema)

    def without_twins(self, key: KeyColumn) -> Twins:
        """Keep the first row of each value of the key."""
        name = F.col(name_of(key.target))
        repeated = self._rows.groupBy(name.alias("name")).agg(F.count(F.lit(1)).alias("rows")).where("rows > 1")
        counts = repeated.agg(
            F.count(F.lit(1)).alias("names"), F.min("name").alias("first"), F.sum(F.col("rows") - 1).alias("twins")
        ).first()
        assert counts is not None
        if counts["names"]:
            rank = F.row_number().over(Window.partitionBy(name).orderBy(*PLACE))
            self._frame = self._rows.withColumn("__sb_rank", rank).where("__sb_rank = 1").drop("__sb_rank")
        return Twins(int(counts["names"]), str(counts["first"] or ""), int(counts["twins"] or 0))

    def names(self, key: KeyColumn, old: Path | None) -> Iterator[pa.Array]:
        """The names of a key, those of the dictionary `old` too, each once in ascending order of their bytes."""
        names = self._rows.select(F.col(name_of(key.target)).alias("name"))
        if old is not None:
            names = names.union(self._dictionary(old).select("name"))
        sorted_names = self._scratch / f"{key.shared}.sorting"
        distinct = names.where(F.col("name").isNotNull()).distinct()
        with watched(
            self._spark.sparkContext, f"dictionary of {key.shared}", 3 * len(self._pieces) + 1, self._progress
        ):
            parts = write_all(distinct.orderBy("name"), sorted_names, f"names of {key.shared}")
        for part in parts:
            with open_parquet(part) as opened:
                for batch in opened.iter_batches(_BATCH_ROWS):
                    yield batch.column(0).cast(pa.string())
        shutil.rmtree(sorted_names)

    def write(self, staging: Path, dictionaries: Mapping[str, Path], files: int) -> None:
        """Write the table's files in replay order."""
        frame, layout = self._rows, self._binding.layout
        for column, file in dictionaries.items():
            names = self._dictionary(file).select(F.col("code").alias("__sb_code"), F.col("name").alias("__sb_name"))
            joined = frame.join(names, F.col(name_of(column)) == F.col("__sb_name"), "left")
            frame = joined.withColumn(column, F.col("__sb_code")).drop("__sb_code", "__sb_name")

        def complete(frame: DataFrame) -> DataFrame:
            if "i_category_id" in dictionaries and "i_category" not in frame.columns:
                frame = frame.withColumn("i_category", F.col(name_of("i_category_id")))
            missing = [name for name in layout.names if name not in frame.columns]
            return frame.select("*", *(F.lit(None).alias(name) for name in missing))

        tasks = 2 * len(self._pieces) + files
        with watched(self._spark.sparkContext, "sorting and writing", tasks, self._progress):
            write_in_replay_order(frame, layout.name, staging, files, ties=PLACE, complete=complete)

    @property
    def _rows(self) -> DataFrame:
        assert self._frame is not None
        return self._frame

    def _dictionary(self, file: Path) -> DataFrame:
        return self._spark.read.parquet(for_reading(file)).select("code", "name")


@contextmanager
def on_spark(master: str, binding: Binding, scratch: Path, progress: Progress | None) -> Iterator[OnSpark]:
    """The engine with a Spark for it; Spark's own errors in one sentence, without Java's stack."""
    log = PySparkLogger.getLogger("SQLQueryContextLogger")  # its class, too: PySpark relies on who asks first
    with running(master, "streambench data ingest") as spark:
        silent, log.disabled = log.disabled, True  # it would print what is told below, and Java's stack
        try:
            yield OnSpark(spark, binding, scratch, progress)
        except (PySparkException, Py4JJavaError) as problem:
            cause = root_cause(str(problem)).partition("SQLSTATE")[0].strip()
            raise DatagenError(f"Spark could not ingest the file: {cause}") from None
        finally:
            log.disabled = silent


def _measured(binding: Binding, piece: Piece) -> Measured | DatagenError:
    """What is known of a piece; an error is returned, since Spark would wrap it in a stack of Java's."""
    measured = Measured()
    try:
        require_seen(binding.source.files[piece.file])
        for judged in binding.judged(piece):
            measured.add(Measured.of(judged, binding))
    except DatagenError as problem:
        return problem
    return measured
