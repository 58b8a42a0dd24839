"""Parquet files as every reader opens them: a page that has a checksum is compared with it, so that damage is told.

The ground, like `atomic_file`: every room may use it, datagen too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def open_parquet(file: Path, **options: Any) -> pq.ParquetFile:
    """The file, opened; ``options`` are those of ``pyarrow.parquet.ParquetFile``. Raises what Arrow raises."""
    return pq.ParquetFile(arrow_name(file), page_checksum_verification=True, **options)


def read_metadata(file: Path) -> pq.FileMetaData:
    """What the file says of its row groups. Raises what Arrow raises."""
    return pq.read_metadata(arrow_name(file))


def read_schema(file: Path) -> pa.Schema:
    """Its columns. Raises what Arrow raises."""
    return pq.read_schema(arrow_name(file))


def arrow_name(file: Path) -> str:
    """The file for Arrow, which takes a name that begins with ~ for one at home, and a colon for an address's."""
    return os.path.join(".", file)  # noqa: PTH118 - a Path has no leading dot


def checked_format() -> Any:
    """Parquet of a ``pyarrow.dataset``, its pages compared with their checksums, too."""
    import pyarrow.dataset as ds  # it imports pandas: only for those who need it

    return ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
