"""The check that a fact table's files hold it in replay order, remembered so that it is made once."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from streambench import atomic_file
from streambench.data.catalog import Catalog, TableFiles
from streambench.data.lexicographic import first_descent
from streambench.data.loader import REPLAY_ORDER, Progress, located_batches
from streambench.errors import DataError

STAMP_SCHEMA = 1


def check(catalog: Catalog, table: str, progress: Progress | None = None) -> None:
    """Raise DataError, naming file and row (counted from 0 in the file), if the table breaks the replay order.

    Of a table in buckets each file is in an order of its own. One pass over the order's columns in bounded memory. A
    table that passed is not read again while its files keep their names, sizes and modification times: the directory
    keeps a small stamp, unless it is read-only.
    """
    files = catalog.table(table)
    stamp = catalog.path / f".replay-order-{table}.json"
    state = _state(files)
    if _read_stamp(stamp) == state:
        return
    order = REPLAY_ORDER[table]
    last: tuple[int, ...] | None = None
    done = 0
    file, bucketed = files.files[0], catalog.bucketed(table)
    for batch in located_batches(files, order):
        if bucketed and batch.file != file:
            file, last = batch.file, None
        row = first_descent(batch.columns, last)
        if row is not None:
            raise DataError(
                f"Table {table} is not in replay order: row {batch.first_row + row} of {batch.file} comes before the "
                f"row ahead of it by ({', '.join(order)}); run with --sort, or bring it in with `streambench ingest`."
            )
        last = tuple(int(column[-1]) for column in batch.columns)
        done += len(batch.columns[0])
        if progress is not None:
            progress(done, files.rows)
    with contextlib.suppress(OSError):  # read-only or full: the check is merely made again next time
        atomic_file.replace(stamp, json.dumps(state).encode())


def _state(files: TableFiles) -> dict[str, Any]:
    facts = [(file.name, file.stat()) for file in files.files]
    return {"schema": STAMP_SCHEMA, "files": [[name, stat.st_size, stat.st_mtime_ns] for name, stat in facts]}


def _read_stamp(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
