"""Stage a table: dictionaries first, then the rows with their codes, sorted into replay order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from streambench.datagen.ingest_dictionary import FOLDER, names_of, new_codes, recode, write_dictionary
from streambench.datagen.ingest_keys import KeyColumn
from streambench.datagen.ingest_rows import Judged
from streambench.datagen.ingest_source import PLACE
from streambench.datagen.ingest_target import Target
from streambench.datagen.replay import write_in_replay_order
from streambench.datagen.tables import SECONDS_PER_DAY, TABLES


def stage_dictionary(spark: SparkSession, usable: DataFrame, key: KeyColumn, target: Target) -> int:
    """Stage a key's dictionary: this file's names and those that are there; returns how many.

    Where that moves the codes of tables that stay, these are staged with their new codes.
    """
    staged = target.staging / FOLDER / f"{key.shared}.parquet"
    names, old = usable.select(key.name.alias("name")), target.dictionary(key.shared)
    if old is not None:
        names = names.union(names_of(spark, old).select("name"))
    size = write_dictionary(names, staged)
    if old is not None:
        codes = new_codes(old, staged)
        if len(codes) != size:
            for table, (column, _) in target.users_of(key.shared).items():
                _recode_table(target, table, column, codes)
    return size


def stage_table(
    spark: SparkSession, judged: Judged, usable: DataFrame, coded: Collection[str], target: Target, partitions: int
) -> None:
    """Stage the table itself; the dictionaries of the `coded` columns are staged already."""
    computed = _computed(judged)
    frame = usable.select(*PLACE, *(column.alias(name) for name, column in computed.items()))
    for key in judged.keys:
        if key.target in coded:
            dictionary = names_of(spark, target.staging / FOLDER / f"{key.shared}.parquet")
            frame = _encoded(frame, dictionary, key.target)
    write_in_replay_order(frame, target.table, target.staging, partitions, ties=PLACE, complete=_fill(target.table))


def _computed(judged: Judged) -> dict[str, Column]:
    """Every column of the table that the file gives; a key also has its name beside it."""
    table = TABLES[judged.mapping.table or ""]
    columns = dict(judged.values)
    if judged.ts is not None and table.date_column and table.time_column:
        columns[table.date_column] = F.call_function("div", judged.ts, F.lit(SECONDS_PER_DAY))
        columns[table.time_column] = F.pmod(judged.ts, F.lit(SECONDS_PER_DAY))
    for key in judged.keys:
        columns[key.target] = key.number
        columns[_name_of(key.target)] = key.name
    return columns


def _name_of(target: str) -> str:
    return f"__sb_name_{target}"


def _encoded(frame: DataFrame, dictionary: DataFrame, target: str) -> DataFrame:
    names = dictionary.select(F.col("code").alias("__sb_code"), F.col("name").alias("__sb_name"))
    joined = frame.join(names, F.col(_name_of(target)) == F.col("__sb_name"), "left")
    return joined.withColumn(target, F.col("__sb_code")).drop("__sb_code", "__sb_name")


def _fill(table: str) -> Callable[[DataFrame], DataFrame]:
    """Columns that the file does not give are null, but for a category's name where it came as one."""

    def fill(frame: DataFrame) -> DataFrame:
        category = _name_of("i_category_id")
        if category in frame.columns and "i_category" not in frame.columns:
            is_name = F.col(category) != F.col("i_category_id").cast("string")
            frame = frame.withColumn("i_category", F.when(is_name, F.col(category)))
        missing = [name for name in TABLES[table].names if name not in frame.columns]
        return frame.select("*", *(F.lit(None).alias(name) for name in missing))

    return fill


def _recode_table(target: Target, table: str, column: str, codes: np.ndarray) -> None:
    """Stage a table that stays with new codes; another key's new codes may have staged it before."""
    staged: list[Path] = sorted((target.staging / table).glob("part-*.parquet"))
    fresh = target.staging / f"{table}.recoding"
    recode(staged or target.files(table), column, codes, fresh)
    (target.staging / table).mkdir(exist_ok=True)
    for file in fresh.iterdir():
        file.replace(target.staging / table / file.name)
    fresh.rmdir()
