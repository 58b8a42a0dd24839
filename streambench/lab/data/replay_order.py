"""The check that a fact table's files hold it in replay order, remembered so that it is made once."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from streambench.errors import DataError
from streambench.lab import atomic_file
from streambench.lab.data.catalog import Catalog, TableFiles
from streambench.lab.data.lexicographic import first_descent
from streambench.lab.data.loader import REPLAY_ORDER, Progress, located_batches

STAMP_SCHEMA = 2
TICKET = "ss_ticket_number"


@dataclass(frozen=True)
class FileOrder:
    """What was seen of a file that is in replay order: its ``first`` row and its ``last``, in the order's columns (None
    of an empty one), and whether its tickets never decrease (True where it has none).
    """

    file: Path
    first: tuple[int, ...] | None
    last: tuple[int, ...] | None
    tickets_ascend: bool


LookAt = Callable[[TableFiles], Iterable[FileOrder]]
"""Looks at the files of a table, as ``look`` does, and gives what it saw in their order."""


def check(catalog: Catalog, table: str, progress: Progress | None = None, look_at: LookAt | None = None) -> bool:
    """Whether ticket numbers never decrease along the table; of one in buckets, in each of its files.

    Raises DataError, naming file and row (counted from 0 in the file), if the table breaks the replay order. Of a table
    in buckets each file is in an order of its own. One pass over the order's columns in bounded memory. A table that
    passed is not read again while its files keep their names, sizes and modification times: the directory keeps a small
    stamp, unless it is read-only. ``look_at``: who reads the files, this process if it is None.
    """
    files = catalog.table(table)
    stamp = catalog.path / f".replay-order-{table}.json"
    state = _state(files)
    stamped = _read_stamp(stamp)
    for known in (True, False):
        if stamped == {**state, "tickets_ascend": known}:
            return known
    ascend = _joined(table, catalog.bucketed(table), (look_at or partial(_one_by_one, progress=progress))(files))
    with contextlib.suppress(OSError):  # read-only or full: the check is merely made again next time
        atomic_file.replace(stamp, json.dumps({**state, "tickets_ascend": ascend}).encode())
    return ascend


def look(files: TableFiles, file: Path, done: Callable[[int], None] = lambda rows: None) -> FileOrder:
    """Look at one of the files: ``done`` is told the rows of each batch. Raises DataError as ``check``."""
    order = REPLAY_ORDER[files.name]
    ticket = order.index(TICKET) if TICKET in order else None
    first = last = None
    ascend = True
    for batch in located_batches(replace(files, files=(file,)), order):
        row = first_descent(batch.columns, last)
        if row is not None:
            raise _out_of_order(files.name, file, batch.first_row + row)
        if ticket is not None:
            tickets = batch.columns[ticket]
            ascend = ascend and (last is None or int(tickets[0]) >= last[ticket])
            ascend = ascend and not bool((tickets[1:] < tickets[:-1]).any())
        first = first or tuple(int(column[0]) for column in batch.columns)
        last = tuple(int(column[-1]) for column in batch.columns)
        done(len(batch.columns[0]))
    return FileOrder(file, first, last, ascend)


def _one_by_one(files: TableFiles, progress: Progress | None) -> Iterator[FileOrder]:
    read = 0

    def done(rows: int) -> None:
        nonlocal read
        read += rows
        if progress is not None:
            progress(read, files.rows)

    return (look(files, file, done) for file in files.files)


def _joined(table: str, bucketed: bool, seen: Iterable[FileOrder]) -> bool:
    """Whether tickets ascend, of all files together. Raises DataError where one begins before another's end."""
    ticket = REPLAY_ORDER[table].index(TICKET) if TICKET in REPLAY_ORDER[table] else None
    last: tuple[int, ...] | None = None
    ascend = True
    for each in seen:
        ascend = ascend and each.tickets_ascend
        if each.first is not None and last is not None and not bucketed:
            if each.first < last:
                raise _out_of_order(table, each.file, 0)
            ascend = ascend and (ticket is None or each.first[ticket] >= last[ticket])
        last = each.last or last
    return ascend


def _out_of_order(table: str, file: Path, row: int) -> DataError:
    return DataError(
        f"Table {table} is not in replay order: row {row} of {file} comes before the row ahead of it by "
        f"({', '.join(REPLAY_ORDER[table])}); run with --sort, or bring it in with `streambench data ingest`."
    )


def _state(files: TableFiles) -> dict[str, Any]:
    facts = [(file.name, file.stat()) for file in files.files]
    return {"schema": STAMP_SCHEMA, "files": [[name, stat.st_size, stat.st_mtime_ns] for name, stat in facts]}


def _read_stamp(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
