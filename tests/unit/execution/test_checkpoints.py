"""A stopped run goes on, a finished one does nothing twice, and what cannot go on is refused in a sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from saved_runs import fault, run, write_at_once
from sink_pipelines import ENGINES, numbered, source, visits

import streambench
from streambench.errors import DataError, OptionError, StreambenchError
from streambench.execution.checkpoints import seconds_of

PLANS = {name: how for name, how in ENGINES.items() if name != "schemes"}
every_plan = pytest.mark.parametrize("how", PLANS.values(), ids=PLANS.keys())
SCHEMA = pa.schema([("number", pa.int64()), ("text", pa.string())])
ROWS = 3000


def numbers(first: int = 0, rows: int = ROWS, step: int = 70) -> Iterator[pa.RecordBatch]:
    for begin in range(first, rows, step):
        values = range(begin, min(begin + step, rows))
        yield pa.record_batch([pa.array(values), pa.array([f"t{k % 50}" for k in values])], schema=SCHEMA)


def table() -> pa.Table:
    return pa.Table.from_batches(numbers())


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


@every_plan
def test_a_stopped_run_goes_on_and_its_files_are_the_undisturbed_ones(how: dict[str, Any], tmp_path: Path) -> None:
    def made(out: str) -> streambench.Pipeline:
        return streambench.Pipeline(
            [source(20_000), numbered, streambench.ParquetSink(tmp_path / out, file_rows=900, batch_rows=50)]
        )

    state: dict[str, Any] = {"checkpoint": tmp_path / "state", "every": "5ms", "unit": 100, "pin": False, **how}
    whole = made("whole").run(workers=1, pin=False)
    row = 0
    for _ in range(2):
        began = made("out").start(**state)
        while began.is_running and began.glance().tuples < 1000:
            time.sleep(0.001)
        began.stop()
        result = began.result()
        assert result.checkpoints is not None
        assert result.checkpoints["begun_at"] == row
        row += result.tuples
    rest = made("out").run(**state)
    assert row + rest.tuples == 20_000
    assert rest.digest == whole.digest
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    again = made("out")
    last = again.run(**state)
    assert last.checkpoints is not None
    assert (last.tuples, last.checkpoints["was_finished"], last.digest) == (0, True, whole.digest)
    assert (last.output_tuples, len(again.sink.files)) == (20_000, 23)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_finished_run_calls_no_function_and_says_so(tmp_path: Path) -> None:
    given: list[int] = []
    for _ in range(3):
        sink = streambench.CallbackSink(lambda batch, row: given.append(row), positions=True, batch_rows=1000)
        result = streambench.Pipeline([table(), sink]).run(checkpoint=tmp_path, workers=2, pin=False)
    assert given == [0, 1000, 2000]
    assert result.checkpoints == {
        "count": 0,
        "pause_ns_median": 0,
        "pause_ns_max": 0,
        "begun_at": ROWS,
        "was_finished": True,
    }
    assert result.to_json()["checkpoints"] == result.checkpoints


def test_a_function_gets_the_rows_behind_the_checkpoint_again_by_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    rows: dict[int, int] = {}

    def take(batch: pa.RecordBatch, first: int) -> None:
        for place, value in enumerate(batch["number"].to_pylist(), first):
            assert rows.setdefault(place, value) == value

    for at in (500, 1400, None):
        sink = streambench.CallbackSink(take, positions=True, batch_rows=64, batch_seconds=None)
        run([table(), fault(at), sink], tmp_path, fails=at is not None, unit=33, workers=2)
    assert list(rows.values()) == list(rows) == list(range(ROWS))


def test_pauses_are_counted_in_the_result_and_told_to_prometheus(tmp_path: Path) -> None:
    pipeline = streambench.Pipeline([table(), streambench.TableSink()])
    with pipeline.start(checkpoint=tmp_path, every=1e-6, unit=1, workers=1, pin=False) as began:
        pass
    found = began.result().checkpoints
    assert found is not None
    assert found["pause_ns_max"] >= found["pause_ns_median"] > 0
    assert f"streambench_checkpoints_total {found['count']}\n" in began.metrics()
    assert f"streambench_checkpoint_pause_seconds_max {found['pause_ns_max'] * 1e-9}\n" in began.metrics()
    plain = streambench.Pipeline([table(), streambench.TableSink()]).start(workers=1, pin=False)
    assert plain.result().checkpoints is None
    assert "checkpoint" not in plain.metrics()


class Own(streambench.BatchSink):
    def write(self, batch: pa.RecordBatch) -> None:
        """Nothing."""


REFUSED: dict[str, tuple[Callable[[], list[Any]], dict[str, Any], str]] = {
    "an iterator": (
        lambda: [streambench.BatchSource([([1],)], ("number",)), streambench.TableSink()],
        {},
        "the BatchSource cannot be saved: leave out checkpoint, or an ArrowSource can",
    ),
    "a reader": (
        lambda: [table().to_reader(), streambench.TableSink()],
        {},
        "a RecordBatchReader cannot be read again from where a run stopped",
    ),
    "a feed": (lambda: [streambench.Feed(numbers(), SCHEMA), streambench.TableSink()], {}, "a Feed cannot be read"),
    "a sink of one's own": (lambda: [table(), Own()], {}, "the Own cannot be saved: .* the methods save and load"),
    "a function without positions": (
        lambda: [table(), streambench.CallbackSink(print)],
        {},
        "by positions True, or leave out checkpoint",
    ),
    "schemes": (lambda: [table(), streambench.TableSink()], {"engine": "schemes"}, "engine schemes has no checkpoints"),
    "ranges": (lambda: [table(), streambench.TableSink()], {"partition_by": "range"}, "needs partition_by hash"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_go_on_is_refused_before_the_run(case: str, tmp_path: Path) -> None:
    build, options, sentence = REFUSED[case]
    with pytest.raises(OptionError, match=sentence):
        streambench.Pipeline(build()).run(checkpoint=tmp_path, **options)
    streambench.Pipeline([table(), streambench.TableSink()]).run(checkpoint=tmp_path)  # the folder is free


def test_an_operator_without_the_methods_is_named(probes: Any, tmp_path: Path) -> None:
    operators = [probes.Counting(10), probes.Total(), streambench.TableSink()]
    with pytest.raises(OptionError, match=r"the Counting cannot be saved: .*|the Total cannot be saved"):
        streambench.Pipeline(operators).run(checkpoint=tmp_path)


def test_a_loop_has_no_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"stream\(\) has no checkpoint: what a loop has taken is not known"):
        streambench.Pipeline([table()]).stream(checkpoint=tmp_path)  # type: ignore[call-arg]


@pytest.mark.parametrize("every", [0, -1, float("nan"), float("inf"), "0s", "soon", "1e3"])
def test_a_span_that_is_none_is_refused(every: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="every"):
        streambench.Pipeline([table(), streambench.TableSink()]).run(checkpoint=tmp_path, every=every)


def test_a_span_without_a_folder_is_refused() -> None:
    with pytest.raises(OptionError, match="every says how often a run is saved: name a folder by checkpoint="):
        streambench.Pipeline([table(), streambench.TableSink()]).run(every="1s")


def test_spans_are_seconds() -> None:
    assert [seconds_of(each) for each in (3, 0.5, "10s", "250ms", np.float64(2))] == [3, 0.5, 10, 0.25, 2]


def test_another_pipeline_and_a_damaged_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    out, state = tmp_path / "out", tmp_path / "state"

    def operators(at: int | None, size: int = 100) -> list[Any]:
        window = streambench.window({"n": "count"}, time="number", size=size, by="text")
        return [table(), fault(at), window, streambench.ParquetSink(out, file_rows=500, batch_rows=40)]

    run(operators(2000), state, fails=True, unit=50, workers=2)
    with pytest.raises(DataError, match=r"of another pipeline, whose operator 3 is KeyedWindows window .* where this"):
        run(operators(None, 99), state, fails=False)
    newest = sorted(state.glob("*.state"))[-1]
    whole = newest.read_bytes()
    newest.write_bytes(whole[:200] + bytes([whole[200] ^ 4]) + whole[201:])
    with pytest.raises(DataError, match=rf"the checkpoint .*{newest.name} is damaged: remove it to go on from the one"):
        run(operators(None), state, fails=False)
    newest.unlink()
    assert run(operators(None), state, fails=False).checkpoints["begun_at"] >= 1900
    undisturbed = [*operators(None)[:-1], streambench.ParquetSink(tmp_path / "whole", file_rows=500, batch_rows=40)]
    streambench.Pipeline(undisturbed).run(engine="serial")
    assert contents(out) == contents(tmp_path / "whole")


def test_rows_that_are_cut_otherwise_and_files_of_others_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)

    def operators(at: int | None, out: str = "out", **how: Any) -> list[Any]:
        how = {"file_rows": 2500, "batch_rows": 400, **how}
        return [table(), fault(at), streambench.ParquetSink(tmp_path / out, **how)]

    run(operators(2000), tmp_path / "state", fails=True, unit=50)
    for how in ({"batch_rows": 30}, {"file_rows": 700}, {"file_bytes": 9}, {"compression": "zstd"}):
        with pytest.raises(DataError, match=r"of another pipeline, whose operator 2 is ParquetSink .*batch_rows 400"):
            run(operators(None, **how), tmp_path / "state", fails=False)
    streambench.Pipeline(operators(None, "other")).run(engine="serial")
    before = contents(tmp_path / "other")
    with pytest.raises(DataError, match=r"other/part-00000000\.parquet is not of the run .* wrote to .*/out: "):
        run(operators(None, "other"), tmp_path / "state", fails=False)
    assert contents(tmp_path / "other") == before
    run(operators(None), tmp_path / "state", fails=False)
    assert contents(tmp_path / "out") == before


def counted_by(key: str) -> Any:
    @streambench.keyed(key=key, state=[("n", "int64")], emits=["n"], numba=False)
    def counted(state: Any, fault: int) -> Any:
        state.n += 1
        return (state.n,)

    return counted


COUNT = {"count": "count"}
CHANGED: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "time": (
        lambda: streambench.window(COUNT, time="number", size=10),
        lambda: streambench.window(COUNT, time="other", size=10),
    ),
    "flush": (
        lambda: streambench.window(COUNT, time="number", size=10),
        lambda: streambench.window(COUNT, time="number", size=10, flush=False),
    ),
    "key": (lambda: counted_by("number"), lambda: counted_by("other")),
}


@pytest.mark.parametrize("option", CHANGED)
def test_an_operator_of_other_columns_or_options_is_refused(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    then, now = CHANGED[option]
    rows = table().append_column("other", pa.array(range(ROWS)))
    run([rows, fault(500), then(), streambench.TableSink()], tmp_path, fails=True, unit=50)
    with pytest.raises(DataError, match="of another pipeline, whose operator"):
        run([rows, fault(None), now(), streambench.TableSink()], tmp_path, fails=False)
    run([rows, fault(None), then(), streambench.TableSink()], tmp_path, fails=False)


def test_a_growing_folder_whose_files_went_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    data = tmp_path / "data"
    data.mkdir()
    for k in range(5):
        pq.write_table(table().slice(k * 600, 600), data / f"part-{k}.parquet")
    (data / "_SUCCESS").touch()

    def operators(at: int | None) -> list[Any]:
        return [streambench.ArrowSource(streambench.GrowingFolder(data)), fault(at), streambench.TableSink()]

    run(operators(1500), tmp_path / "state", fails=True, unit=50)
    (data / "part-1.parquet").rename(tmp_path / "away.parquet")
    with pytest.raises(DataError, match=r"the run has read part-1\.parquet, and the source now has part-2\.parquet "):
        run(operators(None), tmp_path / "state", fails=False)
    (tmp_path / "away.parquet").rename(data / "part-1.parquet")
    result = run(operators(None), tmp_path / "state", fails=False)
    assert result.output_tuples == ROWS


@pytest.mark.parametrize("size", [3_000, 12_000, 40_000])
def test_a_run_whose_disk_was_full_goes_on_when_there_is_room(size: int, tmp_path: Path, room: Any) -> None:
    """Whatever does not fit: rows that are kept apart, a checkpoint, or a file of the output."""

    def made(out: str) -> streambench.Pipeline:
        sink = streambench.ParquetSink(tmp_path / out, file_rows=9000, batch_rows=500)
        return streambench.Pipeline([source(20_000), numbered, sink])

    how: dict[str, Any] = {"checkpoint": tmp_path / "state", "every": 1e-9, "unit": 100, "workers": 2, "pin": False}
    with room(size), pytest.raises(StreambenchError, match=r"cannot be written .*File too large") as told:
        made("out").run(**how)
    assert str(told.value).count(". ") == 0
    made("out").run(**how)
    made("whole").run(workers=1, pin=False)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_source_that_has_become_shorter_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    whole, rest = table(), ds.dataset(table().slice(0, 100))
    run([ds.dataset(whole), fault(500), streambench.TableSink()], tmp_path, fails=True, unit=50)
    with pytest.raises(DataError, match=r"the run has read \d+ rows, and the source has 100: give it the same data"):
        run([rest, fault(None), streambench.TableSink()], tmp_path, fails=False)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"odd": np.ma.masked_array([1, 2], [True, False])}, "gives 'odd', of int64: give NumPy arrays of numbers"),
        (None, "returns a NoneType: return a dictionary of NumPy arrays"),
        ([np.arange(3)], "returns a list: return a dictionary of NumPy arrays"),
    ],
)
def test_a_state_that_a_file_would_not_give_back_is_refused(state: Any, told: str, tmp_path: Path) -> None:
    class Odd(streambench.BatchSink):
        def save(self) -> Any:
            return {**super().save(), **state} if isinstance(state, dict) else state

        def write(self, batch: pa.RecordBatch) -> None:
            pass

    with pytest.raises(OptionError, match=f"save of the Odd {told}"):
        streambench.Pipeline([table(), Odd()]).run(checkpoint=tmp_path)


@pytest.mark.parametrize("folder", [5, b"x", "", ".", "a\0b", [], True])
def test_what_is_no_folder_is_refused(folder: Any) -> None:
    with pytest.raises(OptionError, match="checkpoint must be the name of a folder of its own, not "):
        streambench.Pipeline([table(), streambench.TableSink()]).run(checkpoint=folder)


def test_files_that_went_or_changed_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    data = tmp_path / "data"
    data.mkdir()
    for k in range(3):
        pq.write_table(table().slice(k * 1000, 1000), data / f"{k}.parquet", row_group_size=300)

    def operators(at: int | None) -> list[Any]:
        return [data, fault(at), streambench.IpcSink(tmp_path / "out", file_rows=400, batch_rows=100)]

    run(operators(1700), tmp_path / "state", fails=True, unit=50)
    kept = (data / "1.parquet").read_bytes()
    pq.write_table(table().slice(0, 7), data / "1.parquet")
    with pytest.raises(DataError, match=r"has read 1\.parquet, and the source now has 1\.parquet with 7 rows in its"):
        run(operators(None), tmp_path / "state", fails=False)
    (data / "1.parquet").write_bytes(kept)
    gone = (tmp_path / "out" / "part-00000000.arrow").rename(tmp_path / "gone")
    with pytest.raises(DataError, match=r"part-00000000\.arrow, which the run has written, is gone"):
        run(operators(None), tmp_path / "state", fails=False)
    gone.rename(tmp_path / "out" / "part-00000000.arrow")
    rows = next(iter((tmp_path / "state").glob("*.rows")))
    whole = rows.read_bytes()
    rows.write_bytes(whole[:-1])
    with pytest.raises(DataError, match=r"\.rows, which belongs to the last checkpoint, is damaged"):
        run(operators(None), tmp_path / "state", fails=False)
    rows.write_bytes(whole)
    pq.write_table(table().slice(0, 5), data / "3.parquet")  # a later file is welcome
    assert run(operators(None), tmp_path / "state", fails=False).checkpoints["begun_at"] >= 1650
    found = pa.concat_tables(pa.ipc.open_file(each).read_all() for each in sorted((tmp_path / "out").iterdir()))
    assert found["number"].to_pylist() == [*range(ROWS), *range(5)]


def test_feeds_and_growing_folders_go_on_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    begun: list[int] = []

    def resumed(first: int) -> Iterator[pa.RecordBatch]:
        begun.append(first)
        return numbers(first)

    data = tmp_path / "data"
    data.mkdir()
    for k in range(3):
        pq.write_table(table().slice(k * 1000, 1000), data / f"{k}.parquet")
    (data / "_SUCCESS").touch()
    sources: dict[str, Callable[[], Any]] = {
        "feed": lambda: streambench.Feed(numbers(), SCHEMA, resume=resumed),
        "folder": lambda: streambench.GrowingFolder(data, look_seconds=0.01),
        "frame": lambda: table().to_pandas(),
    }
    for name, make in sources.items():
        for at in (800, 2100, None):
            sink = streambench.TableSink()
            run([make(), fault(at), sink], tmp_path / name, fails=at is not None, unit=50, workers=2)
        assert sink.rows()[0].tolist() == list(range(ROWS)), name
    assert begun[0] in range(750, 801)
    assert begun[1] in range(2050, 2101)


def test_a_full_disk_ends_the_run_and_leaves_the_last_checkpoint(
    tmp_path: Path, room: Callable[[int], AbstractContextManager[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    with room(20_000), pytest.raises(StreambenchError, match=r"a checkpoint cannot be written to .*\(File too large\)"):
        run([table(), fault(None), streambench.TableSink()], tmp_path, fails=False, unit=50)
    sink = streambench.TableSink()
    assert run([table(), fault(None), sink], tmp_path, fails=False).checkpoints["begun_at"] > 0
    assert sink.rows()[0].tolist() == list(range(ROWS))
    assert not list(tmp_path.glob(".*"))


def test_texts_have_the_codes_of_an_undisturbed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_at_once(monkeypatch)
    expected = streambench.TableSink()
    streambench.Pipeline([source(1000), numbered, expected]).run(engine="serial")
    columns = visits(1000).append_column("number", pa.array(range(1000)))
    for at in (300, 700, None):
        arrow = streambench.ArrowSource(columns, nulls={"user": -1}, read_ahead=1)
        sink = streambench.TableSink()
        run([arrow, fault(at), numbered, sink], tmp_path, fails=at is not None, unit=20)
    assert [each.tolist() for each in sink.rows()] == [each.tolist() for each in expected.rows()]
    given = streambench.ArrowSource(columns, nulls={"user": -1}, dictionaries={"page": ["other"]})
    with pytest.raises(DataError, match="the run had other codes for its texts: give the source the same dictionaries"):
        given.load(arrow.save())
