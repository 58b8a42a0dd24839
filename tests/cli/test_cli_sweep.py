"""`bench sweep` measures the product that was asked for, goes on where it stopped, and says what was wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call, start

from streambench.lab.measure.sweep import bench as measure
from streambench.lab.record import results

pytestmark = pytest.mark.slow  # measures

MEMBERS = {
    "plan",
    *("query", "micro", "engine", "workers", "unit", "partitions", "partition_by", "credit", "heuristic", "reorder"),
    *("partitioning", "routing", "fuse", "time_slice", "window", "capacity", "laps", "repeat", "tuples", "seconds"),
    *("throughput", "latency", "latency_operators", "digest", "sequence_ok", "answer_ok", "profile", "choices"),
    *(
        "core_round_trip_ns",
        "core_costs",
        "lap_counts",
        "lap_problem",
        "unpinned",
        "pin",
        "place",
        "rate",
        "latency_target",
        "markers",
        "trace",
    ),
    *("preload", "read_ahead", "arrivals", "arrival_seed", "offered", "steadiness", "disturbed", "host"),
    "latency_end_to_end",
    *("cpu_seconds", "cpu_seconds_per_million", "worker_cpu_seconds", "worker_shares"),
    *("memory_before_bytes", "peak_memory_bytes"),
}
SHORT = ("--run-time", "20ms", "--repeats", 2)
MICRO = ("--micro", "sl", "--costs", 20)


def document(folder: Path) -> dict[str, Any]:
    """The only file in a folder of results."""
    (file,) = folder.iterdir()
    assert file.name.endswith("-sweep.json")
    return results.read(file)


def points(runs: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(run["query"], run["engine"], run["workers"], run["heuristic"], run["unit"], run["repeat"]) for run in runs]


def test_a_sweep_measures_every_configuration_over_every_workload(call: Call, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    axes = ("--heuristics", "ct,lp", "--workers", "1,2", "--units", "1,4", "--no-fuse")
    called = call("bench", "sweep", "--queries", "q1,q15", *MICRO, *axes, *SHORT, "--data", data, "--results", folder)
    assert called.code == 0, called.err
    assert "next: streambench figures" in called.out
    found = document(folder)
    assert found["kind"] == "sweep"
    assert found["parameters"]["data"] == "data"
    assert found["parameters"]["calls"] == 1
    wanted = {
        (name, "schemes", *rest)
        for name in ("q1", "q15", "sl")
        for rest in product((1, 2), ("ct", "lp"), (1, 4), (0, 1))
    }
    wanted |= {
        (name, "serial", 1, None, unit, r) for name, unit in (("q1", 1024), ("q15", 1024), ("sl", 1)) for r in (0, 1)
    }
    assert sorted(points(found["runs"])) == sorted(wanted)
    for run in found["runs"]:
        assert set(run) == MEMBERS
        assert run["sequence_ok"] is run["answer_ok"] is True
        assert run["throughput"] > 0
        assert set(run["latency"]) >= {"mean", "p50", "p90", "p99", "p999", "max"}
        assert run["fuse"] is (run["engine"] == "serial")
        assert (run["micro"] is None) == (run["query"] != "sl")
        assert run["profile"]
    for name in ("q1", "q15", "sl"):
        ours = [run for run in found["runs"] if run["query"] == name]
        assert len({(run["laps"], run["tuples"], run["digest"]) for run in ours}) == 1, "one stream for all"
    assert len(found["summary"]) == 3 * (1 + 8)
    assert all(row["ratio"]["n"] == 2 for row in found["summary"])
    assert {row["heuristic"] for row in found["summary"]} == {None, "ct", "lp"}


def test_a_parametric_sweep_needs_no_data(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--micro", "ps", "--keys", "normal", "--sigmas", "0.1,1", "--partitionings", "hybrid,partitioned,shared")
    called = call("bench", "sweep", *words, "--partition-by", "range", "--costs", 5, "--workers", 2, *SHORT)
    assert called.code == 0, called.err
    found = document(tmp_path / "results")
    assert [each.name for each in tmp_path.iterdir()] == ["results"]
    specs = {json.dumps(run["micro"], sort_keys=True) for run in found["runs"]}
    assert {json.loads(spec)["sigma"] for spec in specs} == {0.1, 1.0}
    # Each distribution has a baseline of its own.
    assert len([row for row in found["summary"] if row["engine"] == "serial"]) == 2
    assert len(found["summary"]) == 2 * 4


def test_an_interrupted_sweep_goes_on_where_it_stopped(call: Call, data: Path, tmp_path: Path) -> None:
    words = [
        "bench",
        "sweep",
        "--queries",
        "q1",
        *MICRO,
        "--workers",
        "1,2",
        "--run-time",
        "20ms",
        "--repeats",
        20,
        "--data",
        data,
    ]
    folder = tmp_path / "results"
    with start(*words, "--results", folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _wait_for_runs(folder, 70)  # all of q1, and a few of the parametric pipeline
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    (file,) = folder.iterdir()
    kept = _runs(file)
    assert 70 <= len(kept) < 120
    assert told.strip().splitlines()[-1] == (
        f"streambench bench sweep: interrupted; {len(kept)} of 120 points are kept, the same command goes on from there"
    )
    called = call(*words, "--results", folder)
    assert called.code == 0, called.err
    assert f"{len(kept)} of 120 points kept" in called.err
    assert "measured in 2 calls" in called.err
    found = document(folder)
    expected = {
        (name, engine, workers, heuristic, unit, repeat)
        for name, unit in (("q1", 1024), ("sl", 1))
        for engine, workers, heuristic in (("serial", 1, None), ("schemes", 1, "ct"), ("schemes", 2, "ct"))
        for repeat in range(20)
    }
    assert len(found["runs"]) == 120
    assert set(points(found["runs"])) == expected
    assert all(run["throughput"] > 0 for run in found["runs"])
    # What was measured before the interruption is there as it was.
    after = {point: run["seconds"] for point, run in zip(points(found["runs"]), found["runs"], strict=True)}
    assert all(after[point] == pytest.approx(run["seconds"]) for point, run in zip(points(kept), kept, strict=True))


def test_restart_discards_what_was_kept(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("bench", "sweep", *MICRO, *SHORT, "--workers", "1,2", "--results", tmp_path / "results")
    true, calls = measure.checked_run, []

    def interrupted(*arguments: Any) -> dict[str, Any]:
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return true(*arguments)

    monkeypatch.setattr(measure, "checked_run", interrupted)
    assert call(*words).code == 130
    called = call(*words, "--restart")
    assert called.code == 0
    assert "kept from before" not in called.err
    assert len(calls) == 4 + 6
    assert document(tmp_path / "results")["parameters"]["calls"] == 1


def test_a_dry_run_prints_the_plan_and_measures_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call(
        "bench", "sweep", "--queries", "q1,q4", *MICRO, "--heuristics", "ct,lp", "--workers", "1,2", "--dry-run"
    )
    assert called.code == 0
    assert "3 comparisons, 135 points, about " in called.out
    for word in ("q1", "q4", "sl, 20 µs, uniform", "ct,lp", "1,2"):
        assert word in called.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_presets_can_be_looked_at(call: Call, preset: str) -> None:
    called = call("bench", "sweep", "--preset", preset, "--dry-run")
    assert called.code == 0
    for word in ("q15", "qst,lp,et,ct,walk", "nonblocking,lock,ticket", "normal 0.1", "10000 µs", "selectivity 50"):
        assert word in called.out


def test_a_tiny_preset_sweep_is_right(call: Call, data: Path, tmp_path: Path) -> None:
    words = ("--preset", "quick", "--figures", "8,11,14", "--queries", "q3", "--workers", "2", *SHORT)
    called = call("bench", "sweep", *words, "--data", data, "--results", tmp_path / "results")
    assert called.code == 0, called.err
    found = document(tmp_path / "results")
    parallel = [run for run in found["runs"] if run["engine"] == "schemes"]
    schemes = {(run["heuristic"], run["reorder"], run["partitioning"]) for run in parallel}
    assert len(schemes) == 5 + 2 + 2
    assert {run["unit"] for run in parallel} == {1}


def test_runs_at_a_rate_have_no_more_laps_than_arrive_and_are_checked_as_the_others(
    call: Call, data: Path, tmp_path: Path
) -> None:
    words = ["--queries", "q1", "--workers", 1, "--rates", "max,1k", "--operator-costs", "0,1us", "--data", data]
    called = call("bench", "sweep", *words, *SHORT, "--results", tmp_path / "results")
    assert called.code == 0, called.err
    runs = [run for run in document(tmp_path / "results")["runs"] if run["engine"] == "schemes"]
    assert {(run["query"], run["rate"]) for run in runs} == set(product(("q1", "q1@1us"), (0.0, 1000.0)))
    assert all(run["sequence_ok"] and run["answer_ok"] for run in runs)
    slow = [run for run in runs if run["rate"]]
    assert all(run["laps"] <= max(1, round(1000 * 0.02 * run["laps"] / run["tuples"])) for run in slow)


def test_the_engine_ordered_is_swept_without_schemes(call: Call, data: Path, tmp_path: Path) -> None:
    words = ("--queries", "q2", "--engines", "ordered", "--workers", "1,2", *SHORT)
    called = call("bench", "sweep", *words, "--data", data, "--results", tmp_path / "results")
    assert called.code == 0, called.err
    found = document(tmp_path / "results")
    assert [(row["engine"], row["workers"], row["unit"]) for row in found["summary"]] == [
        ("serial", 1, 1024),
        ("ordered", 1, None),
        ("ordered", 2, None),
    ]
    assert {run["heuristic"] for run in found["runs"]} == {None}
    assert all(run["choices"] for run in found["runs"] if run["engine"] == "ordered")


def test_wrong_runs_have_no_number_and_are_told_with_a_command_that_repeats_one(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = measure.checked_run

    def wrong(workload: Any, options: Any, repeat: int, reference: str | None, answer: bool | None) -> dict[str, Any]:
        expected = "another" if options.heuristic == "lp" else reference
        return true(workload, options, repeat, expected, answer)

    monkeypatch.setattr(measure, "checked_run", wrong)
    words = ("--queries", "q2", "--heuristics", "ct,lp", "--workers", 2, *SHORT, "--data", data)
    called = call("bench", "sweep", *words, "--results", tmp_path / "results")
    assert called.code == 1
    sentence = called.err.strip().splitlines()[-1]
    assert sentence.startswith("streambench: 2 of 6 runs were wrong and have no number, the first because the output")
    found = document(tmp_path / "results")
    assert [run["throughput"] is None for run in found["runs"]] == [run["heuristic"] == "lp" for run in found["runs"]]
    assert [row["throughput"] is None for row in found["summary"]] == [False, False, True]
    monkeypatch.undo()
    command = sentence.partition("repeat one with: streambench ")[2].split()
    again = call(*command, *SHORT, "--results", tmp_path / "again")
    assert again.code == 0, again.err
    repeated = [run for run in document(tmp_path / "again")["runs"] if run["engine"] == "schemes"]
    options = (
        "query",
        "workers",
        "unit",
        "partitions",
        "partition_by",
        "credit",
        "heuristic",
        "reorder",
        "routing",
        "fuse",
    )
    first = next(run for run in found["runs"] if run["heuristic"] == "lp")
    assert [{name: run[name] for name in options} for run in repeated] == [{name: first[name] for name in options}] * 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "there is nothing to measure: choose a --preset, --queries or --micro."),
        (["--queries", "q9"], "there is no query 'q9': choose from q1, q2, q3, q4, q15, ysb, qjoin."),
        (["--micro", "sf"], "--micro takes sl or ps joined by hyphens, such as sl-ps, each"),
        (
            ["--queries", "q1", "--engines", "serial,ordered", "--heuristics", "lp"],
            "--heuristics belongs to the engine schemes: leave it out, or name that engine.",
        ),
        (
            ["--queries", "q1", "--heuristics", "best"],
            "--heuristics takes some of qst,lp,et,ct,walk, or module:Class, with commas, not",
        ),
        (
            ["--queries", "q1", "--reorders", ","],
            "--reorders takes some of nonblocking,lock,ticket, or module:Class, with commas, not",
        ),
        (["--queries", "q1", "--workers", "0,1"], "--workers takes whole numbers from 1 up, with commas, not '0,1'."),
        (["--queries", "q1", "--units", "1,,2"], "--units takes whole numbers from 1 up, with commas, not '1,,2'."),
        (["--micro", "ps", "--costs", "nan"], "--costs takes numbers from 0 up, with commas, not 'nan'."),
        (
            ["--queries", "q1", "--partition-by", "hash,quantile"],
            "--partition-by quantile is of parametric pipelines: leave it out, or --queries.",
        ),
        (["--queries", "q1", "--costs", "3"], "--costs belongs to --micro: leave it out, or name kinds of operators."),
        (
            ["--queries", "q1", "--state-sizes", "3"],
            "--state-sizes belongs to --micro: leave it out, or name kinds of operators.",
        ),
        (["--micro", "ps", "--sigmas", "0.1"], "--sigmas belongs to --keys normal: leave it out, or choose that."),
        (["--micro", "ps", "--costs", "1e9"], "--costs of operator 1"),
        (["--queries", "q1", "--repeats", 0], "--repeats must be at least 1, not 0."),
        (["--queries", "q1", "--run-time", "2h"], "--run-time must be from 0.02 to 3600, not 7200.0."),
        (["--queries", "q1", "--budget", -1], "--budget takes a time such as 5ms, 250us or 0.01s, not '-1'."),
        (
            ["--queries", "q1", "--figures", 8],
            "--figures picks figures of a preset: add --preset paper or --preset quick.",
        ),
        (["--preset", "quick", "--figures", 7], "--figures takes figures, 8,9,10,11,12,13,14, not '7'."),
        (["--preset", "quick", "--figures", 9, "--queries", "q1"], "nothing is left of the preset"),
        (
            ["--micro", "sl", "--operator-costs", "1us"],
            "--operator-costs are of queries: leave them out, or name --quer",
        ),
        (
            ["--queries", "a:b", "--operator-costs", "1us"],
            "--operator-costs are of queries: leave them out, or your own",
        ),
        (["--micro", "sl", "--rates", "1k"], "--rates are of queries and own pipelines: leave them out, or --micro."),
        (["--queries", "q1", "--operator-costs", "1"], "--operator-costs takes 10us for every operator"),
        (
            ["--queries", "q1", "--simulated", "--operator-costs", "1us"],
            "--operator-costs belongs to runs that are measured",
        ),
        (["--queries", "q1", "--data", "none"], "There is no data directory none"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[Any], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("bench", "sweep", *words)
    assert called.code == (1 if "--data" in words else 2)
    assert called.error.startswith(f"streambench: {sentence}")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_look_up_table_is_told_before_anything_is_measured(call: Call, data: Path, tmp_path: Path) -> None:
    (data / "web_page" / "part-00000.parquet").unlink()
    (data / "web_page").rmdir()
    called = call("bench", "sweep", "--queries", "q1,q4", *SHORT, "--data", data, "--results", tmp_path / "results")
    assert called.code == 1
    assert called.error.startswith(f"streambench: Table web_page is missing from {data}")
    assert not (tmp_path / "results").exists()


def _runs(file: Path) -> list[dict[str, Any]]:
    """The runs in a journal, but for a line that is being written."""
    lines = file.read_text().split("\n")[:-1]
    return [record["run"] for record in map(json.loads, lines) if record["step"] == "run"]


def _wait_for_runs(folder: Path, count: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        files = list(folder.glob("unfinished-sweep-*.jsonl")) if folder.exists() else []
        if files and len(_runs(files[0])) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("the sweep measures nothing")
