"""Parquet files, datasets and the frames of pandas, Polars and DuckDB are sources, and read what a sink has kept."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import streambench
from streambench import ArrowSource, Pipeline
from streambench.data.arrow_stream import to_be_read_again
from streambench.data.parquet_files import BATCH_ROWS, ParquetFiles
from streambench.errors import DataError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.pyx.table_sink import TableSink

ROWS = {
    "n": list(range(3000)),
    "x": [k / 8 for k in range(3000)],
    "flag": [k % 3 == 0 for k in range(3000)],
    "word": [None if k % 7 == 0 else f"w{k % 11}" for k in range(3000)],
    "day": [datetime.date(2020, 1, 1) + datetime.timedelta(days=k % 40) for k in range(3000)],
}


@streambench.stateless(appends="twice", numba=False)
def doubled(n: Any, twice: Any) -> None:
    twice[:] = 2 * n


def through(data: Any, **how: Any) -> tuple[ArrowSource, TableSink]:
    source = ArrowSource(data, **how)
    pipeline = Pipeline([source, doubled, TableSink()])
    pipeline.run(workers=2, unit=64)
    return source, pipeline.sink


def pandas_frame(table: pa.Table) -> Any:
    pytest.importorskip("pandas")
    return table.to_pandas()


def polars_frame(table: pa.Table) -> Any:
    return pytest.importorskip("polars").from_arrow(table)


def duckdb_relation(table: pa.Table) -> Any:
    relation = pytest.importorskip("duckdb").connect().from_arrow(table)
    if not hasattr(relation, "__arrow_c_stream__"):
        pytest.skip("this DuckDB has no Arrow C stream")
    return relation


def file(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "one.parquet", row_group_size=700)
    return folder / "one.parquet"


def folder_of_two(table: pa.Table, folder: Path) -> Path:
    for k in range(2):
        pq.write_table(table.slice(1500 * k, 1500), folder / f"part{k}.parquet")
    return folder


def list_of_two(table: pa.Table, folder: Path) -> list[str]:
    folder_of_two(table, folder)
    return [str(folder / f"part{k}.parquet") for k in range(2)]


def dataset(table: pa.Table, folder: Path) -> ds.Dataset:
    return ds.dataset(folder_of_two(table, folder), format="parquet")


@pytest.mark.parametrize("made", [pandas_frame, polars_frame, duckdb_relation])
def test_frames_of_other_libraries_are_sources(made: Callable[[pa.Table], Any]) -> None:
    source, sink = through(made(pa.table(ROWS)))
    restored = source.restore(sink.to_arrow())
    assert restored.to_pydict() == {**ROWS, "twice": [2 * k for k in range(3000)]}
    assert source.again


@pytest.mark.parametrize("made", [file, folder_of_two, list_of_two, dataset])
def test_parquet_files_are_sources(made: Callable[[pa.Table, Path], Any], tmp_path: Path) -> None:
    source, sink = through(made(pa.table(ROWS), tmp_path))
    assert (source.total(), source.in_memory, source.again) == (None if made is dataset else 3000, False, True)
    assert source.restore(sink.to_arrow()).to_pydict() == {**ROWS, "twice": [2 * k for k in range(3000)]}
    few, sink = through(made(pa.table(ROWS), tmp_path), columns=["word", "n"])
    assert few.restore(sink.to_arrow()).column_names == ["word", "n", "twice"]


@pytest.mark.parametrize("made", [lambda t: t, lambda t: t.to_batches()[0], lambda t: t.to_reader(), ds.dataset])
def test_everything_of_pyarrows_is_a_source(made: Callable[[pa.Table], Any]) -> None:
    table = pa.table(ROWS)
    data = made(table)
    source, sink = through(data)
    assert source.restore(sink.to_arrow()).select(table.column_names).to_pydict() == ROWS
    assert (source.total() is None) == isinstance(data, (pa.RecordBatchReader, ds.Dataset))


def test_a_file_that_is_damaged_is_told_after_what_could_be_read(tmp_path: Path) -> None:
    whole = file(pa.table(ROWS), tmp_path)
    content = bytearray(whole.read_bytes())
    begin = pq.read_metadata(whole).row_group(3).column(0).file_offset or len(content) // 2
    content[begin : begin + 4000] = b"\xff" * 4000
    whole.write_bytes(content)
    with pytest.raises(DataError, match=r"one\.parquet cannot be read as Parquet \("):
        through(whole)
    with pytest.raises(DataError, match=r"one\.parquet cannot be read as Parquet \("):
        to_be_read_again(whole, in_memory=True)


@pytest.mark.parametrize("how", ["written over", "another in its place", "damaged"])
@pytest.mark.parametrize("changed", [0, 1])
def test_a_file_that_changes_while_files_are_read_is_told(tmp_path: Path, changed: int, how: str) -> None:
    """The one that is being read, and one that is not opened yet: of that, no row comes."""
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for each in files:
        pq.write_table(pa.table({"n": list(range(200_000))}), each, row_group_size=100_000)
    stream, source = ParquetFiles(files), ArrowSource(files)
    begun = [stream.batches(["n"]), stream.column(files[changed], 1, "n")]
    for each in begun:
        next(each)
    other = tmp_path / "other" if how == "another in its place" else files[changed]
    if how == "damaged":
        other.write_bytes(b"no Parquet")
    else:
        pq.write_table(pa.table({"n": list(range(200_001))}), other, row_group_size=100_000)
    other.replace(files[changed])
    told = rf"{changed}\.parquet has changed since it was named: let its writer"
    for rest in begun:
        with pytest.raises(DataError, match=told):
            list(rest)
    batches, column = stream.batches(["n"]), stream.column(files[changed], 0, "n")
    with pytest.raises(DataError, match=told):
        next(column)
    for _ in range(-(-200_000 // BATCH_ROWS) * changed):
        next(batches)
    with pytest.raises(DataError, match=told):
        next(batches)
    with pytest.raises(DataError, match=told):
        Pipeline([source, TableSink()]).run(workers=2)


def test_the_footer_is_not_read_again_for_each_row_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as long as there are groups: read for each of them it would take quadratic time."""
    path = tmp_path / "groups.parquet"
    pq.write_table(pa.table({"n": [3, 1, 2]}), path, row_group_size=1)
    stream = ParquetFiles(path)
    opened: list[bool] = []
    file = pq.ParquetFile

    def open_file(place: Any, **given: Any) -> Any:
        opened.append(given.get("metadata") is None)
        return file(place, **given)

    monkeypatch.setattr(pq, "ParquetFile", open_file)
    read = [value.as_py() for group in stream.groups for part in stream.column(*group, "n") for value in part]
    assert (read, opened) == ([3, 1, 2], [False] * 3)


