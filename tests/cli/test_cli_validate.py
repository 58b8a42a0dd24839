"""`validate` compares the simulator with real runs and goes on where it stopped; `predict` takes bands from that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call

MARKS = "<!-- validate: begin -->\n<!-- validate: end -->\n"
FEW = ("validate", "--engines", "schemes", "--workloads", "q3,q4", "--cases", 4, "--seconds", 0.001)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["validate", "--workloads", "q9"], "there is no workload 'q9'"),
        (["validate", "--cases", "few"], "--cases is a number from 1 up, or all"),
        (["validate", "--engines", "spark"], "--engines takes"),
        (["predict", "q1", "--data", ".", "--seed", "-1"], "--seed must be from 0 to 2**63 - 1, not -1"),
        (["predict", "q1"], "q1 needs a data directory: name it with --data"),
        (["predict", "q1", "--data", ".", "--cores", "0"], "--cores must be at least 1, not 0"),
        (["predict", "q1", "--data", ".", "--cores", "16", "--topology", "2x4"], "--cores are from 1 to 8"),
    ],
)
def test_what_cannot_be_compared_or_predicted_is_one_sentence(call: Call, words: list[str], why: str) -> None:
    called = call(*words)
    assert called.code == 2
    assert why in called.err


def test_a_page_without_the_marks_is_told_before_anything_is_measured(call: Call, data: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no marks\n")
    called = call(*FEW, "--data", data, "--results", tmp_path / "results", "--markdown", page)
    assert called.code == 1
    assert "has no place for the tables" in called.err


def test_it_goes_on_where_it_stopped_and_its_result_gives_a_table_and_a_band(
    call: Call, data: Path, tmp_path: Path
) -> None:
    results, page = tmp_path / "results", tmp_path / "page.md"
    page.write_text(f"before\n{MARKS}after\n")
    stopped = call(*FEW, "--data", data, "--results", results, "--budget", 0)
    assert stopped.code == 130
    assert "1 of 4 configurations are kept, the same command goes on from there" in stopped.err
    called = call(*FEW, "--data", data, "--results", results, "--markdown", page)
    assert called.code == 0, called.err
    assert "1 of 4 configurations kept from before" in called.err
    written = json.loads(next(results.glob("*-validate.json")).read_text())
    assert written["parameters"]["cases"] == len(written["runs"]) == 4
    assert all(run["sequence_ok"] and run["simulated_throughput"] > 0 for run in written["runs"])
    text = page.read_text()
    assert text.startswith("before\n<!-- validate: begin -->")
    assert "4 configurations: throughput is off by" in text
    shown = call("validate", "--from", results)
    assert "4 configurations: throughput is off by" in shown.out
    told = call("predict", "q3", "--data", data, "--cores", 4, "--validation", results, "--unit", 2, "--json", "-")
    assert told.code == 0, told.err
    curve = json.loads(told.out)
    assert (curve["simulated"], curve["topology_is"]) == (True, "assumed")
    assert [row["cores"] for row in curve["rows"]] == [1, 2, 4]
    for row in curve["rows"]:
        low, high = row["throughput_band"]
        assert low <= high
        assert row["first"]


def test_joins_are_compared_without_data_and_told_apart(call: Call, tmp_path: Path) -> None:
    results, page = tmp_path / "results", tmp_path / "page.md"
    page.write_text(MARKS)
    few = ("validate", "--engines", "joins", "--cases", 1, "--seconds", 0.001)
    called = call(*few, "--results", results, "--markdown", page)
    assert called.code == 0, called.err
    (file,) = results.glob("*-validate.json")
    runs = json.loads(file.read_text())["runs"]
    assert [(run["engine"], run["measured_latency"]) for run in runs] == [("joins", None)]
    assert all(run["sequence_ok"] and run["simulated_throughput"] > 0 for run in runs)
    assert "| joins, window of " in page.read_text()
    assert "latencies were not compared" in called.out


def test_a_prediction_without_a_comparison_says_that_it_has_no_band(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("predict", "q3", "--data", data, "--cores", 2, "--unit", 2)
    assert called.code == 0, called.err
    assert "no band: nothing was compared with real runs" in called.out
    assert "simulated, not measured" in called.out


def test_a_result_of_more_cores_is_laid_beside_the_simulation(call: Call, data: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    sweep = ("sweep", "--queries", "q3", "--heuristics", "ct", "--workers", "1,3", "--units", 2, "--repeats", 1)
    assert call(*sweep, "--seconds", 0.02, "--data", data, "--results", results).code == 0
    (file,) = results.glob("*-sweep.json")
    called = call("simulate", "q3", "--data", data, "--cores", "1,3", "--unit", 2, "--against", file)
    assert called.code == 0, called.err
    assert f"measured in {file.name}"[:20] in called.out
    other = call("simulate", "q3", "--data", data, "--cores", "1,3", "--unit", 7, "--against", file)
    assert other.code == 1
    assert "has no run of q3 with engine schemes, unit 7" in other.err
