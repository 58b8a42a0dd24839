"""Columns of every type go through every engine as they are; what does not fit is refused as the pipeline is built."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink, digest_rows
from streambench.pyx.table_source import BatchSource, TableSource

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES = (*INTEGERS, "float32", "float64", "bool", "V20", "V1", "V8")
ENGINES: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "whole": {"engine": "ordered", "workers": 3, "plan": "whole"},
    "cut": {"engine": "ordered", "workers": 3, "plan": "cut"},
    "sharded": {"engine": "ordered", "workers": 3, "plan": "sharded"},
    "schemes": {"engine": "schemes", "workers": 3},
}


def values_of(kind: str, n: int, seed: int) -> npt.NDArray[Any]:
    """``n`` values over the whole range of a type."""
    draw = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    if kind == "bool":
        return draw.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        return draw.normal(size=n).astype(dtype)
    return draw.integers(0, 256, (n, dtype.itemsize), dtype=np.uint8).reshape(-1).view(dtype)


def run(operators: list[Any], **options: Any) -> TableSink:
    pipeline = Pipeline([*operators, TableSink()])
    execute(pipeline, Options(**{"pin": False, **options}))
    sink: TableSink = pipeline.sink
    return sink


def copied(columns: list[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """What ``Copies`` emits, by plain Python."""
    counts: dict[int, int] = {}
    taken = []
    for row, key in enumerate(columns[0].view(np.uint8).reshape(len(columns[0]), -1)[:, 0].tolist()):
        counts[key] = counts.get(key, 0) + 1
        taken += [row] * (1 + counts[key] % 2)
    return [column[taken] for column in columns]


@pytest.mark.parametrize("options", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("width", [len(TYPES), 64])
def test_columns_of_every_type_come_out_of_every_engine_as_naive_python_says(
    probes: SimpleNamespace, options: dict[str, Any], width: int
) -> None:
    types = {f"c{k}": TYPES[k % len(TYPES)] for k in range(width)}
    columns = [values_of(kind, 700, k) for k, kind in enumerate(types.values())]
    for unit in (1, 64, 700):
        sink = run([TableSource(columns, tuple(types)), probes.Copies(types)], unit=unit, **options)
        got, wanted = sink.rows(), copied(columns)
        assert [each.dtype for each in got] == [each.dtype for each in columns]
        assert all(ours.tobytes() == theirs.tobytes() for ours, theirs in zip(got, wanted, strict=True))
        assert sink.digest == digest_rows(wanted)


@pytest.mark.parametrize("options", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("kind", ["int8", "int32"])
@pytest.mark.parametrize("given", [2, 10])
def test_an_operator_finds_the_columns_it_reads_and_appends_behind_all_it_is_given(
    probes: SimpleNamespace, options: dict[str, Any], kind: str, given: int
) -> None:
    keys = np.arange(500).astype(kind) % 7
    values = values_of("float32", 500, 3)
    more = [values_of(TYPES[k], 500, k) for k in range(given - 2)]
    names = ("value", *(f"c{k}" for k in range(given - 2)), "key")
    got = run([TableSource([values, *more, keys], names), probes.Means()], unit=50, **options).rows()
    sums: dict[int, list[float]] = {}
    for key, value, mean in zip(keys.tolist(), values.tolist(), got[-1].tolist(), strict=True):
        sums.setdefault(key, []).append(value)
        assert mean == pytest.approx(sum(sums[key]) / len(sums[key]), rel=1e-12)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(got, [values, *more, keys], strict=False))


@given(st.lists(st.integers(-128, 127), max_size=200), st.sampled_from(["int16", "int32", "int64"]))
def test_a_digest_does_not_depend_on_the_width_of_numbers(values: list[int], kind: str) -> None:
    narrow, wide = np.array(values, dtype=np.int8), np.array(values, dtype=kind)
    assert digest_rows([narrow]) == digest_rows([wide])
    assert digest_rows([np.abs(narrow.astype(np.int16)).astype(np.uint8)]) == digest_rows([np.abs(wide)])
    halves = wide / 2
    assert digest_rows([halves.astype(np.float32)]) == digest_rows([halves])
    if values:
        assert digest_rows([np.append(narrow[:-1], np.int8(-values[-1] - 1))]) != digest_rows([wide])


@given(st.binary(min_size=20, max_size=20), st.integers(0, 19))
def test_every_byte_counts_in_a_digest(value: bytes, at: int) -> None:
    other = bytes(byte ^ (k == at) for k, byte in enumerate(value))
    assert digest_rows([np.frombuffer(value, "V20")]) != digest_rows([np.frombuffer(other, "V20")])


@pytest.mark.parametrize("kind", INTEGERS)
def test_laps_shift_values_within_their_type_and_no_further(kind: str) -> None:
    most = int(np.iinfo(kind).max)
    values = np.array([0, 5, most - 1 - 2 * 40], dtype=kind)
    source = TableSource([values, values], ("a", "b"), (40, 0), laps=3)
    wanted = [[value + 40 * lap for lap in range(3) for value in values.tolist()], values.tolist() * 3]
    assert [column.tolist() for column in run([source], engine="serial", unit=2).rows()] == wanted
    with pytest.raises(ValueError, match=r"4 laps take column a past 2\*\*\d+: 3 fit"):
        TableSource([values, values], ("a", "b"), (40, 0), laps=4)


def test_what_has_no_numbers_cannot_shift() -> None:
    with pytest.raises(ValueError, match="column a cannot shift: it holds float64, not integers"):
        TableSource([np.array([1.5])], ("a",), (1,), laps=2)


@pytest.mark.parametrize("kind", ["int8", "uint32", "float32", "bool", "V20"])
def test_batches_have_the_types_that_are_named(kind: str) -> None:
    column = values_of(kind, 100, 1)
    source = BatchSource([(column[:30],), (column[30:],)], ("a",), types=(kind,))
    (got,) = run([source], engine="serial", unit=7).rows()
    assert got.dtype == column.dtype
    assert got.tobytes() == column.tobytes()


def test_batches_whose_values_do_not_fit_end_the_run() -> None:
    with pytest.raises(ValueError, match="column a holds 300, which does not fit into int8"):
        run([BatchSource([([1, 2],), ([300],)], ("a",), types=("int8",))], engine="serial")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"value": "float32"}, r"reads column key \(int8 or int32\), which it does not get: it gets value \(float32\)"),
        ({"key": "int64", "value": "float32"}, "Means wants column key as int8 or int32, but gets it as int64"),
        ({"key": "int8", "value": "float64"}, "Means wants column value as float32, but gets it as float64"),
    ],
)
def test_a_pipeline_whose_types_do_not_fit_is_refused_as_it_is_built(
    probes: SimpleNamespace, columns: dict[str, str], words: str
) -> None:
    source = TableSource([values_of(kind, 3, 1) for kind in columns.values()], tuple(columns))
    with pytest.raises(OptionError, match=words):
        Pipeline([source, probes.Means(), TableSink()])


def test_an_operator_that_declares_nothing_takes_64_bit_integers_only(probes: SimpleNamespace) -> None:
    with pytest.raises(OptionError, match="Mute declares no types and so reads column b as int64, but it gets float32"):
        Pipeline([TableSource([[1], values_of("float32", 1, 1)], ("a", "b")), probes.Mute(), TableSink()])


@pytest.mark.parametrize(
    ("types", "words"),
    [
        (("int64", "int64"), "emits 1 columns but declares 2 types"),
        (("decimal",), "there is no type 'decimal': a column's is one of int64, int32"),
        (("=nobody",), "declares a column of type =nobody, but gets no such column: it gets key"),
    ],
)
def test_types_that_are_none_are_refused(probes: SimpleNamespace, types: tuple[str, ...], words: str) -> None:
    operator = probes.Means()
    operator.types = types
    source = TableSource([values_of("int8", 1, 1), values_of("float32", 1, 1)], ("key", "value"))
    with pytest.raises(OptionError, match=words):
        Pipeline([source, operator, TableSink()])


def test_more_than_64_columns_are_refused(probes: SimpleNamespace) -> None:
    names = tuple(f"c{k}" for k in range(63))
    keys, values = values_of("int8", 1, 1), values_of("float32", 1, 1)
    rest = [values] * 61
    with pytest.raises(ValueError, match="1 to 64 columns"):
        TableSource([values] * 65, (*names, "x", "y"))
    source = TableSource([keys, values, *rest, values], ("key", "value", *names[:61], "last"))
    with pytest.raises(OptionError, match="operator Means emits 65 columns; at most 64 are possible"):
        Pipeline([source, probes.Means(), TableSink()])


@pytest.mark.parametrize("options", ENGINES.values(), ids=ENGINES.keys())
def test_a_refused_tuple_is_told_with_its_values_of_every_type(
    probes: SimpleNamespace, options: dict[str, Any]
) -> None:
    keys = np.array([1, 2, -3, 4], dtype=np.int8)
    values = np.array([0.5, 1.5, 2.5, 3.5], dtype=np.float32)
    texts = np.frombuffer(b"abcdabceabcfabcg", "V4")
    pipeline = Pipeline([TableSource([keys, values, texts], ("key", "value", "text")), probes.Means(), TableSink()])
    with pytest.raises(OperatorError) as refused:
        execute(pipeline, Options(pin=False, **options))
    assert refused.value.serial == 2
    assert refused.value.values == (("key", -3), ("value", 2.5), ("text", b"abcf"))
    assert [column.tolist() for column in pipeline.sink.rows()][:2] == [[1, 2], [0.5, 1.5]]


def test_an_empty_list_is_int64_and_an_empty_array_what_it_is() -> None:
    source = TableSource([[], np.empty(0, np.float64), np.empty(0, "V20")], ("a", "b", "c"))
    assert [each.name if each.kind != "V" else each.str for _, each in source.bind(())] == ["int64", "float64", "|V20"]
