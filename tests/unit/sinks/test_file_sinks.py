"""Files hold the plain run's rows in its order, are whole or absent, and are the same whoever makes them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sink_pipelines import ENGINES, numbered, plain, source

import streambench
from streambench.errors import DataError, OptionError, SinkError

every_engine = pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES.keys())
KINDS: dict[str, Any] = {".parquet": streambench.ParquetSink, ".arrow": streambench.IpcSink}
every_kind = pytest.mark.parametrize("suffix", KINDS)
ROWS = 5_000


def read(file: Path) -> pa.Table:
    return pq.read_table(file) if file.suffix == ".parquet" else pa.ipc.open_file(file).read_all()


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def run(sink: Any, rows: int = ROWS, **how: Any) -> Any:
    return streambench.Pipeline([source(rows), numbered, sink]).run(pin=False, **how)


@every_engine
@every_kind
def test_files_hold_the_plain_runs_rows_and_roll_by_rows(how: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    expected, digest = plain(ROWS)
    sink = KINDS[suffix](tmp_path / "out", file_rows=1500, batch_rows=400)
    assert run(sink, unit=77, **how).digest == digest
    files = sorted((tmp_path / "out").iterdir())
    assert files == sink.files
    assert [each.name for each in files] == [f"part-0000000{k}{suffix}" for k in range(4)]
    assert [len(read(each)) for each in files] == [1500, 1500, 1500, 500]
    assert pa.concat_tables(map(read, files)).equals(expected)


@every_kind
def test_one_file_is_written_where_one_is_named(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / "deep" / f"out{suffix}"
    for rows in (0, 1, ROWS):  # an older one is replaced
        run(KINDS[suffix](file), rows, workers=2)
        assert read(file).equals(plain(rows)[0])
        assert names(file.parent) == [file.name]


@every_kind
def test_files_roll_by_bytes_after_whole_batches(suffix: str, tmp_path: Path) -> None:
    sink = KINDS[suffix](tmp_path, file_bytes=5_000, batch_rows=100)
    run(sink, workers=2)
    assert len(sink.files) > 3
    assert all(each.stat().st_size >= 5_000 and len(read(each)) % 100 == 0 for each in sink.files[:-1])
    assert pa.concat_tables(map(read, sink.files)).equals(plain(ROWS)[0])


@every_kind
@pytest.mark.parametrize("how", [{"engine": "serial", "unit": 7}, {"workers": 8, "unit": 64}, {"workers": 3}])
def test_equal_streams_make_equal_files(suffix: str, how: dict[str, Any], tmp_path: Path) -> None:
    for name, each in (("one", {"workers": 1}), ("other", how)):
        run(KINDS[suffix](tmp_path / name, file_rows=900, batch_rows=250), **each)
    for name in names(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert names(tmp_path / "one") == names(tmp_path / "other")


@settings(max_examples=20)
@given(rows=st.integers(0, 200), file_rows=st.integers(1, 90), batch_rows=st.integers(1, 90))
def test_any_limits_keep_all_rows(rows: int, file_rows: int, batch_rows: int, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("files")
    sink = streambench.IpcSink(folder, file_rows=file_rows, batch_rows=batch_rows)
    run(sink, rows, workers=2, unit=16)
    assert [len(read(each)) for each in sink.files[:-1]] == [file_rows] * (len(sink.files) - 1)
    assert pa.concat_tables(map(read, sink.files)).equals(plain(rows)[0])


@every_kind
def test_a_run_that_fails_leaves_whole_files_only(suffix: str, tmp_path: Path) -> None:
    @streambench.mapped(emits={"user": "int64"}, numba=False)
    def refusing(visit: int) -> int:
        if visit > 300:
            raise ValueError("too many")
        return visit

    sink = KINDS[suffix](tmp_path, file_rows=800, batch_rows=100)
    with pytest.raises(streambench.OperatorError):
        streambench.Pipeline([source(ROWS), numbered, refusing, sink]).run(workers=2)
    assert names(tmp_path) == [each.name for each in sink.files]
    assert {len(read(each)) for each in sink.files} == {800}


@every_kind
def test_a_full_disk_ends_the_run_and_leaves_nothing_torn(
    suffix: str, tmp_path: Path, room: Callable[[int], AbstractContextManager[None]]
) -> None:
    sink = KINDS[suffix](tmp_path / f"out{suffix}")
    with room(4096), pytest.raises(SinkError, match=r"^the sink .* cannot be written \(File too large\): make room"):
        run(sink, workers=2)
    assert names(tmp_path) == []


@every_kind
def test_a_folder_of_another_run_is_refused_before_the_run(suffix: str, tmp_path: Path) -> None:
    run(KINDS[suffix](tmp_path), 10)
    with pytest.raises(DataError, match=rf"holds part-00000000{suffix} of another run"):
        run(KINDS[suffix](tmp_path), 10)
    with pytest.raises(OptionError, match="is one file"):
        KINDS[suffix](tmp_path / f"a{suffix}", file_rows=3)
    (tmp_path / f"b{suffix}").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        run(KINDS[suffix](tmp_path / f"b{suffix}"), 10)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written to"):
        run(KINDS[suffix](tmp_path / "file"), 10)
    with pytest.raises(OptionError, match="file_rows"):
        KINDS[suffix](tmp_path, file_rows=0)


def overlapped(sink: Any, other: Any) -> Any:
    """A run in which another one, of 10 rows, begins and ends, after the sink has been given rows."""
    others = streambench.tap(streambench.CallbackSink(lambda batch: run(other, 10), batch_seconds=None))
    return streambench.Pipeline([source(ROWS), numbered, others, sink]).run(workers=1, pin=False)


@every_kind
def test_of_two_runs_into_a_folder_at_once_one_fails(suffix: str, tmp_path: Path) -> None:
    sink, other = KINDS[suffix](tmp_path, batch_rows=100), KINDS[suffix](tmp_path)
    with pytest.raises(SinkError, match=rf"another run has written .*part-00000000{suffix} meanwhile: name a folder"):
        overlapped(sink, other)
    assert names(tmp_path) == [f"part-00000000{suffix}"]
    assert read(other.files[0]).equals(plain(10)[0])
    assert sink.files == []


@every_kind
def test_two_runs_into_one_file_at_once_do_not_mix(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"out{suffix}"
    overlapped(KINDS[suffix](file, batch_rows=100), KINDS[suffix](file))
    assert read(file).equals(plain(ROWS)[0])
    assert names(tmp_path) == [file.name]


@every_kind
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_without_hard_links_is_written_to(
    suffix: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*names: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)
    sink, other = KINDS[suffix](tmp_path, batch_rows=100), KINDS[suffix](tmp_path if there else tmp_path / "other")
    if there:
        with pytest.raises(SinkError, match="another run has written"):
            overlapped(sink, other)
    else:
        overlapped(sink, other)
        assert read(sink.files[0]).equals(plain(ROWS)[0])
    assert read(other.files[0]).equals(plain(10)[0])


@every_kind
@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_file_that_cannot_be_ended_is_removed(
    suffix: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*how: Any) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(os, call, refused)
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(SinkError, match="the disk is gone"):
        run(KINDS[suffix](tmp_path), 10)
    assert names(tmp_path) == []


@every_kind
def test_a_file_that_cannot_be_closed_is_removed(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise OSError("the disk is gone")

    batch = pa.record_batch({"n": [1, 2]})
    sink = KINDS[suffix](tmp_path)
    sink.begin(batch.schema)
    sink.write(batch)
    assert len(names(tmp_path)) == 1
    monkeypatch.setattr(sink, "_file", SimpleNamespace(close=refused))
    with pytest.raises(OSError, match="the disk is gone"):
        sink.abandon()
    assert names(tmp_path) == []


@every_kind
@pytest.mark.parametrize("compression", ["nonsense", 3])
def test_a_compression_that_is_none_is_refused_at_once(suffix: str, compression: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=rf"compression cannot be {compression!r} for a \w+ \(.*\): name another\."):
        KINDS[suffix](tmp_path, compression=compression)


@every_kind
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder here in which nobody makes files")
def test_a_place_that_takes_no_file_is_refused_before_the_run(suffix: str) -> None:
    for place in ("/proc", f"/proc/out{suffix}"):
        with pytest.raises(DataError, match=r"^/proc cannot be written to \(.+\): name another folder\."):
            run(KINDS[suffix](place), 10)


def test_a_large_batch_is_one_row_group(tmp_path: Path) -> None:
    batch = pa.record_batch({"n": pa.nulls(1_100_000, pa.int64())})
    sink = streambench.ParquetSink(tmp_path, batch_rows=len(batch))
    sink.begin(batch.schema)
    for each in (batch, batch.slice(0, 10)):
        sink.write(each)
    sink.finish()
    groups = pq.read_metadata(sink.files[0])
    assert [groups.row_group(k).num_rows for k in range(groups.num_row_groups)] == [1_100_000, 10]


SCRIPT = """
import sys, itertools, numpy as np, streambench
endless = ((np.arange(100),) for _ in itertools.count())
sink = getattr(streambench, sys.argv[1])(sys.argv[2], file_rows=1000, batch_rows=100)
streambench.Pipeline([streambench.BatchSource(endless, ("n",)), streambench.tap(sink), streambench.CallbackSink(
    lambda batch: print("on", flush=True), batch_rows=5000)]).run(workers=2)
