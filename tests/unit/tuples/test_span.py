"""A span is a number in the unit of a column of times, or says a unit of which it is a whole number."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from streambench.pyx.tuples.span import has_unit, require_span, span_in, unit_of

FIVE = ("5min", "300s", " 300000ms", np.timedelta64(5, "m"), np.timedelta64(300, "s"), datetime.timedelta(minutes=5))


@pytest.mark.parametrize("span", [*FIVE, np.timedelta64(20, ("s", 15)), pd.Timedelta(5, "min")], ids=repr)
@pytest.mark.parametrize(
    ("type", "units"),
    [
        (pa.timestamp("s"), 300),
        (pa.timestamp("us", "UTC"), 300_000_000),
        (pa.duration("ns"), 300 * 10**9),
        (pa.time32("ms"), 300_000),
        (pa.date64(), 300_000),
    ],
    ids=str,
)
def test_a_span_is_counted_in_the_columns_own_unit(span: Any, type: pa.DataType, units: int) -> None:
    assert span_in(unit_of(type), span, "window") == units
    assert has_unit(span)


@pytest.mark.parametrize("span", [300, np.int32(300), np.uint64(300), "300"], ids=repr)
def test_a_plain_number_is_in_the_columns_unit_whatever_it_is(span: Any) -> None:
    assert [span_in(unit_of(type), span, "window") for type in (pa.int32(), pa.timestamp("ns"), pa.date32())] == [
        300
    ] * 3
    assert not has_unit(span)


@pytest.mark.parametrize(
    ("span", "days"), [("48h", 2), ("2d", 2), (np.timedelta64(1, "W"), 7), (datetime.timedelta(0), 0)], ids=repr
)
def test_a_date_counts_days(span: Any, days: int) -> None:
    assert span_in(unit_of(pa.date32()), span, "window") == days


@pytest.mark.parametrize("span", [np.timedelta64(5, "ns"), pd.Timedelta(5, "ns"), "5ns"], ids=repr)
def test_no_nanosecond_is_lost(span: Any) -> None:
    assert span_in("ns", span, "window") == 5
    with pytest.raises(ValueError, match="is no whole number of us, the unit of the column"):
        span_in("us", span, "window")


@pytest.mark.parametrize(
    ("type", "span", "sentence"),
    [
        (pa.int64(), "5min", "window is 5min, but the column counts in no unit of time: give a plain number"),
        (pa.int64(), np.timedelta64(5, "m"), "window is 5 minutes, but the column counts in no unit of time: give a"),
        (pa.timestamp("s"), "1500ms", "window is 1500ms, which is no whole number of s, the unit of the column"),
        (pa.timestamp("s"), datetime.timedelta(milliseconds=1500), "window is 0:00:01.500000, which is no whole"),
        (pa.date32(), "36h", "window is 36h, which is no whole number of d"),
        (pa.timestamp("s"), "-5s", "window must be a whole number from 0 to"),
        (pa.timestamp("s"), np.timedelta64(-5, "s"), "window must be a whole number from 0 to .* s, not -5 seconds"),
        (pa.timestamp("ns"), np.timedelta64(300 * 365, "D"), "window must be .* 2.*63 - 1 ns, not 109500 days"),
        (pa.timestamp("s"), -1, "window must be a whole number from 0 to 2.*63 - 1, not -1"),
    ],
    ids=str,
)
def test_a_span_that_is_no_whole_number_of_the_unit_is_refused(type: pa.DataType, span: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        span_in(unit_of(type), span, "window")


NONE = ("", "min", "5 minutes", "1.5s", "5m", 1.5, True, None, np.timedelta64(5), np.timedelta64(1, "M"), [5])


@pytest.mark.parametrize("span", [*NONE, np.timedelta64("NaT", "s"), pd.NaT], ids=repr)
def test_what_is_no_span_in_any_unit_is_refused(span: Any) -> None:
    with pytest.raises(ValueError, match=r"window must be a whole number from 0 to .* or a span of time such as 5min"):
        require_span(span, "window")
