"""Rows of state by key. For users: see ``streambench.pyx.state.keyed_rows``."""

from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row, row_at
