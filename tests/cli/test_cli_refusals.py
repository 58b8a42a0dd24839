"""Bad input gets one sentence and an exit code, and leaves nothing behind."""

from __future__ import annotations

import errno
import os
import pty
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call, start

from streambench.lab.atomic_file import Writer
from streambench.lab.show import output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--workers", 0], "--workers must be at least 1, not 0."),
        (["--workers", -2], "--workers must be at least 1, not -2."),
        (["--workers", 5000], "--workers must be a whole number from 1 to 1024, not 5000."),
        (["--unit", 0], "--unit must be at least 1, not 0."),
        (["--unit", 100_000], "--unit must be a whole number from 1 to 65536, not 100000."),
        (["--partitions", 0], "--partitions must be at least 1, not 0."),
        (["--laps", 0], "--laps must be at least 1, not 0."),
        (["--laps", 2, "--no-preload"], "2 laps replay a stream that is held in memory: add --preload."),
        (["--sort", "--no-preload"], "sorting needs the stream in memory: add --preload, or sort the data once with"),
        (["--credit", 3], "--credit must be a power of two from 2 to 16384, not 3."),
        (["--time-slice", "nan"], "--time-slice takes a time such as 5ms, 250us or 0.01s, not 'nan'."),
        (["--half-life", "1m"], "--half-life must be from 1e-6 to 10 seconds, not 60.0."),
        (["--plan", "fast"], "--plan must be auto, whole, cut, sharded, or places of operators such as 2|3*|5"),
        (
            ["--plan", "1|2*", "--workers", 2],
            "--plan 1|2*: a segment can begin at operators 2, 3, 4, 5 here, not at 1.",
        ),
        (["--plan", "4*", "--workers", 2], "--plan 4*: only operators 2, 3 can run by partition, not 4."),
        (["--plan", "cut", "--heuristic", "ct"], "--plan cut belongs to --engine ordered: leave out --heuristic."),
        (
            ["--plan", "cut", "--engine", "schemes"],
            "--plan cut belongs to --engine ordered: leave out --engine schemes.",
        ),
        (
            ["--latency-target", "100ms", "--no-fuse"],
            "--latency-target 0.1 belongs to --engine ordered: leave out --no-fuse.",
        ),
        (["--plan", "99", "--workers", 1], "--plan 99: a segment can begin at operators 2, 3, 4, 5 here, not at 99."),
        (["--plan", "2|2*"], "--plan 2|2*: operator 2 is named twice."),
        (["--rate", "1e-9"], "at 1e-09 tuples per second the stream of 7 would take 222 years: choose a rate of at"),
        (["--rate", "1e300"], "--rate must be tuples per second up to 1e+12, or max, not 1e+300."),
        (
            ["--engine", "ordered", "--no-fuse"],
            "--engine ordered does not know --no-fuse: leave that out, or choose --engine schemes.",
        ),
        (
            ["--engine", "ordered", "--routing", "in-order"],
            "--engine ordered does not know --routing: leave that out, or choose --engine schemes.",
        ),
        (
            ["--engine", "ordered", "--reorder", "lock"],
            "--engine ordered does not know --reorder: leave that out,",
        ),
        (["--engine", "ordered", "--heuristic", "lp"], "--engine ordered does not know --heuristic: leave"),
    ],
)
def test_options_that_cannot_be_met_are_refused(call: Call, data: Path, words: list[Any], sentence: str) -> None:
    called = call("run", "q1", "--data", data, *words)
    assert called.code == 2
    assert called.error.startswith(f"streambench: {sentence}")
    assert "answer" not in called.out


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "inf", "1e999", "fast", "1x", "", "0k", "1.2.3"])
def test_rates_that_are_none_are_refused(call: Call, data: Path, rate: str) -> None:
    called = call("run", "q1", "--data", data, f"--rate={rate}")
    assert called.code == 2
    assert called.error == (
        f"streambench: --rate must be max, or tuples per second above 0 such as 1e6, 250k or 2M, not {rate!r}."
    )


