"""Texts of functions: codes that are known before the run, and texts themselves where Python calls the function."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from twins import NEEDS_NUMBA, WAYS

import streambench
from streambench import ArrowSource, Pipeline, TableSink
from streambench.errors import OptionError

TO = ["DE", None, "AT", "DE", "ü", "", "CH", None]
FROM = ["AT", "DE", "AT", None, "ü", "DE", "DE", None]
TRIPS = pa.table({"to": TO, "at": pa.array(FROM).dictionary_encode(), "n": range(8)})


def rows(source: Any, *operators: Any, **options: Any) -> list[tuple[Any, ...]]:
    pipeline = Pipeline([source, *operators, TableSink()])
    pipeline.run(**options)
    return list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True))


@pytest.mark.parametrize("numba", WAYS)
def test_a_code_is_known_before_the_text_has_come(numba: bool) -> None:
    source = ArrowSource(TRIPS)
    germany, nowhere = source.code("to", "DE"), source.code("at", "not in the data")
    assert (germany, nowhere, source.code("at", "DE")) == (0, 1, 0)
    found = rows(
        source, streambench.mapped(emits="n", numba=numba)(lambda to, n: n if to in (germany, nowhere) else None)
    )
    assert found == [(k,) for k, each in enumerate(TO) if each == "DE"]
    assert source.dictionaries["to"].to_pylist() == ["DE", "not in the data", "AT", "ü", "", "CH"]


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_dictionaries_given_beforehand_have_the_first_codes(batch: int) -> None:
    source = ArrowSource(TRIPS.to_reader(batch), dictionaries={"at": ["CH", "AT"], "to": ["", "AT"]})
    found = rows(source, streambench.mapped(emits=("to", "at"), numba=False)(lambda to, at: (to, at)))
    codes: dict[Any, int] = {None: -1, "CH": 0, "AT": 1, "": 2}
    for each in zip(TO, FROM, strict=True):
        for text in each:
            codes.setdefault(text, len(codes) - 1)
    assert found == [(codes[to], codes[at]) for to, at in zip(TO, FROM, strict=True)]


@pytest.mark.parametrize("numba", WAYS)
def test_texts_of_two_columns_are_equal_where_their_codes_are(numba: bool) -> None:
    kept = streambench.filtered(lambda to, at: to == at, numba=numba)
    assert [each[2] for each in rows(ArrowSource(TRIPS), kept)] == [
        k for k, (to, at) in enumerate(zip(TO, FROM, strict=True)) if to == at
    ]


@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 3, "unit": 2}, {"workers": 2, "plan": "whole"}])
def test_a_function_of_python_is_given_texts(options: dict[str, Any]) -> None:
    plain = streambench.filtered(lambda to, n: to is None or to > "C", texts="to")

    @streambench.mapped(appends="length", texts=("at", "to"))
    def measured(to, at, n):  # type: ignore[no-untyped-def]
        return 100 * n + len(to or "") + len(at or "")

    @streambench.keyed(key="to", state=[("n", "int64")], emits=("nth", "length"), texts="to")
    def counted(state, to, length):  # type: ignore[no-untyped-def]
        state.n += 1
        return state.n, length + len(to or "--")

    expected, counts = [], {}
    for n, (to, at) in enumerate(zip(TO, FROM, strict=True)):
        if to is None or to > "C":
            counts[to] = counts.get(to, 0) + 1
            expected.append((counts[to], 100 * n + len(to or "") + len(at or "") + len(to or "--")))
    assert rows(ArrowSource(TRIPS), plain, measured, counted, **options) == expected


def test_a_dictionary_is_made_once_for_the_texts_that_are_known() -> None:
    source = ArrowSource(TRIPS)
    rows(source, streambench.mapped(emits="n", numba=False)(lambda n: n))
    assert source.dictionaries["to"] is source.dictionaries["to"]


def test_texts_of_both_sides_of_a_join_have_one_dictionary() -> None:
    left = pa.table({"ts": [1, 2], "name": ["a", "b"]})
    right = pa.table({"ts": [1, 2], "other": ["b", "a"]})
    source = streambench.ArrowJoinSource(left, right, window=9)
    same = streambench.filtered(lambda name, other: name == other, numba=False)
    assert source.code("name", "b") == source.code("other", "b")
    pipeline = Pipeline([source, same, TableSink()])
    pipeline.run()
    restored = source.restore(pipeline.sink.to_arrow())
    assert restored["name"].to_pylist() == restored["other"].to_pylist() != []


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("n", "DE", "has no column 'n' of texts; those that it has are to, at"),
        ("to", b"DE", "column to holds values of string, and b'DE' is none"),
        ("to", None, "column to holds values of string, and None is none"),
        ("to", 3, "column to holds values of string, and 3 is none"),
    ],
)
def test_a_code_of_what_no_column_has_is_refused(column: str, value: Any, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        ArrowSource(TRIPS).code(column, value)


@pytest.mark.parametrize("given", [["DE"], {"to": "DE"}])
def test_dictionaries_that_are_no_lists_are_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="dictionaries= gives columns lists of their texts"):
        ArrowSource(TRIPS, dictionaries=given)


def test_texts_that_no_column_has_are_refused() -> None:
    named = streambench.mapped(emits="n", texts="n", numba=False)(lambda n: n)
    with pytest.raises(OptionError, match="texts= names column n, which is int64 and none of ArrowSource's codes"):
        rows(ArrowSource(TRIPS), named)
    with pytest.raises(OptionError, match="texts= names at, but the function reads to"):
        streambench.filtered(lambda to: True, texts="at")


@NEEDS_NUMBA
def test_texts_for_numba_are_refused() -> None:
    with pytest.raises(OptionError, match="Numba has no texts"):
        streambench.filtered(lambda to: True, texts="to", numba=True)
