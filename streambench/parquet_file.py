"""Parquet files as every reader opens them: a page that has a checksum is compared with it, so that damage is told.

The ground, like `atomic_file`: every room may use it, datagen too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def open_parquet(file: Path, **options: Any) -> pq.ParquetFile:
    """The file, opened; ``options`` are those of ``pyarrow.parquet.ParquetFile``. Raises what Arrow raises."""
    return pq.ParquetFile(file, page_checksum_verification=True, **options)


def checked_format() -> Any:
    """The same for a ``pyarrow.dataset``."""
    import pyarrow.dataset as ds  # it imports pandas: only for those who need it

    return ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
