"""Dictionaries: a name's code is its rank among all names in ascending binary order, so ties by code are ties by name.

When a later table brings new names the codes of old ones move up. Ranks never change places, so a table that is
sorted by old codes is sorted by new ones: only the column is rewritten, file by file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streambench.datagen.encoding import arrow_options
from streambench.datagen.errors import DatagenError
from streambench.datagen.tables import Table
from streambench.parquet_file import arrow_name, open_parquet

FOLDER = "dictionaries"
SCHEMA = pa.schema([pa.field("code", pa.int64(), nullable=False), pa.field("name", pa.string(), nullable=False)])
_BATCH_ROWS = 65_536


def write_dictionary(names: Iterable[pa.Array], file: Path) -> int:
    """Number names, which come in ascending order, and write them; returns how many. One pass in bounded memory."""
    file.parent.mkdir(parents=True, exist_ok=True)
    count, last = 0, None
    with pq.ParquetWriter(arrow_name(file), SCHEMA, compression="zstd") as writer:
        for some in names:
            for start in range(0, len(some), _BATCH_ROWS):
                texts = some.slice(start, _BATCH_ROWS)
                last = _check_ascending(texts, last)
                codes = pa.array(np.arange(count, count + len(texts)), pa.int64())
                writer.write_batch(pa.record_batch([codes, texts], schema=SCHEMA))
                count += len(texts)
    return count


def read_names(file: Path) -> pa.Array:
    """A dictionary's names by code."""
    return open_parquet(file).read(["name"])["name"].combine_chunks()


def new_codes(old: Path, new: Path) -> np.ndarray:
    """For every code of the dictionary `old`, the code of the same name in `new`, which holds at least those names."""
    places = pc.index_in(read_names(old), value_set=read_names(new))
    if places.null_count:
        raise DatagenError(f"Dictionary {new.name} has lost names of the old one: ingest the tables again.")
    codes: np.ndarray = places.to_numpy().astype(np.int64)
    return codes


def recode(table: Table, files: Sequence[Path], column: str, codes: np.ndarray, out: Path) -> None:
    """Copy a table's files into `out`, with every value `v` of `column` replaced by `codes[v]`; nulls stay."""
    out.mkdir(parents=True, exist_ok=True)
    lookup = pa.array(codes, pa.int64())
    options = arrow_options(table)
    most_rows = options.pop("row_group_size")
    for file in files:
        with open_parquet(file) as opened:
            schema = opened.schema_arrow
            place = schema.get_field_index(column)
            with pq.ParquetWriter(arrow_name(out / file.name), schema, **options) as writer:
                for group in range(opened.num_row_groups):
                    rows = opened.read_row_group(group)
                    values = pc.take(lookup, rows.column(place)).cast(schema.field(place).type)
                    writer.write_table(rows.set_column(place, schema.field(place), values), row_group_size=most_rows)


def _check_ascending(texts: pa.Array, last: pa.Scalar | None) -> pa.Scalar | None:
    """Codes are ranks only if the engine's order is the binary order: better refused than silently wrong."""
    if not len(texts):
        return last
    raw = texts.cast(pa.binary())
    rises = len(raw) == 1 or pc.all(pc.less(raw[:-1], raw[1:])).as_py()
    if not rises or (last is not None and last.as_py() >= raw[0].as_py()):
        raise DatagenError("The names did not come out of the sort in ascending order: please report this.")
    return raw[-1]
