"""`bench queries` says what is amiss before it measures, keeps what it has measured, and leaves nothing untidy."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call, start, write_dimensions, write_sales

from streambench.execution.options import MOST_LAPS
from streambench.host.limits import allowed_cpus
from streambench.lab.cli.bench import bench_frame as cli_bench
from streambench.lab.host import neighbours
from streambench.lab.measure import query_bench as bench
from streambench.lab.record import results

pytestmark = pytest.mark.slow  # measures

ROOT = Path(__file__).resolve().parents[2]
SHORT = ("--workers", "1,2", "--repeats", 2, "--run-time", "10ms")


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A stream of 4000 rows, so that its laps are not too many."""
    directory = tmp_path / "sales"
    write_sales(
        directory, [(37_000 + ticket // 100, ticket, ticket, item) for ticket in range(2000) for item in (0, 1)]
    )
    write_dimensions(directory)
    return directory


@pytest.fixture
def nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generating and measuring fail."""

    def never(*arguments: Any, **options: Any) -> None:
        raise AssertionError("it has begun")

    monkeypatch.setattr("streambench.lab.cli.bench.bench_source.generated", never)
    monkeypatch.setattr("streambench.lab.cli.bench.bench_frame.measure", never)


class Stopped:
    """A function that Ctrl-C interrupts in one of its calls."""

    def __init__(self, true: Callable[..., Any], at: int) -> None:
        self.true, self.at, self.calls = true, at, 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.true(*arguments, **named)


def only_result(folder: Path) -> dict[str, Any]:
    (file,) = folder.glob("*.json")
    return results.read(file)


def runs_in(folder: Path) -> list[dict[str, Any]]:
    """The runs in the journal, but for a line that is being written."""
    files = list(folder.glob("unfinished-bench-*.jsonl")) if folder.exists() else []
    lines = files[0].read_text().split("\n")[:-1] if files else []
    return [record["run"] for record in map(json.loads, lines) if record["step"] == "run"]


def points(runs: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(run["query"], run["engine"], run["workers"], run["repeat"]) for run in runs]


def test_the_result_names_the_data_the_parameters_and_the_commit(call: Call, sales: Path, tmp_path: Path) -> None:
    manifest: dict[str, Any] = {"schema": 1, "kind": "datagen", "tables": {"item": {"sha256": "ab"}}}
    manifest["parameters"] = {"scale_factor": 0.5, "days": 7, "seed": 3, "profile": "pdgf", "sizes": {"items": 5}}
    (sales / "manifest.json").write_text(json.dumps(manifest))
    folder = tmp_path / "results"
    called = call(
        "bench", "queries", "--data", sales, "--queries", "q1", *SHORT, "--units", "64,256", "--results", folder
    )
    assert called.code == 0, called.err
    found = only_result(folder)
    digest = found["parameters"].pop("data_sha256")
    assert found["parameters"] == {
        **{"data": "sales", "scale_factor": 0.5, "days": 7, "seed": 3, "data_profile": "pdgf"},
        **{"queries": ["q1"], "workers": [1, 2], "repeats": 2, "min_seconds": 0.01, "units_tried": [64, 256]},
        **{"parameter_set": "paper", "calls": 1},
    }
    assert found["git"] == results.commit()
    assert str(tmp_path) not in json.dumps(found)
    (sales / "manifest.json").write_text(json.dumps(manifest | {"created": "later"}))
    call("bench", "queries", "--data", sales, "--queries", "q1", *SHORT, "--results", tmp_path / "again")
    assert only_result(tmp_path / "again")["parameters"]["data_sha256"] == digest, "the same tables"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_under_a_time_limit_a_signal_leaves_a_result_of_what_is_there(
    sales: Path, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "results"
    words = [
        "bench",
        "queries",
        "--data",
        sales,
        "--queries",
        "q1",
        "--workers",
        "1,2",
        "--run-time",
        "20ms",
        "--no-figures",
    ]
    words += ["--repeats", 10_000, "--results", folder, "--within", "1h"]
    with start(*words, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while len(runs_in(folder)) < 7:
            assert process.poll() is None
            assert time.monotonic() < until, "nothing is measured"
            time.sleep(0.01)
        process.send_signal(number)
        said, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert [path.suffix for path in folder.iterdir()] == [".json"]
    found = only_result(folder)
    assert 7 <= len(found["runs"]) < 30_000
    assert all(row["verified"] for row in found["summary"])
    assert any("the time limit of 3600 s ended the measuring early" in each for each in found["warnings"])
    assert "throughput and latency" in said


def test_a_time_limit_that_is_too_short_leaves_one_run(call: Call, sales: Path, tmp_path: Path) -> None:
    words = ["--data", sales, "--queries", "q1", *SHORT, "--results", tmp_path, "--within", "1ns", "--no-figures"]
    called = call("bench", "queries", *words)
    assert called.code == 0, called.err
    assert len(only_result(tmp_path)["runs"]) == 1
    assert call("bench", "queries", "--within", "8").error.endswith("has no unit: is it --within 8ms, or --within 8s?")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_bench_that_is_stopped_midway_goes_on_and_gives_one_whole_result(
    call: Call, sales: Path, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "results"
    words = ["bench", "queries", "--data", sales, "--queries", "q1,q15", "--workers", "1,2", "--run-time", "20ms"]
    words += ["--repeats", 12, "--results", folder]
    with start(*words, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while len(runs_in(folder)) < 40:  # all of q1, and a few of q15
            assert process.poll() is None
            assert time.monotonic() < until, "nothing is measured"
            time.sleep(0.01)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert "Traceback" not in told
    kept = runs_in(folder)
    assert 40 <= len(kept) < 72
    assert [path.suffix for path in folder.iterdir()] == [".jsonl"]
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number
        assert told.strip().splitlines()[-1] == (
            f"streambench bench queries: interrupted; {len(kept)} of 72 runs are kept, "
            "the same command goes on from there"
        )
    called = call(*words)
    assert called.code == 0, called.err
    assert f"{len(kept)} of 72 runs kept from before" in called.err
    assert "the bench was measured in 2 calls" in called.err
    found = only_result(folder)
    assert not list(folder.glob("*.jsonl"))
    after = dict(zip(points(found["runs"]), found["runs"], strict=True))
    assert set(after) == {
        (query, engine, workers, repeat)
        for query in ("q1", "q15")
        for engine, workers in (("serial", 1), ("ordered", 1), ("ordered", 2))
        for repeat in range(12)
    }
    assert [after[point] for point in points(kept)] == kept, "what was measured is there as it was"
    assert all(len({run["laps"] for run in found["runs"] if run["query"] == query}) == 1 for query in ("q1", "q15"))
    assert all(row["verified"] and row["runs"] == 12 for row in found["summary"])


def test_restart_discards_what_was_kept_and_other_parameters_are_another_bench(
    call: Call, sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Stopped(bench.checked_run, 4)
    monkeypatch.setattr(bench, "checked_run", stopped)
    words = ("bench", "queries", "--data", sales, "--queries", "q1", *SHORT, "--results", tmp_path / "results")
    assert call(*words).code == 130
    other = call(*words, "--units", 64)
    assert (other.code, "kept from before" in other.err, stopped.calls) == (0, False, 4 + 6)
    called = call(*words, "--restart")
    assert (called.code, "kept from before" in called.err, stopped.calls) == (0, False, 4 + 6 + 6)


@pytest.mark.parametrize("with_data", [True, False])
def test_a_folder_of_results_that_is_a_file_is_told_before_anything_begins(
    call: Call, sales: Path, tmp_path: Path, with_data: bool, nothing_begins: None
) -> None:
    (tmp_path / "file").touch()
    place = ["--data", sales] if with_data else []
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        called = call("bench", "queries", *place, "--results", folder)
        assert called.code == 1
        assert called.error == (
            f"streambench: the result cannot be written to {folder}: Not a directory; "
            "make room or choose another folder with --results"
        )


@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_folder_of_results_that_cannot_be_written_is_told_before_anything_begins(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: int, nothing_begins: None
) -> None:
    def fails(*arguments: Any, **options: Any) -> None:
        raise OSError(problem, os.strerror(problem))

    where, name = (os, "fsync") if problem == errno.ENOSPC else (Path, "open")
    monkeypatch.setattr(where, name, fails)
    for command in ("queries", "sweep"):
        called = call(
            "bench", command, *(["--queries", "q1"] if command == "sweep" else []), "--results", tmp_path / "results"
        )
        assert called.code == 1
        assert called.error == (
            f"streambench: the result cannot be written to {tmp_path / 'results'}: {os.strerror(problem)}; "
            "make room or choose another folder with --results"
        )
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("item", ("--queries", "q1", "--parameters", "kit")),
        ("item", ("--queries", "q1,q15")),
        ("web_page", ("--queries", "q4")),
        ("web_clickstreams", ("--queries", "q1,q2")),
        ("ad_events", ("--queries", "q1,ysb")),
    ],
)
def test_a_missing_table_is_told_before_anything_begins(
    call: Call, data: Path, tmp_path: Path, table: str, words: tuple[str, ...], nothing_begins: None
) -> None:
    shutil.rmtree(data / table)
    called = call("bench", "queries", "--data", data, *words, "--results", tmp_path / "results")
    assert called.code == 1
    assert called.error.startswith(f"streambench: Table {table} is missing from {data}: make it with")
    assert not (tmp_path / "results").exists()


def test_a_busy_machine_is_told_before_the_first_run_and_looked_at_again_after_the_last(
    call: Call, sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, order = [1.5, 0.5], []
    for module, name in ((cli_bench, "tell_warnings"), (bench, "checked_run")):
        true = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, true=true, name=name, **o: (order.append(name), true(*a, **o))[1])
    monkeypatch.setattr(neighbours, "busy_cores", lambda: looked.pop(0))
    called = call("bench", "queries", "--data", sales, "--queries", "q1", *SHORT, "--results", tmp_path / "results")
    assert called.code == 0, called.err
    assert order == ["tell_warnings", *["checked_run"] * 6, "tell_warnings"]
    cores = len(allowed_cpus())
    told = [line for line in called.err.splitlines() if "others kept" in line]
    assert told == [
        f"note: others kept 1.5 of {cores} cores busy before the start: wait for them, or distrust the numbers",
        f"note: others kept 0.5 of {cores} cores busy after the last run: wait for them, or distrust the numbers",
    ]
    warnings = only_result(tmp_path / "results")["warnings"]
    assert [f"note: {warning}" for warning in warnings if "others kept" in warning] == told


def test_a_busy_machine_is_refused_on_request(
    call: Call, sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_begins: None
) -> None:
    monkeypatch.setattr(neighbours, "busy_cores", lambda: 1.5)
    called = call(
        "bench", "queries", "--data", sales, "--require-idle", "--results", tmp_path / "results", "--queries", "q1"
    )
    assert called.code == 1
    assert called.error.startswith("streambench: others kept 1.5 of ")
    assert called.error.endswith("nothing was measured, since --require-idle was given.")
    assert not (tmp_path / "results").exists()


def test_neighbours_are_seen_by_what_the_cores_do_while_this_process_sleeps() -> None:
    spinning = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    with subprocess.Popen(spinning, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        found = neighbours.busy_cores(1.0)
        other.kill()
    assert found is not None
    assert found > neighbours.BUSY_CORES


@pytest.mark.parametrize("rows", [1, 7])
def test_a_stream_that_is_too_short_is_told_in_a_sentence_and_its_laps_are_bounded(
    call: Call, tmp_path: Path, rows: int
) -> None:
    write_sales(tmp_path / "tiny", [(37_000, second, second, second % 2) for second in range(rows)])
    words = (
        "--queries",
        "q1",
        "--workers",
        1,
        "--repeats",
        1,
        "--run-time",
        "3600s",
        "--results",
        tmp_path / "results",
    )
    called = call("bench", "queries", "--data", tmp_path / "tiny", *words)
    assert called.code == 0, called.err
    sentence = (
        f"q1: a stream of {rows} row{'s' if rows > 1 else ''} is too short to be measured for 3600 s: 1,048,576 laps,"
    )
    assert f"note: {sentence}" in called.err
    found = only_result(tmp_path / "results")
    assert {run["laps"] for run in found["runs"]} == {MOST_LAPS}
    assert any(warning.startswith(sentence) for warning in found["warnings"])


def test_results_of_a_clean_clone_leave_it_clean_and_can_be_added_on_purpose(
    call: Call, sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return subprocess.run(["git", *identity, *words], check=True, capture_output=True, text=True).stdout

    clone = tmp_path / "clone"
    (clone / "results").mkdir(parents=True)
    monkeypatch.chdir(clone)
    shutil.copy(ROOT / ".gitignore", clone)
    shutil.copy(ROOT / "results" / "README.md", clone / "results")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    monkeypatch.setattr(bench, "checked_run", Stopped(bench.checked_run, 3))
    words = ("bench", "queries", "--data", sales, "--queries", "q1", *SHORT)
    assert call(*words).code == 130
    assert len(list((clone / "results").iterdir())) == 2
    assert git("status", "--porcelain") == "", "the journal"
    assert call(*words).code == 0
    (result,) = (clone / "results").glob("*.json")
    drawn = sorted(result.with_suffix("").iterdir())
    assert [path.name for path in drawn] == ["scaling.csv", "scaling.png", "scaling.svg"]
    assert call("figures").out.split() == [
        str(result.with_suffix("").relative_to(clone) / f"scaling.{kind}") for kind in ("png", "svg", "csv")
    ]
    assert git("status", "--porcelain") == "", "the result and its figures"
    git("add", "-f", str(result))
    assert git("status", "--porcelain").split() == ["A", f"results/{result.name}"], "the figures stay out"