def test_a_column_that_only_a_later_file_has_is_not_left_out_without_a_word(tmp_path: Path) -> None:
    for name, columns in {"a": {"n": [1]}, "b": {"n": [2], "more": [3]}}.items():
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    with pytest.raises(DataError, match=r"b\.parquet has a column 'more', which .*a\.parquet has not: .* columns="):
        ArrowSource(tmp_path)
    source = ArrowSource(tmp_path, ["n"])
    sink = TableSink(keep=True)
    Pipeline([source, sink]).run()
    assert sink.rows()[0].tolist() == [1, 2]


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the folder .* holds no file called \*\.parquet"):
        ArrowSource(tmp_path)


def test_pandas_is_not_imported_for_those_who_do_not_use_it() -> None:
    """It takes longer than many a run."""
    script = "import sys, streambench.execution.pipeline; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "a.parquet"
    wrong.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"a\.parquet cannot be read as Parquet \("):
        ArrowSource(wrong)


def test_a_file_whose_columns_have_other_types_is_told_when_it_is_reached(tmp_path: Path) -> None:
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for each, values in zip(files, ([1, 2], ["x", "y"]), strict=True):
        pq.write_table(pa.table({"n": values}), each)
    source = ArrowSource(files)
    pipeline = Pipeline([source, TableSink()])
    with pytest.raises(DataError, match=r"column n is int64 in .*0\.parquet, but string in .*1\.parquet: make"):
        pipeline.run()
    assert pipeline.sink.rows()[0].tolist() == [1, 2]
    pq.write_table(pa.table({"m": [1]}), files[1])
    with pytest.raises(DataError, match=r"column n is int64 in .*0\.parquet, but not there in .*1\.parquet: make"):
        through(files, columns=["n"])


