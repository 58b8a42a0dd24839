"""What SQL has answered, kept in the data directory and used again while what it was computed from stays the same.

Answers that a data directory carries (`oracle.carry`) are valid on any machine, also where DuckDB is not installed.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from streambench.lab import atomic_file
from streambench.lab.answers import sql
from streambench.lab.data.catalog import Catalog, TableFiles

CACHE = ".oracle"
CARRIED = "answers"
SEAL = b"streambench.seal"


def kept(
    catalog: Catalog,
    name: str,
    made_from: Sequence[object],
    tables: Sequence[TableFiles],
    compute: Callable[[], pa.Table],
) -> pa.Table:
    """The table called ``name``: carried by the directory, from its cache, or computed and, unless the directory is
    read-only, kept there.

    A kept table is used again while ``made_from`` (plain values: SQL, parameters), the files of ``tables`` and DuckDB's
    version stay the same, and only if it is what was kept: its seal, a hash of all its values, is computed anew.
    """
    file = catalog.path / CARRIED / f"{name}.parquet"
    if file.exists() and (table := _read(file, _content(made_from, tables))) is not None:
        return table
    state = _state(made_from, tables)
    file = catalog.path / CACHE / f"{name}-{state}.parquet"
    table = _read(file, state)
    if table is None:
        table = compute()
        _write(file, table, state)
    return table


def carry(
    catalog: Catalog, name: str, made_from: Sequence[object], tables: Sequence[TableFiles], table: pa.Table
) -> None:
    """Let the data directory carry the table: it is valid for ``made_from`` and for files of the same content.

    Raises OSError where it cannot be written.
    """
    file = catalog.path / CARRIED / f"{name}.parquet"
    file.parent.mkdir(exist_ok=True)
    _write_sealed(file, table, _content(made_from, tables))


def _content(made_from: Sequence[object], tables: Sequence[TableFiles]) -> str:
    files = [
        [table.name, file.name, _sha256(file, file.stat().st_mtime_ns)] for table in tables for file in table.files
    ]
    return hashlib.sha256(json.dumps([files, list(made_from)], sort_keys=True).encode()).hexdigest()


@functools.lru_cache(maxsize=256)
def _sha256(file: Path, changed: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _state(made_from: Sequence[object], tables: Sequence[TableFiles]) -> str:
    duckdb = sql.database()
    stats = [(table.name, file.name, file.stat()) for table in tables for file in table.files]
    files = [[table, name, stat.st_size, stat.st_mtime_ns] for table, name, stat in stats]
    text = json.dumps([files, list(made_from), duckdb.__version__], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _seal(table: pa.Table, state: str) -> bytes:
    """A hash of the table's values, names and types, and of what they were computed from; not of how it is laid out."""
    seal = hashlib.sha256(state.encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        seal.update(json.dumps([name, str(column.type), len(column)]).encode())
        seal.update(column.is_null().to_numpy().tobytes())
        if pa.types.is_string(column.type):
            seal.update(json.dumps(column.to_pylist()).encode())
        else:
            seal.update(column.fill_null(0).to_numpy().tobytes())
    return seal.hexdigest().encode()


def _read(file: Path, state: str) -> pa.Table | None:
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException):
        return None
    sealed = (table.schema.metadata or {}).get(SEAL)
    table = table.replace_schema_metadata(None)
    return table if sealed == _seal(table, state) else None


def _write_sealed(file: Path, table: pa.Table, state: str) -> None:
    sealed = table.replace_schema_metadata({SEAL: _seal(table, state)})
    atomic_file.replace(file, lambda to: pq.write_table(sealed, to, compression="zstd"))


def _write(file: Path, table: pa.Table, state: str) -> None:
    try:
        file.parent.mkdir(exist_ok=True)
        _write_sealed(file, table, state)
        name = file.name.rsplit("-", 1)[0]
        for stale in file.parent.glob(f"{name}-*.parquet"):
            if stale != file and stale.name.rsplit("-", 1)[0] == name:
                stale.unlink()
    except (OSError, pa.ArrowException):  # read-only or full: the table is merely computed again next time
        return
