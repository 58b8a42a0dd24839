"""A user's SQL over a stream gives the sequence that the sink must receive, or one sentence says what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streambench.errors import OptionError
from streambench.lab.answers.stream_oracle import StreamOracle

TUPLES = st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**62), 2**62)), max_size=12)
STREAM = pa.table({"key": [1, 2, 1], "value": [10, 20, 30]})

COLUMNS = (("key", np.dtype("int64")), ("value", np.dtype("int64")))


def oracle(folder: Path, text: str, emitted: tuple[str, ...] = ("key", "value")) -> StreamOracle:
    file = folder / "oracle.sql"
    file.write_text(text)
    return StreamOracle(file, COLUMNS, emitted)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tuples=TUPLES)
def test_the_stream_is_a_table_with_each_tuples_place(tmp_path: Path, tuples: list[tuple[int, int]]) -> None:
    asked = oracle(tmp_path, "SELECT stream_row, value AS v FROM stream WHERE key > 0 ORDER BY stream_row DESC;")
    stream = pa.table({"key": [key for key, _ in tuples], "value": [value for _, value in tuples]}).cast(
        pa.schema([("key", pa.int64()), ("value", pa.int64())])
    )
    wanted = [(place, value) for place, (key, value) in enumerate(tuples) if key > 0][::-1]
    assert [tuple(row.values()) for row in asked.sequence(stream).to_pylist()] == wanted


def test_columns_are_called_as_the_sinks_and_hold_integers_or_doubles(tmp_path: Path) -> None:
    asked = oracle(
        tmp_path, "SELECT sum(value), avg(value), value > 15, 1.5 FROM stream GROUP BY 3", ("a", "b", "c", "d")
    )
    found = asked.sequence(STREAM)
    assert found.column_names == ["a", "b", "c", "d"]
    assert [str(each) for each in found.schema.types] == ["int64", "double", "int64", "double"]
    assert sorted(map(tuple, (row.values() for row in found.to_pylist()))) == [(10, 10.0, 0, 1.5), (50, 25.0, 1, 1.5)]


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        ([[1, 2, 1], [10, 20, 30]], None),
        (
            [[1, 2, 1], [10, 21, 30]],
            "Row 1 of m:f's output sequence is (key 2, value 21) but SQL says (key 2, value 20).",
        ),
        (
            [[2, 1, 1], [20, 10, 30]],
            "Row 0 of m:f's output sequence is (key 2, value 20) but SQL says (key 1, value 10).",
        ),
        (
            [[1, 2], [10, 20]],
            "m:f's output sequence has 2 rows where SQL gives 3: only SQL has row 2, (key 1, value 30).",
        ),
    ],
)
def test_the_first_row_that_differs_is_named(tmp_path: Path, got: list[list[int]], sentence: str | None) -> None:
    asked = oracle(tmp_path, "SELECT key, value FROM stream ORDER BY stream_row")
    emitted = pa.table(got, names=["key", "value"])
    assert asked.difference("m:f", emitted, asked.sequence(STREAM)) == sentence


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (1 + 1e-12, True), (1 + 1e-6, False)])
def test_a_double_of_sql_is_compared_with_the_double_whose_bits_the_sink_holds(
    tmp_path: Path, factor: float, right: bool
) -> None:
    asked = oracle(tmp_path, "SELECT key, value / 3 FROM stream ORDER BY stream_row")
    bits = (np.array([10, 20, 30]) / 3 * factor).view(np.int64)
    emitted = pa.table([STREAM.column("key"), bits], names=["key", "value"])
    assert (asked.difference("m:f", emitted, asked.sequence(STREAM)) is None) is right


def test_a_null_is_no_number(tmp_path: Path) -> None:
    asked = oracle(tmp_path, "SELECT key, nullif(value, 20) FROM stream ORDER BY stream_row")
    assert "SQL says (key 2, value None)" in str(asked.difference("m:f", STREAM, asked.sequence(STREAM)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("SELEC 1", r"the oracle \S+ cannot be answered \(Parser Error: .*\): correct its SQL\."),
        ("SELECT key, prize FROM stream", r"cannot be answered \(Binder Error: .*prize.*\): correct its SQL\."),
        ("SELECT key, value FROM streams", r"cannot be answered \(Catalog Error: .*streams.*\): correct its SQL\."),
        ("", "selects nothing: let it end with a SELECT"),
        ("SELECT key FROM stream", r"selects 1 column, and the sink receives 2 columns \(key, value\): select these"),
        ("SELECT key, 'a' AS a FROM stream", "selects a as string: select whole numbers"),
    ],
)
def test_sql_that_cannot_be_the_oracle_is_refused_at_once(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        oracle(tmp_path, text)


def test_a_number_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    asked = oracle(tmp_path, "SELECT key, value::HUGEINT * 9223372036854775807 AS v FROM stream")
    with pytest.raises(OptionError, match="selects a v beyond 64 bits"):
        asked.sequence(STREAM)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe")
    for name, reason in (("none.sql", "No such file"), ("binary.sql", "it is not UTF-8"), ("", "Is a directory")):
        with pytest.raises(
            OptionError, match=rf"the oracle .*{name} cannot be read \({reason}.*\): name a file of SQL"
        ):
            StreamOracle(tmp_path / name, COLUMNS, ("key", "value"))