class CountedSchema:
    """A schema that counts the fields that are taken out of it."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema, self.fields = schema, 0
        self.get_all_field_indices = schema.get_all_field_indices

    def field(self, place: int) -> pa.Field:
        self.fields += 1
        return self.schema.field(place)

    def __iter__(self) -> Iterator[pa.Field]:
        return map(self.field, range(len(self.schema)))


def test_each_column_of_a_wide_file_is_looked_at_once(tmp_path: Path) -> None:
    wide = pa.table({f"c{k}": [k] for k in range(100)})
    pq.write_table(wide, tmp_path / "wide.parquet")
    counted = CountedSchema(wide.schema)
    files: Any = ParquetFiles(tmp_path / "wide.parquet")
    files._require_types(tmp_path / "wide.parquet", counted, wide.column_names)
    assert counted.fields == 100


def test_pandas_reads_what_a_sink_has_kept() -> None:
    pytest.importorskip("pandas")
    source, sink = through(pa.table(ROWS))
    frame = pa.table(sink).to_pandas()
    assert (frame["twice"] == 2 * frame["n"]).all()
    assert source.restore(sink.to_arrow()).to_pandas()["word"].dtype == "category"


def test_polars_reads_what_a_sink_has_kept() -> None:
    polars = pytest.importorskip("polars")
    source, sink = through(pa.table(ROWS))
    assert polars.DataFrame(sink)["twice"].to_list() == [2 * k for k in range(3000)]
    assert polars.DataFrame(source.restore(sink.to_arrow()))["word"].to_list() == ROWS["word"]


def test_duckdb_reads_what_a_sink_has_kept() -> None:
    duckdb = pytest.importorskip("duckdb")
    source, sink = through(pa.table(ROWS))
    connection = duckdb.connect()
    assert connection.sql("SELECT sum(twice) FROM sink").fetchall() == [(2999 * 3000,)]
    restored = source.restore(sink.to_arrow())
    found = connection.sql("SELECT count(word), count(DISTINCT word), max(day) FROM restored").fetchall()
    assert found == [(2571, 11, max(ROWS["day"]))]
    assert restored.num_rows == 3000


def test_a_column_that_only_a_later_file_has_is_not_dropped(tmp_path: Path) -> None:
    for k, table in enumerate([pa.table({"n": [1]}), pa.table({"n": [2], "more": [3]})]):
        pq.write_table(table, tmp_path / f"{k}.parquet")
    with pytest.raises(DataError, match=r"1\.parquet has a column 'more', which .*0\.parquet has not: make them"):
        ParquetFiles(tmp_path).table(lambda rows: None)


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"n": [2], "nom": ["b"]}, r"column name is string in .*0\.parquet, but not there in .*1\.parquet: make"),
        ({"n": ["2"], "name": ["b"]}, r"column n is int64 in .*0\.parquet, but string in .*1\.parquet: make"),
        ({"n": pa.array([2], pa.int32()), "name": ["b"]}, r"column n is int64 in .*, but int32 in .*1\.parquet: make"),
        ({"n": [2], "name": ["b"], "more": [3]}, r"1\.parquet has a column 'more', which .*0\.parquet has not: make"),
    ],
)
def test_files_of_other_columns_are_not_given_to_a_function_as_one_table(
    in_memory: bool, second: dict[str, Any], told: str, tmp_path: Path
) -> None:
    for k, table in enumerate([pa.table({"n": [1], "name": ["a"]}), pa.table(second)]):
        pq.write_table(table, tmp_path / f"{k}.parquet")
    with pytest.raises(DataError, match=told):
        to_be_read_again(tmp_path, in_memory=in_memory)


@pytest.mark.parametrize("in_memory", [False, True])
def test_two_columns_of_one_name_are_told_before_a_function_gets_them(in_memory: bool, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["n", "n"]), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet has several columns 'n': rename all but one\."):
        to_be_read_again(tmp_path, in_memory=in_memory)


NUMBERS = {
    "n": pa.array(range(200_000), pa.int32()),
    "half": pa.array((k / 2 for k in range(200_000)), pa.float32()),
    "even": pa.array(k % 2 == 0 for k in range(200_000)),
    "due": pa.array((None if k % 7 == 0 else k for k in range(200_000)), pa.date32()),
}


@pytest.mark.parametrize("how", [{"engine": "serial"}, {"workers": 3}, {"engine": "schemes", "workers": 2}], ids=str)
def test_files_of_numbers_are_decoded_side_by_side_and_come_in_order(how: dict[str, Any], tmp_path: Path) -> None:
    """Files with row groups of several batches, of one row, and of none."""
    table = pa.table(NUMBERS)
    cuts = [(0, 70_000, 70_000), (70_000, 70_001, 10), (70_001, 70_001, 10), (70_001, 200_000, 66_000)]
    for k, (begin, end, group) in enumerate(cuts):
        pq.write_table(table.slice(begin, end - begin), tmp_path / f"part{k}.parquet", row_group_size=group)
    source = ArrowSource(tmp_path, nulls={"due": -1})
    for _ in range(2):
        pipeline = Pipeline([source, TableSink(keep=True)])
        execute(pipeline, Options(pin=False, **how))
        assert source.restore(pipeline.sink.to_arrow()).equals(table)


@pytest.mark.parametrize("how", [{"engine": "serial"}, {"workers": 2}], ids=str)
def test_a_null_that_nothing_stands_for_is_told_with_its_row_where_batches_are_decoded_ahead(
    how: dict[str, Any], tmp_path: Path
) -> None:
    table = pa.table({"n": pa.array([None if k == 150_000 else k for k in range(200_000)], pa.int64())})
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=70_000)
    pipeline = Pipeline([ArrowSource(tmp_path), TableSink(keep=True)])
    with pytest.raises(DataError, match=r"150,?000"):
        execute(pipeline, Options(pin=False, **how))
    assert len(pipeline.sink.rows()[0]) == 140_000
