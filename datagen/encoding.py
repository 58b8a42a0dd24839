"""How tables are written as Parquet: streams so that they are fast to read (measured: docs/decisions.md)."""

from __future__ import annotations

from typing import Any

from streambench.datagen.tables import Table

ROW_GROUP_ROWS = 262_144


def spark_options(table: Table) -> dict[str, str]:
    """Options of Spark's Parquet writer."""
    options = {"parquet.block.row.count.limit": str(ROW_GROUP_ROWS)}
    if table.is_stream:  # version 2 without dictionaries writes integers, and decimals of few digits, as differences
        options |= {
            "parquet.writer.version": "v2",
            "parquet.enable.dictionary": "false",
            "compression": "lz4_raw",
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
        }
    return options
