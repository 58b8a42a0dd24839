"""Write a table as Parquet files whose name order is its replay order."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, Observation, functions

from streambench.datagen.encoding import spark_options
from streambench.datagen.errors import DatagenError
from streambench.datagen.spark import for_writing
from streambench.datagen.tables import TABLES
from streambench.parquet_file import read_metadata

_SCRATCH = "_writing"


def write_in_replay_order(
    df: DataFrame,
    table: str,
    out: Path | str,
    partitions: int,
    *,
    ties: Sequence[str] | None = None,
    complete: Callable[[DataFrame], DataFrame] | None = None,
) -> list[str]:
    """Sort `df` by the replay order of `table` and write it as `out/<table>/part-00000.parquet` and so on.

    The order is total over all files, with nulls first. `ties` names columns of `df` (they need not belong to
    the table, and are then not written) that order rows which the replay order leaves equal; by default the table's
    other columns do, so that equal content always gives the same sequence, however many cores or files there are.
    `complete`, applied after the sort, may fill in columns that the order does not need, so that they are not
    shuffled; it must work row by row. At most `partitions` files are written.

    Returns the files' names relative to `out`, in replay order. Raises DatagenError as `write_all`.
    """
    layout = TABLES[table]
    scratch = Path(out) / table / _SCRATCH
    rest = [name for name in layout.names if name not in layout.order_columns] if ties is None else ties
    # A column that `df` lacks is null in every row (`complete` says so): it orders nothing.
    keys = [name for name in (*layout.order_columns, *rest) if name in df.columns and name not in layout.time_columns]
    terms = [layout.second, *keys] if layout.is_stream else keys
    order: list[Column] = [functions.expr(term).asc_nulls_first() for term in terms]
    ordered = df.repartitionByRange(partitions, *order) if partitions > 1 else df.coalesce(1)
    ordered = ordered.sortWithinPartitions(*order)
    if complete is not None:
        ordered = complete(ordered)
    typed = ordered.select(*(functions.col(name).cast(kind).alias(name) for name, kind in layout.columns))
    write_all(typed, scratch, f"rows of {table}", **spark_options(layout))
    return [f"{table}/{file.name}" for file in _move_into_place(scratch)]


def write_all(df: DataFrame, folder: Path, what: str, **options: str) -> list[Path]:
    """Have Spark write Parquet files to `folder`; returns them by name, which is the order of the partitions.

    Raises DatagenError where not all rows arrived: executors that do not see the folder write to one of their own.
    """
    seen = Observation()
    (
        df.observe(seen, functions.count(functions.lit(1)).alias("rows"))
        .write.mode("overwrite")
        .options(**options)
        .parquet(for_writing(folder))
    )
    files = sorted(folder.glob("part-*.parquet"))
    arrived = sum(read_metadata(file).num_rows for file in files)
    if arrived != seen.get["rows"]:
        raise DatagenError(
            f"Spark wrote {seen.get['rows']} {what} but only {arrived} arrived, as an executor does not see "
            f"{folder.parent}: choose a folder that the driver and all executors share, under the same path."
        )
    return files


def _move_into_place(scratch: Path) -> list[Path]:
    """Spark names files by partition, so that their name order is the sorted order; give them plain names."""
    placed = []
    for number, file in enumerate(sorted(scratch.glob("part-*.parquet"))):
        target = scratch.parent / f"part-{number:05d}.parquet"
        file.replace(target)
        placed.append(target)
    shutil.rmtree(scratch, ignore_errors=True)
    return placed
