"""Arrow's int64 columns as NumPy arrays are what Arrow's own conversion gives."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.data.columns import int64_values

VALUES = st.lists(st.none() | st.integers(-(1 << 63), (1 << 63) - 1), max_size=20)


@given(VALUES, st.integers(0, 20), st.integers(0, 20))
def test_values_are_those_of_arrow_wherever_the_array_begins(values: list[int | None], begin: int, length: int) -> None:
    array = pa.array(values, pa.int64()).slice(begin, length)
    assert int64_values(array, -7).tolist() == array.fill_null(-7).to_pylist()