"""


@every_kind
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_leaves_whole_files_only(suffix: str, how: signal.Signals, tmp_path: Path) -> None:
    words = [sys.executable, "-c", SCRIPT, KINDS[suffix].__name__, str(tmp_path)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    os.kill(process.pid, how)
    process.communicate(timeout=60)
    seen = [each for each in names(tmp_path) if not each.startswith(".")]
    assert len(seen) >= 4
    assert all(read(tmp_path / each)["n"].to_pylist() == [*range(100)] * 10 for each in seen)
    assert how == signal.SIGKILL or len(seen) == len(names(tmp_path))


def test_parquet_comes_back_as_a_source_with_its_order(tmp_path: Path) -> None:
    run(streambench.ParquetSink(tmp_path, file_rows=700, nulls={"user": -1}), workers=2)
    sink = streambench.TableSink()
    again = streambench.Pipeline([streambench.ArrowSource(tmp_path, nulls={"user": -1}), sink])
    again.run(workers=2)
    assert again.source.restore(sink.to_arrow())["visit"].equals(plain(ROWS)[0]["visit"])


@every_kind
@pytest.mark.parametrize("how", ["refused", "failed"])
def test_a_run_that_wrote_nothing_leaves_no_folder(suffix: str, how: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    sink = KINDS[suffix](tmp_path / "new" / "deep")
    kept = KINDS[suffix](tmp_path / "there" / "new")

    @streambench.mapped(emits="user", numba=False)
    def refusing(user: int) -> int:
        raise ValueError("none of them")

    between: Any = refusing
    if how == "refused":
        run(KINDS[suffix](tmp_path / "taken"), 5)
        between = streambench.tap(KINDS[suffix](tmp_path / "taken"))
    with pytest.raises(streambench.StreambenchError):
        streambench.Pipeline([source(20), streambench.tap(kept), between, sink]).run()
    assert set(names(tmp_path)) <= {"there", "taken"}
    assert names(tmp_path / "there") == []
