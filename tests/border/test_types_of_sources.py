"""Every Arrow type over every source of several streams comes back as it went in, or is refused in one sentence.

The oracle sorts Python values of the tables; it knows neither codes nor units.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import streambench
from streambench.errors import StreambenchError
from streambench.pyx.gate_source import GateSource
from streambench.pyx.table_sink import TableSink

DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(1969, 12, 31, 23, 59, 59)
ZONE = MOMENT.replace(tzinfo=datetime.UTC)
SPAN = datetime.timedelta(days=-1, seconds=1)
HELD: list[tuple[pa.DataType, list[Any]]] = [
    *((getattr(pa, f"int{bits}")(), [-(2 ** (bits - 1)), 0, 2 ** (bits - 1) - 1]) for bits in (8, 16, 32, 64)),
    *((getattr(pa, f"uint{bits}")(), [0, 7, 2**bits - 1]) for bits in (8, 16, 32, 64)),
    (pa.float32(), [-0.5, 0.0, float("inf")]),
    (pa.float64(), [5e-324, 0.1, -float("inf")]),
    (pa.bool_(), [True, False, True]),
    (pa.binary(3), [b"abc", b"\0\0\0", b"\xff\xff\xff"]),
    (pa.date32(), [DAY, datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    (pa.date64(), [DAY, datetime.date(1969, 12, 31), DAY]),
    *((pa.time32(unit), [datetime.time(0), datetime.time(23, 59, 59), datetime.time(1)]) for unit in ("s", "ms")),
    *((pa.time64(unit), [datetime.time(0), datetime.time(23, 59, 59), datetime.time(1)]) for unit in ("us",)),
    *((pa.timestamp(unit), [MOMENT, datetime.datetime(1970, 1, 1), MOMENT]) for unit in ("s", "ms", "us")),
    (pa.timestamp("us", "Asia/Tokyo"), [ZONE, ZONE, ZONE]),
    *((pa.duration(unit), [SPAN, datetime.timedelta(0), SPAN]) for unit in ("s", "ms", "us")),
    *((type, ["ann", "", "東京"]) for type in (pa.string(), pa.large_string(), pa.string_view())),
    *((type, [b"ann", b"", b"\xff\0"]) for type in (pa.binary(), pa.large_binary(), pa.binary_view())),
    (pa.dictionary(pa.int8(), pa.string()), ["bob", "ann", "bob"]),
    (pa.dictionary(pa.int64(), pa.int32()), [2**31 - 1, -1, 5]),
    (pa.decimal128(5, 2), [Decimal("999.99"), Decimal("-999.99"), Decimal("0.00")]),
    (pa.decimal128(18, 0), [Decimal(10**18 - 1), Decimal(1 - 10**18), Decimal(0)]),
    (pa.decimal128(3, -2), [Decimal("1E+2"), Decimal("-9E+2"), Decimal("0E+2")]),
    (pa.decimal256(5, 2), [Decimal("-1.00"), Decimal("2.00"), Decimal("3.00")]),
]
REFUSED: list[tuple[pa.DataType, list[Any]]] = [
    (pa.decimal128(19, 2), [Decimal("1.00"), Decimal("2.00"), Decimal("3.00")]),
    (pa.float16(), [1.0, 2.0, 3.0]),
    (pa.list_(pa.int64()), [[1], [], [2]]),
    (pa.struct({"a": pa.int64()}), [{"a": 1}, {"a": 2}, {"a": 3}]),
    (pa.map_(pa.string(), pa.int64()), [[("a", 1)], [], []]),
    (pa.null(), [None, None, None]),
]


def tables(type: pa.DataType, values: list[Any], sources: int) -> list[pa.Table]:
    """As many tables as sources, which hold the values at interleaved times, each from another value on."""
    return [
        pa.table(
            {
                "ts": pa.array([place, place + sources, place + 2 * sources], pa.int64()),
                "value": pa.array(values[place % 3 :] + values[: place % 3], type),
            }
        )
        for place in range(sources)
    ]


def through_gate(streams: list[pa.Table], workers: int) -> list[tuple[int, Any]]:
    source: Any = GateSource([streambench.ArrowSource(each) for each in streams], time="ts")
    pipeline = streambench.Pipeline([source, TableSink()])
    pipeline.run(workers=workers)
    rows = source.restore(pipeline.sink.to_arrow())
    return list(zip(rows["ts"].to_pylist(), rows["value"].to_pylist(), strict=True))


@pytest.mark.parametrize("sources", [1, 2, 3])
@pytest.mark.parametrize(("type", "values"), HELD, ids=lambda each: str(each) if isinstance(each, pa.DataType) else "")
def test_values_come_through_a_gate_as_they_went_in(type: pa.DataType, values: list[Any], sources: int) -> None:
    streams = tables(type, values, sources)
    rows = [
        (moment, place, value)
        for place, each in enumerate(streams)
        for moment, value in zip(each["ts"].to_pylist(), each["value"].to_pylist(), strict=True)
    ]
    wanted = [(moment, value) for moment, _, value in sorted(rows, key=lambda row: row[:2])]
    assert through_gate(streams, workers=2) == wanted


@pytest.mark.parametrize(
    ("type", "values"), REFUSED, ids=lambda each: str(each) if isinstance(each, pa.DataType) else ""
)
def test_types_that_no_column_holds_are_refused_by_the_columns_name(type: pa.DataType, values: list[Any]) -> None:
    with pytest.raises(StreambenchError, match="value"):
        through_gate(tables(type, values, 2), workers=1)
