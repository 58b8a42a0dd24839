"""`streambench bench rate` says what is amiss before it measures, and leaves a result and its figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call, write_dimensions, write_sales

from streambench.lab.record import results


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A stream of 4000 rows."""
    directory = tmp_path / "sales"
    write_sales(
        directory, [(37_000 + ticket // 100, ticket, ticket, item) for ticket in range(2000) for item in (0, 1)]
    )
    write_dimensions(directory)
    return directory


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["q1"], "bench rate takes one bound: give one of --p50, --p90, --p99, --p999, --max, such as --p99 5ms"),
        (["q1", "--p50", "1ms", "--p99", "5ms"], "bench rate takes one bound"),
        (["q1", "--p99", "5 parsecs"], "--p99 takes a time such as 5ms, 250us or 0.01s, not '5 parsecs'"),
        (["q1", "--p99", "5"], "--p99 5 has no unit: is it --p99 5ms, or --p99 5s?"),
        (["q1", "--p99", "90s"], "--p99 must be from 1e-06 to 60 seconds, not 90."),
        (["q1", "--p99", "5ms", "--run-time", "0s"], "--run-time takes a time such as"),
        (["q1", "--p99", "5ms", "--precision", "2"], "--precision must be from 0.001 to 1, not 2."),
        (["q1", "--p99", "5ms", "--workers", "5000"], "--workers must be a whole number from 1 to 1024, not 5000."),
        (["q1", "--p99", "5ms", "--arrival-seed", "-1"], "--arrival-seed must be a whole number from 0"),
        (["q1", "--p99", "5ms", "--scale-factor", "0"], "The scale factor must lie in"),
        (["q1", "--p99", "5ms", "--data", "nowhere"], "There is no data directory nowhere"),
        (["qjoin", "--p99", "5ms"], "qjoin joins two streams"),
        (["q1,q1", "--p99", "5ms"], "query q1 is named twice"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_sentence(call: Call, words: list[str], told: str) -> None:
    called = call("bench", "rate", *words)
    assert called.code == (1 if "nowhere" in words else 2)
    assert told in called.err
    assert called.err.count("\n") == 1


@pytest.mark.slow  # measures
@pytest.mark.parametrize("command", [("rate", "--p99", "5ms"), ("peers", "--peers", "duckdb", "--repeats", 3)])
def test_an_empty_stream_is_told(call: Call, tmp_path: Path, command: tuple[object, ...]) -> None:
    write_sales(tmp_path / "empty", [])
    write_dimensions(tmp_path / "empty")
    name, *words = command
    called = call("bench", name, "q1", "--data", tmp_path / "empty", "--results", tmp_path / "results", *words)
    assert called.code == 1
    assert "store_sales in" in called.err.splitlines()[-1]
    assert called.err.splitlines()[-1].endswith("is empty: there is nothing to measure.")
    assert not list(tmp_path.glob("results/*.json"))


def test_one_row_is_replayed_as_often_as_it_can_be(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 << 12  # for the true number it takes half a minute
    monkeypatch.setattr("streambench.execution.options.MOST_LAPS", most)
    monkeypatch.setattr("streambench.lab.measure.rate_search.MOST_LAPS", most)
    write_sales(tmp_path / "one", [(37_000, 0, 0, 1)])
    write_dimensions(tmp_path / "one")
    words = ["--run-time", "10ms", "--precision", 1, "--engines", "serial", "--results", tmp_path / "results"]
    called = call(
        "bench", "rate", "q1", "--p50", "60s", "--data", tmp_path / "one", *words, "--json", tmp_path / "rows"
    )
    assert called.code == 0, called.err
    assert max(run["laps"] for run in results.read(next(tmp_path.glob("results/*.json")))["runs"]) == most


def test_a_search_leaves_checked_runs_a_result_and_a_figure(call: Call, sales: Path, tmp_path: Path) -> None:
    folder, rows = tmp_path / "results", tmp_path / "rows.json"
    where: tuple[Any, ...] = ("--data", sales, "--results", folder, "--json", rows)
    how = ("--engines", "ordered", "--workers", 1, "--run-time", "10ms", "--precision", 1, "--arrivals", "poisson")
    called = call("bench", "rate", "q1", "--p50", "1ms", *how, *where)
    assert called.code == 0
    (written,) = folder.glob("*-rate-search.json")
    document = results.read(written)
    assert document["kind"] == "rate-search"
    assert json.loads(rows.read_text()) == document["summary"]
    assert all(run["sequence_ok"] and run["answer_ok"] for run in document["runs"])
    searched = [run for run in document["runs"] if run["step"] == "search"]
    assert searched
    assert all(run["rate"] > 0 and run["latency_end_to_end"]["p99"] > 0 for run in searched)
    assert (written.with_suffix("") / "latency-over-load.svg").exists()
    assert not list(folder.glob("unfinished*"))
