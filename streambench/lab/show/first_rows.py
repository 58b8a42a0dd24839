"""The first rows of a table, on a terminal."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table

SHOWN_ROWS = 10


def print_rows(console: Console, what: str, rows: int, first: pa.Table) -> None:
    """Print how many ``rows`` there are of ``what``, and ``first``, the first ones of them."""
    count = "1 row" if rows == 1 else f"{rows:,} rows"
    table = Table()
    for name in first.column_names:
        table.add_column(escape(name), justify="left" if first.schema.field(name).type == "string" else "right")
    for row in zip(*map(_values, first.columns), strict=True):
        table.add_row(*map(_cell, row))
    console.print(f"\n{what}: {count}" + (f", the first {len(first)}" if rows > len(first) else ""))
    console.print(table)


def _values(column: pa.ChunkedArray) -> list[Any]:
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError, LookupError):  # times and zones that Python has no object for
        pass
    try:
        return list(column.cast(pa.string()).to_pylist())
    except pa.ArrowException:
        return [f"({column.type})"] * len(column)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.9g}" if isinstance(value, float) else escape(str(value))
