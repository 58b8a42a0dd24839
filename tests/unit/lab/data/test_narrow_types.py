"""Streams travel in the narrowest types that all their values allow, over as many laps as are run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.data.loader import Stream
from streambench.lab.data.narrow_types import narrow_types

NAMES = ("ts", "wcs_user_sk", "wcs_item_sk", "wcs_sales_sk", "wcs_web_page_sk")


def stream(columns: list[list[int]], lap_shift: tuple[int, ...]) -> Stream:
    return Stream("web_clickstreams", NAMES, tuple(np.array(each) for each in columns), len(columns[0]), lap_shift)


def test_each_kind_of_column_has_its_narrow_type() -> None:
    names = (*NAMES, "date", "cents", "ae_event_type", "ss_store_sk")
    found = [each.name for each in narrow_types(names, [(-1, 100)] * 4 + [(-1, 100)] * 5)]
    assert found == ["int64", "int32", "int32", "int32", "int16", "int32", "int32", "int8", "int16"]
    assert narrow_types(("ts",), [(0, 2**32 - 2)])[0] == np.uint32


@pytest.mark.parametrize(("greatest", "kind"), [(2**31 - 2, "int32"), (2**31 - 1, "int64"), (2**62, "int64")])
def test_keys_have_one_type_which_fits_all_of_them(greatest: int, kind: str) -> None:
    ranges = [(0, 5), (-1, 7), (-1, greatest), (-1, 3), (-1, 3)]
    assert [each.name for each in narrow_types(NAMES, ranges)] == ["uint32", kind, kind, kind, "int16"]


@given(
    values=st.lists(st.integers(0, 2**40), min_size=1, max_size=5),
    shift=st.integers(0, 2**33),
    laps=st.sampled_from([1, 2, 10, 1000]),
)
def test_the_types_hold_what_all_laps_make_of_the_values(values: list[int], shift: int, laps: int) -> None:
    columns = [values] * 4 + [[-1] * len(values)]
    for typed, given_values in zip(stream(columns, (shift, 0, 0, shift, 0)).for_laps(laps), columns, strict=True):
        assert typed.tolist() == given_values
    shifted = stream(columns, (shift, 0, 0, shift, 0)).for_laps(laps)
    for place in (0, 3):
        assert max(values) + (laps - 1) * shift < np.iinfo(shifted[place].dtype).max
    assert shifted[1].dtype == shifted[2].dtype == shifted[3].dtype
