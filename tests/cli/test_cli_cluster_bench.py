"""`streambench bench cluster` prints, writes and goes on; a wrong answer has no number. Runs are made up: no Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call
from small_data import make

from streambench.lab.record import results


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """Which runs there were; Spark SQL takes five times as long as others."""
    from streambench.lab.peers import on_cluster

    done = []

    def ready(self: Any, query: str, way: str) -> on_cluster.Once:
        def once() -> tuple[float, str | None]:
            done.append((self.data.path.name, query, way))
            return (5.0 if way == "spark-sql" else 1.0), None

        return once

    monkeypatch.setattr(on_cluster._Side, "ready", ready)
    return done


def test_runs_are_interleaved_warmed_up_and_written_with_their_figure(
    call: Call, tmp_path: Path, made_up: list[tuple[str, str, str]]
) -> None:
    for name, users in (("small", 4), ("large", 12)):
        make(tmp_path / name, seed=3, users=users)
    data = ["--data", tmp_path / "large", "--data", tmp_path / "small"]
    folder, rows = tmp_path / "results", tmp_path / "rows.json"
    words = [*data, "--ways", "spark,spark-sql", "--repeats", 2, "--results", folder, "--json", rows]
    called = call("bench", "cluster", "q4", *words)
    assert called.code == 0, called.err
    ways = [way for name, _, way in made_up if name == "small"]
    assert ways == ["spark", "spark", "spark-sql", "spark-sql", "spark-sql", "spark"]  # A A B B | B A
    (path,) = folder.glob("*-cluster-bench.json")
    document = results.read(path)
    assert json.loads(rows.read_text()) == document["summary"]
    assert [row["data"] for row in document["summary"]] == ["small", "large", "growth"]
    assert document["summary"][0]["ratios"]["/ Spark SQL"] == 5
    assert [each["data"] for each in document["parameters"]["data_directories"]] == ["large", "small"]
    drawn = sorted(each.name for each in path.with_suffix("").iterdir())
    assert drawn == [f"cluster-cost.{kind}" for kind in ("csv", "png", "svg")]


def test_a_wrong_answer_has_no_number_and_the_command_fails(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from streambench.lab.peers import on_cluster

    monkeypatch.setattr(on_cluster._Side, "ready", lambda self, query, way: lambda: (1.0, "row 0 differs"))
    data = make(tmp_path / "data", seed=3).path
    words = ["--data", data, "--repeats", 1, "--ways", "spark", "--results", tmp_path / "results"]
    called = call("bench", "cluster", "q4", *words)
    assert called.code == 1
    assert "wrong results, which have no number: q4 of data, spark: row 0 differs." in called.err


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--ways", "faster"], "faster"),
        (["q15"], "q15"),
    ],
)
def test_what_cannot_be_measured_is_refused(call: Call, tmp_path: Path, words: list[str], about: str) -> None:
    data = make(tmp_path / "data", seed=3).path
    called = call("bench", "cluster", *words, "--data", data, "--results", tmp_path / "results")
    assert called.code == 2
    assert about in called.err
    assert not (tmp_path / "results").exists()


def test_directories_of_one_name_are_refused(call: Call, tmp_path: Path) -> None:
    data = [make(tmp_path / each / "data", seed=3).path for each in ("a", "b")]
    called = call("bench", "cluster", "--data", data[0], "--data", data[1])
    assert called.code == 2
    assert "of the same name" in called.err


def test_a_streams_latencies_are_told_and_written(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `stream-bench`, with made-up numbers."""
    seen = {"sustained": 1e5, "rate": 50_000, "batches": 7, "committed": {"p50": 1.25, "p99": 2.5}}
    found = {"operators": {**seen, "ordered": {"p50": 3.5, "p99": 4.75}}, "spark": seen}
    monkeypatch.setattr("streambench.lab.cli.bench.stream.StreamBench._measured", lambda self: found)
    called = call("bench", "stream", "q2", "--results", tmp_path, "--json", "-")
    assert called.code == 0, called.err
    (path,) = tmp_path.glob("*-stream-bench.json")
    assert json.loads(called.out) == results.read(path)["summary"]
    assert [row["contender"] for row in results.read(path)["summary"]] == ["operators", "spark"]
    shown = call("bench", "stream", "q2", "--results", tmp_path).out
    assert "4.75 s" in shown
    assert len(list(tmp_path.glob("*-stream-bench*.json"))) == 2
