"""A span is a number in the time column's unit, or a duration that is a whole number of it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from streambench.cli.span import NANOSECONDS, Span
from streambench.errors import OptionError


@pytest.mark.parametrize(
    ("span", "type", "units"),
    [
        (Span("--window", 300), pa.int32(), 300),
        (Span("--window", 300), pa.timestamp("ns"), 300),
        (Span("--window", 5, "min"), pa.timestamp("s"), 300),
        (Span("--window", 5, "min"), pa.timestamp("us", "UTC"), 300_000_000),
        (Span("--window", 3000, "ms"), pa.duration("s"), 3),
        (Span("--window", 1, "h"), pa.time64("ns"), 3600 * 10**9),
        (Span("--window", 48, "h"), pa.date32(), 2),
        (Span("--window", 2, "d"), pa.date64(), 2 * 86_400_000),
    ],
)
def test_a_span_is_counted_in_the_time_columns_unit(span: Span, type: pa.DataType, units: int) -> None:
    assert span.of(type) == units


@pytest.mark.parametrize(
    ("span", "type", "sentence"),
    [
        (Span("--window", 5, "min"), pa.int64(), "--window 5min: the time column holds int64, whose unit is not known"),
        (
            Span("--slack", 1500, "ms"),
            pa.timestamp("s"),
            "--slack 1500ms is no whole number of s, the unit of the time",
        ),
        (Span("--window", 36, "h"), pa.date32(), "--window 36h is no whole number of d"),
    ],
)
def test_what_is_no_whole_number_of_it_is_refused(span: Span, type: pa.DataType, sentence: str) -> None:
    with pytest.raises(OptionError) as refused:
        span.of(type)
    assert str(refused.value).startswith(sentence)


def test_a_day_is_as_long_as_its_parts() -> None:
    assert NANOSECONDS["d"] == 24 * NANOSECONDS["h"] == 1440 * NANOSECONDS["min"] == 86_400_000 * NANOSECONDS["ms"]
