"""Whatever Arrow holds goes through every engine as it is, without a copy where that is promised; or it is refused."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from arrow_tables import KINDS, TEXTS, Kind, nulls_of, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

import streambench
from streambench import ArrowSource, Pipeline
from streambench.data.arrow_stream import to_be_read_again
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.errors import DataError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.lookup import categories
from streambench.pyx.table_sink import TableSink

ENGINES: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "ordered": {"workers": 2, "plan": "sharded", "partitions": 3},
    "schemes": {"engine": "schemes", "workers": 2},
}
every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
cuts = st.lists(st.integers(0, 9), max_size=6)


def through(source: Any, *between: Any, **options: Any) -> TableSink:
    pipeline = Pipeline([source, *between, TableSink()])
    execute(pipeline, Options(**{"pin": False, "engine": "serial", **options}))
    sink: TableSink = pipeline.sink
    return sink


def same(table: pa.Table, restored: pa.Table) -> bool:
    """The same names and values; texts come back with a dictionary, all others in their own type."""
    return restored.column_names == table.column_names and all(
        ours.to_pylist() == theirs.to_pylist()
        and (ours.type == theirs.type or pa.types.is_dictionary(ours.type))
        and ours.combine_chunks().validate(full=True) is None
        for ours, theirs in zip(restored.columns, table.columns, strict=True)
    )


@every_engine
@settings(max_examples=25)
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=8),
    sizes=cuts,
    unit=st.integers(1, 12),
    seed=st.integers(0, 99),
    held=st.booleans(),
)
def test_a_table_goes_through_an_operator_and_comes_back_as_it_was(
    probes: SimpleNamespace, how: dict[str, Any], kinds: list[Kind], sizes: list[int], unit: int, seed: int, held: bool
) -> None:
    table = table_of(kinds, sizes, seed)
    source = ArrowSource(table if held else table.to_reader(), nulls=nulls_of(kinds))
    operator = probes.Same({name: type.str for name, type in zip(table.column_names, source.types, strict=True)})
    sink = through(source, operator, unit=unit, **how)
    restored = source.restore(sink.to_arrow())
    assert sink.tuples == table.num_rows
    assert same(table, restored), (table.to_pydict(), restored.to_pydict())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.type))
@pytest.mark.parametrize("sizes", [[], [0], [0, 7, 0, 1, 300]], ids=str)
def test_every_type_comes_back_whatever_the_chunks(kind: Kind, sizes: list[int]) -> None:
    for nulls in (True, False):
        table = table_of([kind], sizes, 5, nulls)
        source = ArrowSource(table, nulls=nulls_of([kind]))
        assert same(table, source.restore(through(source, unit=64).to_arrow()))


@given(
    kind=st.sampled_from(TEXTS),
    sizes=cuts,
    other=cuts,
    seed=st.integers(0, 99),
    unit=st.integers(1, 9),
)
def test_codes_are_given_in_the_order_in_which_texts_first_appear(
    kind: Kind, sizes: list[int], other: list[int], seed: int, unit: int
) -> None:
    (column,) = table_of([kind], [sum(sizes)], seed).columns
    first: dict[Any, int] = {}
    wanted = [-1 if each is None else first.setdefault(each, len(first)) for each in column.to_pylist()]
    for cut in ([*sizes], [*other, sum(sizes)]):
        begins = np.cumsum([0, *cut])
        chunks = [column.slice(int(begin), n).combine_chunks() for begin, n in zip(begins, cut, strict=False)]
        source = ArrowSource(pa.table({"c0": pa.chunked_array(chunks, kind.type)}))
        sink = through(source, unit=unit, workers=2, engine="ordered")
        assert sink.to_arrow().column(0).to_pylist() == wanted
        assert source.dictionaries["c0"].to_pylist() == list(first)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.parquet")
    (tmp_path / "item").mkdir()
    os.mkfifo(tmp_path / "item" / "b.parquet")
    mapping = ColumnMapping(table="item", columns={"item": "a", "category": "b"})
    writer = os.open(tmp_path / "a.parquet", os.O_RDWR)  # of a reader that comes all the same: it waits for nobody
    try:
        for refused in (
            lambda: ArrowSource(tmp_path / "a.parquet"),
            lambda: Catalog.open(tmp_path).table("item"),
            lambda: ingest(tmp_path / "a.parquet", mapping, out=tmp_path / "out"),
        ):
            with pytest.raises((DataError, DatagenError), match=r"is a pipe|leads nowhere"):
                refused()
    finally:
        os.close(writer)


@pytest.mark.parametrize("name", ["~", "a:b", "file:c", "*", "[1]"])
def test_a_name_that_arrow_reads_otherwise_is_a_file_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    with (tmp_path / name / "a.parquet").open("wb") as file:
        pq.write_table(pa.table({"a": [1], "b": [5]}), file)
    source = ArrowSource(f"{name}/a.parquet")
    assert through(source).to_arrow().to_pydict() == {"a": [1], "b": [5]}
    mapping = ColumnMapping(table="item", columns={"item": "a", "category": "b"})
    ingest(f"{name}/a.parquet", mapping, out=f"{name}/out")
    assert categories(Catalog.open(f"{name}/out")).tolist() == [-1, 5]
    found = to_be_read_again(f"{name}/a.parquet", in_memory=False)
    assert found.to_table().to_pydict() == {"a": [1], "b": [5]}


def test_a_name_in_a_folder_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff.parquet"
    with open(odd, "wb") as file:  # noqa: PTH123 - a name in bytes
        pq.write_table(pa.table({"a": [1]}), file)
    for place in (tmp_path, Path(os.fsdecode(odd))):
        with pytest.raises(DataError, match=r"udcff\.parquet is no name in UTF-8"):
            ArrowSource(place)


@pytest.mark.parametrize("code", [2, -1])
def test_a_code_that_its_dictionary_has_not_is_refused(code: int) -> None:
    codes = pa.array([0, code, 1], pa.int32())
    damaged = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    with pytest.raises(DataError, match=f"column t has the code {code}, and its dictionary 2 values"):
        through(ArrowSource(pa.table({"t": damaged})))
    with pytest.raises(DataError, match="a code that their dictionary of 2 values has not"):
        streambench.TopK().update(damaged)


def test_of_a_dictionary_only_what_occurs_has_a_code_and_twice_the_same_one() -> None:
    values = pa.array(["unused", "b", "a", "b", None])
    array = pa.DictionaryArray.from_arrays(pa.array([3, 4, 2, 1, None, 3], pa.int8()), values)
    source = ArrowSource(pa.table({"t": array}))
    assert through(source).rows()[0].tolist() == [0, -1, 1, 0, -1, 0]
    assert source.dictionaries["t"].to_pylist() == ["b", "a"]


def test_a_second_run_over_the_same_data_has_the_same_codes() -> None:
    source = ArrowSource(pa.table({"t": ["x", "y", "x"]}))
    assert source.again
    assert [through(source).rows()[0].tolist() for _ in range(2)] == [[0, 1, 0]] * 2


TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool")


def addresses(probes: SimpleNamespace, data: Any, **options: Any) -> list[int]:
    """Where in memory the values of the column ``x`` lie that an operator is given."""
    sink = through(data, probes.Addresses("x", TYPES), **options)
    made: list[int] = sink.to_arrow()["address"].to_pylist()
    assert made
    return made


def all_within(buffers: list[pa.Buffer], places: list[int]) -> bool:
    return all(any(each.address <= at < each.address + each.size for each in buffers) for at in places)


CHUNKS = [pa.array(range(1000)).slice(10, 900), pa.array(range(70))]


@every_engine
@pytest.mark.parametrize("type", [pa.int64(), pa.int32(), pa.uint8(), pa.float64(), pa.timestamp("us"), pa.date32()])
@pytest.mark.parametrize("streamed", [False, True])
def test_units_read_arrows_own_memory(
    how: dict[str, Any], type: pa.DataType, streamed: bool, probes: SimpleNamespace
) -> None:
    stored = pa.int64() if pa.types.is_temporal(type) and type.bit_width == 64 else pa.int32()
    chunks = [each.cast(stored, safe=False).view(type) if pa.types.is_temporal(type) else each.cast(type, safe=False)
              for each in CHUNKS]  # fmt: skip
    table = pa.table({"x": pa.chunked_array(chunks)})
    places = addresses(probes, ArrowSource(table.to_reader() if streamed else table), unit=64, **how)
    assert len(places) == table.num_rows
    assert all_within([each.buffers()[1] for each in chunks], places)


@pytest.mark.parametrize("column", [pa.array([True, False]), pa.array(["a", "b"]), pa.array([1, None])], ids=str)
def test_what_is_said_to_be_copied_is(column: pa.Array, probes: SimpleNamespace) -> None:
    nulls = {"x": -1} if column.type == pa.int64() else None
    places = addresses(probes, ArrowSource(pa.table({"x": column}), nulls=nulls))
    assert not all_within([each for each in column.buffers() if each is not None], places)


def test_memory_that_no_value_may_stand_in_is_copied(probes: SimpleNamespace) -> None:
    memory = np.zeros(81, dtype=np.uint8)[1:]
    memory[:] = np.arange(10, dtype=np.int64).view(np.uint8)
    array = pa.Array.from_buffers(pa.int64(), 10, [None, pa.py_buffer(memory)])
    assert array.buffers()[1].address % 8
    source = ArrowSource(pa.table({"x": array}))
    assert through(source).rows()[0].tolist() == list(range(10))
    assert all(at % 8 == 0 for at in addresses(probes, source))


def test_a_pipeline_makes_a_source_of_arrow_data() -> None:
    table = pa.table({"a": [3, 1], "t": ["x", None]})
    pipeline = Pipeline([table, TableSink()])
    pipeline.run(engine="serial")
    assert isinstance(pipeline.source, ArrowSource)
    assert pipeline.source.restore(pipeline.sink.to_arrow()).to_pydict() == table.to_pydict()
    with pytest.raises(OptionError, match="starts with a Source"):
        Pipeline([TableSink(), TableSink()])
    with pytest.raises(OptionError, match="starts with a Source"):
        Pipeline([{"a": [1]}, TableSink()])


INTS = pa.table({"a": pa.chunked_array([[1, 2], [], [3, None, 5], [None]], pa.int64())})


@pytest.mark.parametrize(
    ("nulls", "sentence"),
    [
        (None, r"column a has a null in row 3, counted from 0: say by nulls= which value .* such as nulls={'a': -1}\."),
        ({"a": 3}, r"column a has 3 in row 2, counted from 0, which is to stand for null: choose by nulls= a value "),
        (5, r"column a has 5 in row 4, counted from 0"),
    ],
    ids=str,
)
@every_engine
def test_a_null_that_nothing_stands_for_and_a_value_that_would_be_one_are_refused(
    nulls: Any, sentence: str, how: dict[str, Any]
) -> None:
    with pytest.raises(DataError, match=sentence):
        through(ArrowSource(INTS, nulls=nulls), **how)


@pytest.mark.parametrize(
    ("column", "example"),
    [
        (pa.array([None], pa.float32()), r"float\('nan'\)"),
        (pa.array([None], pa.uint8()), "255"),
        (pa.array([None], pa.bool_()), "False"),
        (pa.array([None], pa.binary(2)), r"b'\\x00\\x00'"),
        (pa.array([None], pa.binary(20)), r"bytes\(20\)"),
        (pa.array([None], pa.date32()), "-1"),
    ],
    ids=lambda each: str(getattr(each, "type", "")),
)
def test_the_example_of_a_sentinel_is_one(column: pa.Array, example: str) -> None:
    table = pa.table({"a": column})
    with pytest.raises(DataError, match=rf"such as nulls={{'a': {example}}}\."):
        through(ArrowSource(table))
    source = ArrowSource(
        table, nulls={"a": eval(example.replace("\\(", "(").replace("\\)", ")").replace("\\\\", "\\"))}
    )
    assert source.restore(through(source).to_arrow()).to_pydict() == {"a": [None]}


def test_nan_may_stand_for_null_and_what_was_nan_is_null_then_too() -> None:
    table = pa.table({"a": [0.5, float("nan"), None]})
    source = ArrowSource(table, nulls=float("nan"))
    assert source.restore(through(source).to_arrow()).to_pydict() == {"a": [0.5, None, None]}


def test_one_sentinel_for_all_is_that_of_the_columns_whose_type_has_it() -> None:
    table = pa.table({"a": [1, None], "u": pa.array([1, 2], pa.uint8()), "t": [None, "x"], "b": [True, False]})
    source = ArrowSource(table, nulls=-1)
    assert source.restore(through(source).to_arrow()).to_pydict() == table.to_pydict()
    with pytest.raises(DataError, match="column u has a null in row 0"):
        through(ArrowSource(table.set_column(1, "u", pa.array([None, 2], pa.uint8())), nulls=-1))


@pytest.mark.parametrize(
    ("nulls", "sentence"),
    [
        ({"b": 1}, "there is no column b to have nulls: there are a, t"),
        ({"a": 2.5}, r"column a is int64 and cannot hold 2\.5 for null"),
        ({"a": 1 << 70}, "column a is int64 and cannot hold 1180591620717411303424 for null"),
        ({"a": None}, "column a is int64 and cannot hold None for null"),
        ({"t": ""}, "column t is int32 and cannot hold '' for null"),
        ({"t": 0}, "column t is held as codes, in which -1 stands for null: leave it out of nulls="),
    ],
    ids=str,
)
def test_sentinels_that_no_column_can_have_are_refused(nulls: Any, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        ArrowSource(pa.table({"a": [1], "t": ["x"]}), nulls=nulls)
    assert ArrowSource(pa.table({"t": ["x"]}), nulls={"t": -1}).types == (np.dtype("int32"),)


def test_columns_are_chosen_and_put_in_order() -> None:
    table = pa.table({f"c{k}": [k] for k in range(100)})
    for data in (table, table.to_reader()):
        sink = through(ArrowSource(data, ["c99", "c0"]))
        assert sink.to_arrow().to_pydict() == {"c99": [99], "c0": [0]}


@pytest.mark.parametrize(
    ("data", "columns", "error", "sentence"),
    [
        (pa.table({}), None, DataError, "a stream has 1 to 64 columns, and this one would have 0"),
        (pa.table({"a": [1]}), [], DataError, "this one would have 0: choose them by columns="),
        (pa.table({f"c{k}": [k] for k in range(65)}), None, DataError, "and this one would have 65: choose them"),
        (pa.table([[1], [2]], names=["a", "a"]), None, DataError, "2 columns are called a: rename them, or leave"),
        (pa.table({"a": [1]}), ["b"], DataError, r"there is no column b: there are a\."),
        (pa.table({"a": [1]}), ["a", "a"], OptionError, "columns= names a twice"),
        (
            pa.table({"a": [[1]]}),
            None,
            DataError,
            r"column a is list<.*>, which no column of a stream can hold: unnest it, such",
        ),
        (pa.table({"a": [{"b": 1}]}), None, DataError, "column a is struct"),
        (pa.table({"a": [None]}), None, DataError, "column a is null, which no column"),
        (pa.table({"a": pa.array([1], pa.decimal128(19))}), None, DataError, r"column a is decimal128\(19, 0\), which"),
        (pa.table({"a": np.zeros(1, np.float16)}), None, DataError, "column a is halffloat, which no column"),
        (pa.table({"a": pa.array([b""], pa.binary(0))}), None, DataError, r"column a is fixed_size_binary\[0\], which"),
        (pa.table({"a": pa.array([0.5]).dictionary_encode()}), None, DataError, "column a is dictionary<values=double"),
        (3, None, OptionError, "a int is no Arrow data: give a pyarrow Table"),
        (pa.chunked_array([[1]]), None, DataError, "this ChunkedArray gives no table by Arrow's C stream"),
        ("no_such_file.parquet", None, DataError, r"no_such_file.parquet cannot be read as Parquet \("),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_makes_no_source_is_refused_in_a_sentence(
    data: Any, columns: list[str] | None, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence) as raised:
        ArrowSource(data, columns)
    assert "\n" not in str(raised.value)
    assert str(raised.value).endswith(".")


def test_of_columns_that_are_called_alike_others_can_be_chosen() -> None:
    table = pa.table([[1], [2], [3]], names=["a", "a", "b"])
    assert through(ArrowSource(table, ["b"])).to_arrow().to_pydict() == {"b": [3]}


class Stream:
    """A stream of another library's, which does not look whether its batches have one schema."""

    def __init__(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.reader = pa.RecordBatchReader.from_batches(schema, batches)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__(requested_schema)


A = pa.schema({"a": pa.int64()})


@every_engine
def test_what_breaks_off_a_stream_is_told_after_all_before_it_has_reached_the_sink(how: dict[str, Any]) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        for begin in range(0, 3000, 1000):
            yield pa.record_batch({"a": range(begin, begin + 1000)})
        raise OSError("the disk\nis gone")

    for read_ahead in (1, 4, 9):
        source = ArrowSource(pa.RecordBatchReader.from_batches(A, broken()), read_ahead=read_ahead)
        pipeline = Pipeline([source, TableSink()])
        with pytest.raises(DataError, match=r"could not be read beyond their first 3,000 rows: .*the disk is gone"):
            execute(pipeline, Options(pin=False, unit=64, **how))
        assert pipeline.sink.rows()[0].tolist() == list(range(3000))


def test_a_batch_of_another_schema_is_refused() -> None:
    def changing() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [1, 2]})
        yield pa.record_batch({"a": ["x"]})

    with pytest.raises(
        DataError, match=r"first 2 rows: |has the columns a \(string\), where the stream's are a \(int64\)"
    ):
        through(ArrowSource(pa.RecordBatchReader.from_batches(A, changing())))


