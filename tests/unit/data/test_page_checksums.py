"""A Parquet file whose pages have checksums is refused where one of its bytes is another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.data.parquet_files import ParquetFiles
from streambench.errors import DataError


def test_a_page_that_does_not_meet_its_checksum_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    table = pa.table({"ts": np.arange(1000)})
    pq.write_table(table, file, write_page_checksum=True, compression="none", use_dictionary=False)
    assert ParquetFiles(file).table(lambda rows: None).equals(table)
    written = bytearray(file.read_bytes())
    written[4000] ^= 1
    file.write_bytes(written)
    files = ParquetFiles(file)
    with pytest.raises(DataError, match=r"a\.parquet cannot be read as Parquet .*CRC"):
        files.table(lambda rows: None)
    with pytest.raises(DataError, match=r"a\.parquet cannot be read as Parquet .*CRC"):
        list(files.column(file, 0, "ts"))
