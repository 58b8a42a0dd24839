"""However a file writes its times, the same moment becomes the same second, whole and in no other zone."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ingested import seconds

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.mapping import ColumnMapping
from streambench.datagen.ingest.source import Source
from streambench.datagen.ingest.time import event_time

MOMENT = datetime.datetime(2017, 3, 26, 2, 30, 59)  # an hour that the clocks of Europe leave out
WANTED = seconds("2017-03-26", "02:30:59")
UNIX = int(MOMENT.replace(tzinfo=datetime.UTC).timestamp())


def times(file: Path, pattern: str | None, **columns: str | tuple[str, ...]) -> list[int | None]:
    mapping = ColumnMapping(
        table="store_sales",
        columns={**columns, "ss_ticket_number": "x", "ss_item_sk": "x"},
        timestamp_format=pattern,
    )
    source = Source.open(file, mapping)
    time, found = event_time(mapping, source), []
    for piece in source.pieces():
        for rows in source.read(piece, source.columns):
            found += time.seconds(rows.columns).to_pylist()
    return found


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("2017-03-26 02:30:59", None),
        ("26/3/2017 2:30:59 AM", "d/M/yyyy h:mm:ss a"),
        ("2017-03-26T02:30:59.999", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
        ("2017-03-26T04:30:59+02:00", "yyyy-MM-dd'T'HH:mm:ssXXX"),
        (str(UNIX), "epoch"),
        (f"{UNIX}.75", "epoch"),
        (str(UNIX * 1000 + 999), "epoch-ms"),
    ],
)
def test_texts(tmp_path: Path, text: str, pattern: str | None) -> None:
    (tmp_path / "in.csv").write_text(f"when,x\n{text},1\nno time,1\n,1\n")
    assert times(tmp_path / "in.csv", pattern, ts="when") == [WANTED, None, None]


def test_date_and_time_in_columns_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("day,hour,day+hour,x\n2017-03-26,02:30:59,26.03.2017 02.30.59,1\n2017-03-26,,,1\n")
    file, joined = tmp_path / "in.csv", "dd.MM.yyyy HH.mm.ss"
    assert times(file, None, ts=("day", "hour")) == [WANTED, None]
    assert times(file, joined, ts="day+hour") == [WANTED, None]  # a column of that very name comes first
    assert times(file, None, ts="day + hour") == [WANTED, None]


def test_date_and_time_keys_are_taken_as_they_are_within_their_range(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("d,t,x\n0,0,1\n42000,86399,1\n42000,86400,1\n-1,0,1\n1.5,0,1\n,0,1\n")
    found = times(tmp_path / "in.csv", None, ss_sold_date_sk="d", ss_sold_time_sk="t")
    assert found == [0, 42000 * 86_400 + 86_399, None, None, None, None]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_parquet_timestamps(tmp_path: Path, unit: str, zone: str | None) -> None:
    before_1970 = datetime.datetime(1969, 12, 31, 23, 59, 58, 500_000 if unit in ("us", "ns") else 0)
    moments = pa.array([MOMENT, before_1970, None], pa.timestamp(unit, tz=zone))
    if zone is not None:  # pyarrow takes plain datetimes as UTC
        assert moments[0].value == pa.scalar(MOMENT, pa.timestamp(unit)).value
    pq.write_table(pa.table({"when": moments, "x": [1, 1, 1]}), tmp_path / "in.parquet")
    assert times(tmp_path / "in.parquet", None, ts="when") == [WANTED, 25_567 * 86_400 - 2, None]


def test_parquet_epochs(tmp_path: Path) -> None:
    table = pa.table({"s": [UNIX, -1], "ms": [UNIX * 1000 + 1, -1], "f": [UNIX + 0.5, -0.5], "x": [1, 1]})
    table = table.append_column("d", pa.array([Decimal(f"{UNIX}.99"), Decimal("-0.01")], pa.decimal128(18, 2)))
    pq.write_table(table, tmp_path / "in.parquet")
    for column, pattern in (("s", "epoch"), ("ms", "epoch-ms"), ("f", "epoch"), ("d", "epoch")):
        assert times(tmp_path / "in.parquet", pattern, ts=column) == [WANTED, 25_567 * 86_400 - 1]


def test_dates_begin_at_midnight(tmp_path: Path) -> None:
    pq.write_table(pa.table({"day": [MOMENT.date()], "x": [1]}), tmp_path / "in.parquet")
    assert times(tmp_path / "in.parquet", None, ts="day") == [WANTED // 86_400 * 86_400]


def test_a_time_outside_1900_to_9999_is_none(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("when,x\n-2208988801,1\n-2208988800,1\n1477821491000,1\n")
    assert times(tmp_path / "in.csv", "epoch", ts="when") == [None, 0, None]


@pytest.mark.parametrize(
    ("pattern", "columns", "words"),
    [
        (None, {"ts": "number"}, "'number' holds numbers: say --timestamp-format epoch"),
        ("yyyy", {"ts": "stamp"}, "'stamp' holds timestamps already: leave --timestamp-format out"),
        ("epoch", {"ts": ("text", "number")}, "is for one column: ts joins text and number"),
        ("epoch", {"ss_sold_date_sk": "number", "ss_sold_time_sk": "number"}, "goes with ts, not with date_sk"),
        (None, {"ts": "flag"}, "'flag' holds bool, which is no time"),
    ],
)
def test_a_format_that_does_not_fit_the_column_is_refused(
    tmp_path: Path,
    pattern: str | None,
    columns: dict[str, str],
    words: str,
) -> None:
    table = pa.table({"number": [1], "stamp": [MOMENT], "text": ["a"], "flag": [True], "x": [1]})
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(DatagenError, match=words):
        times(tmp_path / "in.parquet", pattern, **columns)