def test_a_reader_can_be_read_once() -> None:
    source = ArrowSource(INTS.to_reader(), nulls=-1)
    assert not source.again
    assert through(source).tuples == 6
    with pytest.raises(DataError, match="this RecordBatchReader has been read, and can be only once"):
        through(source)


@every_engine
def test_ctrl_c_stops_a_stream_that_never_ends(how: dict[str, Any]) -> None:
    def endless() -> Iterator[pa.RecordBatch]:
        read = 0
        while True:
            yield pa.record_batch({"a": range(1000)})
            read += 1
            if read == 20:
                os.kill(os.getpid(), signal.SIGINT)

    pipeline = Pipeline([pa.RecordBatchReader.from_batches(A, endless()), TableSink(keep=False)])
    with pytest.raises(KeyboardInterrupt):
        execute(pipeline, Options(pin=False, **how))


def test_a_column_called_otherwise_is_restored_by_its_name_in_the_source() -> None:
    source = ArrowSource(pa.table({"t": ["x", "y"], "n": [1, 2]}))
    table = through(source).to_arrow().rename_columns(["word", "n"])
    assert source.restore(table).to_pydict() == {"word": [0, 1], "n": [1, 2]}
    assert source.restore(table, {"word": "t"}).to_pydict() == {"word": ["x", "y"], "n": [1, 2]}
    for names, sentence in (
        ({"word": "u"}, "calls word the source's u, but the source has no such column"),
        ({"u": "t"}, "calls u the source's t, but the table has no such column"),
        ({"n": "t"}, "calls n, int64, the source's t, which is int32 in the runtime"),
    ):
        with pytest.raises(OptionError, match=sentence):
            source.restore(table, names)
    with pytest.raises(DataError, match="column t holds a code beyond the 2 of its dictionary"):
        source.restore(pa.table({"t": pa.array([7], pa.int32())}))
    assert source.restore(pa.table({"t": [7]})).to_pydict() == {"t": [7]}, "of another type: another column"


def test_a_file_of_a_dataset_that_lacks_a_column_is_named_and_not_its_first_null(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"a": [3]}), tmp_path / "1.parquet")
    source = ArrowSource(ds.dataset(tmp_path))
    with pytest.raises(DataError, match=r"1\.parquet has no column b, where column b has a null in row 1"):
        streambench.Pipeline([source, TableSink()]).run()
