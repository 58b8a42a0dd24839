"""How tables are written as Parquet: streams so that they are fast to read (measured: docs/decisions.md)."""

from __future__ import annotations

import inspect
from typing import Any

import pyarrow.parquet as pq

from streambench.datagen.tables import Table

ROW_GROUP_ROWS = 262_144
# Pages as large as row groups, where writers would end them at 20,000 rows; older Arrows have no such limit.
ARROW_PAGES = {"max_rows_per_page": ROW_GROUP_ROWS}
if "max_rows_per_page" not in inspect.signature(pq.write_table).parameters:
    ARROW_PAGES = {}


def spark_options(table: Table) -> dict[str, str]:
    """Options of Spark's Parquet writer."""
    options = {"parquet.block.row.count.limit": str(ROW_GROUP_ROWS)}
    if table.is_stream:  # version 2 without dictionaries writes integers, and decimals of few digits, as differences
        options |= {
            "parquet.writer.version": "v2",
            "parquet.enable.dictionary": "false",
            "compression": "lz4_raw",
            "parquet.page.row.count.limit": str(ROW_GROUP_ROWS),
        }
    return options


def arrow_options(table: Table) -> dict[str, Any]:
    """Arguments of ``pyarrow.parquet.write_table``: the same encodings."""
    options: dict[str, Any] = {"row_group_size": ROW_GROUP_ROWS, "compression": "zstd"}
    if table.is_stream:  # of integers and decimals throughout
        options |= {
            "compression": "lz4",
            "use_dictionary": False,
            "column_encoding": dict.fromkeys(table.names, "DELTA_BINARY_PACKED"),
            "store_decimal_as_integer": True,
            **ARROW_PAGES,
        }
    return options
