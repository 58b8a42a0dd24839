"""Does a data directory hold what its manifest says, in replay order?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.datagen.buckets import is_bucketed
from streambench.datagen.checking.report import DataReport
from streambench.datagen.content import chunks, content_hash
from streambench.datagen.tables import SECONDS_PER_DAY, TABLES, Table
from streambench.parquet_file import read_schema

Keys = list[npt.NDArray[np.int64]]
_NULL = np.iinfo(np.int64).min  # sorts before every key


def check_integrity(directory: Path, manifest: dict[str, Any], report: DataReport, done: Callable[[int], None]) -> None:
    """Add findings on files, rows, hashes and replay order of each table; `done` gets rows as they are read."""
    for name, entry in manifest["tables"].items():
        files = [directory / file for file in entry["files"]]
        present = sorted(str(file.relative_to(directory)) for file in (directory / name).glob("*.parquet"))
        report.same(f"{name}: files", ", ".join(_brief(present)), ", ".join(_brief(sorted(entry["files"]))))
        try:
            rows, digest = content_hash(files, done)
            report.same(f"{name}: rows", rows, entry["rows"])
            report.same(f"{name}: content hash", digest, entry["sha256"])
            if name in TABLES:
                _check_columns(TABLES[name], files, report)
                if TABLES[name].is_stream:
                    for part in [[file] for file in files] if is_bucketed(manifest, name) else [files]:
                        broken = first_out_of_order(TABLES[name], part, done)
                        if broken is not None:
                            break
                    where = (
                        "none" if broken is None else f"row {broken:,} of the {'table' if part == files else 'file'}"
                    )
                    report.same(f"{name}: first row out of replay order", where, "none")
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            report.fault(f"{name}: Parquet", str(error).splitlines()[0])


def first_out_of_order(table: Table, files: Sequence[Path], done: Callable[[int], None] | None = None) -> int | None:
    """Number (from 0, over all files) of the first row that belongs before its predecessor; None if there is none."""
    before: Keys | None = None
    rows = 0
    for chunk in chunks(files, table.order_columns):
        days, seconds, *others = (_plain(chunk[name]) for name in table.order_columns)
        keys = [days * SECONDS_PER_DAY + seconds, *others]
        if before is not None:
            keys = [np.concatenate((last, key)) for last, key in zip(before, keys, strict=True)]
        falls = np.flatnonzero(_falls(keys))
        if len(falls):
            return rows + int(falls[0]) + (1 if before is None else 0)
        before = [key[-1:] for key in keys]
        rows += chunk.num_rows
        if done is not None:
            done(chunk.num_rows)
    return None


def _falls(keys: Keys) -> npt.NDArray[np.bool_]:
    """For each row but the first: is it less than its predecessor, compared column by column?"""
    count = len(keys[0]) - 1
    less = np.zeros(count, dtype=np.bool_)
    equal = np.ones(count, dtype=np.bool_)
    for key in keys:
        less |= equal & (key[1:] < key[:-1])
        equal &= key[1:] == key[:-1]
    return less


def _plain(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    filled: npt.NDArray[np.int64] = column.cast(pa.int64()).fill_null(_NULL).to_numpy()
    return filled


def _check_columns(table: Table, files: Sequence[Path], report: DataReport) -> None:
    """All columns of the DDL with its kind of type; a decimal or an integer may be wider."""
    schema = read_schema(files[0]) if files else pa.schema([])
    wrong = [
        name
        for name, kind in table.columns
        if name not in schema.names or not _KINDS[kind.partition("(")[0]](schema.field(name).type)
    ]
    report.same(f"{table.name}: missing or mistyped columns", ", ".join(wrong) or "none", "none")


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "bigint": pa.types.is_integer,
    "int": pa.types.is_integer,
    "decimal": pa.types.is_decimal,
    "string": lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
}


def _brief(files: list[str]) -> list[str]:
    names = [file.rpartition("/")[2] for file in files]
    return names if len(names) < 3 else [names[0], "…", names[-1], f"({len(names)})"]
