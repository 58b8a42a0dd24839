"""Deals a stream out to buckets by key, in one pass that keeps the order."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from streambench.datagen.buckets import KEYS
from streambench.datagen.encoding import ROW_GROUP_ROWS, arrow_options
from streambench.datagen.tables import TABLES
from streambench.parquet_file import arrow_name, open_parquet, read_schema

_SCRATCH = "_dealing"
_HELD_ROWS = 1 << 21  # of all buckets together, before they are written
_LEAST_GROUP = 1 << 13


def deal(out: Path, table: str, files: Sequence[str], number: int) -> list[str]:
    """Put the rows of a table, whose ``files`` hold them in replay order, into ``number`` files instead, by key.

    Rows without a key are dealt out evenly. Returns the files' names, relative to ``out``, by bucket; one may hold no
    rows.
    """
    scratch = out / table / _SCRATCH
    scratch.mkdir()
    places = [scratch / f"part-{bucket:05d}.parquet" for bucket in range(number)]
    schema = read_schema(out / files[0])
    options = {name: value for name, value in arrow_options(TABLES[table]).items() if name != "row_group_size"}
    group = max(_LEAST_GROUP, min(ROW_GROUP_ROWS, _HELD_ROWS // number))
    with ExitStack() as opened:
        writers = [opened.enter_context(pq.ParquetWriter(arrow_name(place), schema, **options)) for place in places]
        held: list[list[pa.Table]] = [[] for _ in places]

        def write(bucket: int) -> None:
            rows, held[bucket] = pa.concat_tables([schema.empty_table(), *held[bucket]]), []
            writers[bucket].write_table(rows, row_group_size=group)

        for rows, buckets in _dealt(out, table, files, number):
            by_bucket = rows.take(np.argsort(buckets, kind="stable"))
            ends = np.cumsum(np.bincount(buckets, minlength=number)).tolist()
            for bucket, (begin, end) in enumerate(pairwise([0, *ends])):
                held[bucket].append(by_bucket.slice(begin, end - begin))
                if sum(each.num_rows for each in held[bucket]) >= group:
                    write(bucket)
        for bucket in range(number):
            if held[bucket]:
                write(bucket)
    for file in files:
        (out / file).unlink()
    for place in places:
        place.replace(out / table / place.name)
    shutil.rmtree(scratch)
    return [f"{table}/{place.name}" for place in places]


def _dealt(
    out: Path, table: str, files: Sequence[str], number: int
) -> Iterator[tuple[pa.Table, npt.NDArray[np.int16]]]:
    """The rows, in order, with their buckets."""
    row = 0
    for file in files:
        with open_parquet(out / file) as opened:
            for group in range(opened.num_row_groups):
                rows = opened.read_row_group(group)
                yield rows, _buckets(rows.column(KEYS[table]), row, number)
                row += rows.num_rows


def _buckets(keys: Any, row: int, number: int) -> npt.NDArray[np.int16]:
    whole = keys.combine_chunks().cast(pa.int64())
    places = np.arange(row, row + len(whole))
    chosen = np.where(whole.is_null().to_numpy(zero_copy_only=False), places, whole.fill_null(0).to_numpy())
    buckets: npt.NDArray[np.int16] = (chosen % number).astype(np.int16)  # which a radix sort can take
    return buckets