@pytest.mark.parametrize("word", ["--engine=fast", "--workers=two", "--parameters=mine", "--nonsense"])
def test_wrong_usage_exits_with_2(call: Call, data: Path, word: str) -> None:
    called = call("run", "q1", "--data", data, word)
    assert called.code == 2
    assert called.err.startswith("streambench: ")
    assert called.err.endswith(" --help`.\n")
    assert called.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["runs"], "no such command 'runs': see `streambench --help`."),
        (["run"], "missing argument 'QUERY': see `streambench run --help`."),
        (["run", "q1"], "missing option '--data': see `streambench run --help`."),
        (["run", "q1", "--data"], "option '--data' requires an argument."),
        (["run", "q1", "--enginee"], "no such option '--enginee' (did you mean one of: '--engine', '--timeline'): see"),
        (["bench", "queries", "--repeats", "x"], "invalid value for '--repeats': 'x' is not a valid integer: see"),
    ],
)
def test_wrong_usage_is_told_in_one_line(call: Call, words: list[str], sentence: str) -> None:
    called = call(*words)
    assert (called.code, called.out) == (2, "")
    assert called.error.startswith(f"streambench: {sentence}")
    assert called.err.count("\n") == 1


def test_a_query_that_is_not_there_is_refused_with_those_that_are(call: Call, data: Path) -> None:
    for command in ("run", "verify"):
        called = call(command, "q9", "--data", data)
        assert called.code == 2
        assert called.error == "streambench: there is no query 'q9': choose from q1, q2, q3, q4, q15, ysb, qjoin."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--queries", "q1,q9"], "there is no query 'q9': choose from q1, q2, q3, q4, q15, ysb, qjoin."),
        (["--workers", "2,5000"], "--workers must be a whole number from 1 to 1024, not 5000."),
        (["--queries", "q1,q2,Q1"], "query q1 is named twice: name it once."),
        (["--workers", "2,2"], "number of workers 2 is named twice: name it once."),
        (["--units", "1024,70000"], "--units must be a whole number from 1 to 65536, not 70000."),
    ],
)
def test_a_benchmark_that_cannot_be_is_refused_before_anything_is_generated(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("bench", "queries", "--scale-factor", 0.001, *words)
    assert (called.code, called.error) == (2, f"streambench: {sentence}")
    assert not list(tmp_path.iterdir())


def test_data_that_are_missing_unfinished_or_no_directory_are_refused(call: Call, data: Path) -> None:
    assert call("run", "q1", "--data", data / "none").error.startswith("streambench: There is no data directory")
    assert "is not a directory" in call("run", "q1", "--data", data / "item" / "part-00000.parquet").error
    (data / "_INCOMPLETE").touch()
    for command in (["run", "q1"], ["verify"]):
        called = call(*command, "--data", data)
        assert called.code == 1
        assert "is unfinished" in called.error
        assert "there is no query 'q9'" in call(command[0], "q9", "--data", data).error  # is told first


@pytest.mark.parametrize(
    ("query", "parameters", "table"),
    [
        ("q15", "paper", "item"),
        ("q1", "kit", "item"),
        ("q3", "kit", "item"),
        ("q4", "paper", "web_page"),
        ("ysb", "paper", "ads"),
        ("qjoin", "paper", "item"),
    ],
)
def test_a_missing_look_up_table_is_named(call: Call, data: Path, query: str, parameters: str, table: str) -> None:
    shutil.rmtree(data / table)
    called = call("run", query, "--data", data, "--parameters", parameters)
    assert called.code == 1
    assert called.error.startswith(f"streambench: Table {table} is missing from {data}: make it with")


@pytest.mark.parametrize("command", ["run q1", "verify q1", "bench sweep --queries q1", "bench queries --queries q1"])
def test_a_missing_column_is_named_before_anything_runs(call: Call, data: Path, command: str, tmp_path: Path) -> None:
    """The parameter set `paper` does not read it; the SQL that checks the answer names it."""
    file = data / "store_sales" / "part-00000.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["ss_store_sk"]), file)
    more = [] if command.startswith(("run", "verify")) else ["--results", tmp_path / "results"]
    called = call(*command.split(), "--data", data, *more)
    assert called.code == 1
    (sentence,) = [line for line in called.err.splitlines() if line.startswith("streambench: ")]
    assert sentence.startswith(f"streambench: {file} has no column ss_store_sk: name the columns as in TPCx-BB")
    assert not list(tmp_path.glob("results/*"))


def test_an_unsorted_stream_is_refused_by_file_and_row(call: Call, data: Path) -> None:
    file = data / "store_sales" / "part-00000.parquet"
    table = pq.read_table(file)
    pq.write_table(table.take([0, 1, 3, 2, 4, 5, 6]), file)
    for command in (["run", "q1"], ["verify", "q1"]):
        called = call(*command, "--data", data)
        assert called.code == 1
        assert f"row 3 of {file} comes before the row ahead of it" in called.error


def test_a_file_that_is_no_parquet_is_refused(call: Call, data: Path) -> None:
    (data / "store_sales" / "part-00000.parquet").write_text("ticket,item\n")
    called = call("run", "q1", "--data", data)
    assert called.code == 1
    assert "is not a readable Parquet file" in called.error


@pytest.mark.parametrize("option", ["--out", "--emitted", "--json"])
def test_places_that_cannot_be_written_are_refused_before_the_run(
    call: Call, data: Path, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: Any, **options: Any) -> None:
        raise AssertionError("the run has begun")

    monkeypatch.setattr("streambench.lab.cli.run.run_workload", never)
    places = {
        tmp_path / "none" / "file": "make the folder first",
        tmp_path: "is a directory",
        Path("/dev/full"): "is not a regular file",
        data / "store_sales" / "part-00000.parquet": "lies among the tables",
        data / "store_sales" / "new.parquet": "lies among the tables",
        data / "item.parquet": "lies among the tables",
    }
    for place, words in places.items():
        called = call("run", "q1", "--data", data, option, place)
        assert called.code == 1
        assert called.error.startswith(f"streambench: {option} {place} ")
        assert words in called.error


@pytest.mark.parametrize("option", ["--out", "--emitted", "--timeline"])
def test_what_is_no_text_does_not_go_to_standard_output(call: Call, data: Path, option: str, tmp_path: Path) -> None:
    called = call("run", "q1", "--data", data, option, "-")
    assert called.code == 2
    assert not (Path.cwd() / "-").exists()


def test_two_outputs_in_one_file_are_refused(call: Call, data: Path, tmp_path: Path) -> None:
    called = call("run", "q1", "--data", data, "--out", tmp_path / "x", "--emitted", tmp_path / "x")
    assert "--out and --emitted name the same file" in called.error


class FullDisk:
    """A file on a disk that is full after ``room`` bytes."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self.file, self.room = file, room

    def write(self, text: bytes) -> int:
        self.room -= len(text)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(text)


def test_a_disk_that_is_full_leaves_no_output_of_any_kind(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(content: Any) -> Writer:
        return lambda file: FullDisk(file, 10).write(output.json_text(content).encode())  # type: ignore[return-value]

    monkeypatch.setattr("streambench.lab.cli.outputs.as_json", full)
    out, old = tmp_path / "answer.parquet", tmp_path / "run.json"
    old.write_text("old")
    called = call("run", "q1", "--data", data, "--out", out, "--json", old)
    assert called.code == 1
    assert called.error == (
        f"streambench: {old} cannot be written (No space left on device): make room, or choose another place; "
        "no output was kept."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "run.json"]
    assert old.read_text() == "old"


def test_a_disk_that_is_full_already_is_seen_before_the_run(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = Path.open

    def opened(self: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode == "xb":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        return true(self, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", opened)
    called = call("run", "q1", "--data", data, "--out", tmp_path / "answer.parquet")
    assert called.code == 1
    assert "cannot be written (Read-only file system): make room, or choose another place." in called.error


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A pseudo-terminal: (what a person sees, what a program writes to)."""
    seen, written = pty.openpty()
    yield seen, written
    for descriptor in (seen, written):
        os.close(descriptor)


def read_until(words: str, process: subprocess.Popen[str], seen: int) -> str:
    """Read the terminal until the words are there; fails when the process ends without them."""
    shown = ""
    while words not in shown:
        ended = process.poll() is not None
        readable, _, _ = select.select([seen], [], [], 0.05)
        if readable:
            shown += os.read(seen, 4096).decode(errors="replace")
        else:
            assert not ended, shown
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "ordered"])
def test_ctrl_c_stops_a_run_with_one_sentence_and_no_file(
    data: Path, tmp_path: Path, terminal: tuple[int, int], engine: str
) -> None:
    seen, written = terminal
    before = sorted(tmp_path.iterdir())
    out = tmp_path / "answer.parquet"
    # One tuple in a thousand seconds: the run is under way for as long as it takes to see it.
    words = ["run", "q1", "--data", data, "--rate", "0.001", "--engine", engine, "--out", out]
    with start(*words, stderr=written, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"}) as process:
        read_until(f"q1 ({engine})", process, seen)  # the live line
        process.send_signal(signal.SIGINT)
        shown = read_until("half-written", process, seen)
        assert process.wait(60) == 130
        assert process.stdout is not None
        told = process.stdout.read()
    assert told == "note: at 0.001 tuples per second the stream of 7 takes 1.9 hours to arrive.\n"
    assert "streambench: interrupted; nothing was left half-written" in shown
    assert "Traceback" not in shown
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_ctrl_c_stops_a_join_with_one_sentence_and_no_file(tmp_path: Path, terminal: tuple[int, int]) -> None:
    seen, written = terminal
    side, out = tmp_path / "side.parquet", tmp_path / "pairs.parquet"
    pq.write_table(pa.table({"ts": range(300_000), "x": range(300_000)}), side)
    # Each with all before it, one by one: minutes.
    how = ["--band", "x:x:0", "--window", 300_000, "--tier", "scan", "--workers", 2]
    with start("join", side, side, *how, "--out", out, stderr=written, env={**os.environ, "TERM": "xterm"}) as process:
        read_until("joining", process, seen)
        process.send_signal(signal.SIGINT)
        shown = read_until("half-written", process, seen)
        assert process.wait(60) == 130
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == [side]


@pytest.mark.slow
def test_the_live_line_shows_tuples_and_is_gone_at_the_end(data: Path, terminal: tuple[int, int]) -> None:
    seen, written = terminal
    words = ["run", "q1", "--data", data, "--rate", "20"]
    with start(*words, stderr=written, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"}) as process:
        read_until(" of 7.00 tuples", process, seen)
        output_text, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "answer verified" in output_text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["topk", "a\nb.parquet", "--column", "x"], r"a\nb.parquet cannot be read as Parquet"),
        (["topk", "a\x1b[31mb.parquet", "--column", "x"], r"a\x1b[31mb.parquet cannot be read as Parquet"),
        (["data", "ingest", "a\nb.csv", "--table", "item"], r"There is no file or folder a\nb.csv"),
        (["run", "q1", "--data", "a\r\nb"], r"There is no data directory a\r\nb"),
        (["compare", "a\nb.json", "c.json"], r"a\nb.json"),
    ],
)
def test_whatever_a_name_holds_the_refusal_is_one_line(call: Call, words: list[str], sentence: str) -> None:
    called = call(*words)
    assert called.code != 0
    assert sentence in called.err
    assert called.err.count("\n") == 1
    assert called.err.startswith("streambench: ")
    assert called.err[:-1].isprintable()


def test_a_plan_that_is_refused_is_not_said_to_change_nothing(call: Call, data: Path) -> None:
    for command, words in ((["run"], ["--workers", "1"]), (["simulate", "run"], ["--cores", "1"])):
        called = call(*command, "q1", "--data", data, *words, "--plan", "9|12")
        assert called.code != 0
        assert called.err.startswith("streambench: --plan 9|12: a segment can begin at operators")
        assert called.out == ""
