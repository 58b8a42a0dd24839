"""A row group of a stream's column is one page, whatever limit of rows the writer has by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.datagen.encoding import ARROW_PAGES, arrow_options
from streambench.datagen.tables import TABLES

ROWS = 100_000


@pytest.mark.skipif(not ARROW_PAGES, reason="this Arrow ends no page at a number of rows")
def test_pages_are_not_cut_at_a_number_of_rows(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 1 << 15, ROWS)
    column = pa.table({"ss_item_sk": values})

    def written(**more: int) -> bytes:
        options = arrow_options(TABLES["store_sales"]) | {"column_encoding": {"ss_item_sk": "DELTA_BINARY_PACKED"}}
        pq.write_table(column, tmp_path / "one.parquet", **(options | more))
        return (tmp_path / "one.parquet").read_bytes()

    assert written() == written(max_rows_per_page=ROWS)
    assert written() != written(max_rows_per_page=ROWS - 1)
