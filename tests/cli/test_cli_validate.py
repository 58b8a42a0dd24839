"""`validate` compares the simulator with real runs and goes on where it stopped; `predict` takes bands from that."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from hand_made import Call

from streambench.lab.cli.simulate import error_band, simulation_frame
from streambench.lab.cli.simulate import predict as command
from streambench.lab.record.summary import duration, human

MARKS = "<!-- validate: begin -->\n<!-- validate: end -->\n"
FEW = ("simulate", "validate", "--engines", "schemes", "--workloads", "q3,q4", "--cases", 4, "--run-time", "1ms")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["simulate", "validate", "--workloads", "q9"], "there is no workload 'q9'"),
        *(
            (["simulate", "validate", "--cases", value], f"--cases takes a number from 1 up, or all, not '{value}'")
            for value in ("few", "0", "-1", "²", "")
        ),
        (["simulate", "validate", "--engines", "spark"], "--engines takes"),
        *(
            (["simulate", "validate", name, value], f"{name} takes a time such as 5ms, 250us or 0.01s, not '{value}'")
            for name in ("--run-time", "--within")
            for value in ("0s", "-1", "nan", "inf")
        ),
        (["simulate", "predict", "q1", "--data", ".", "--seed", "-1"], "--seed must be from 0 to 2**63 - 1, not -1"),
        (["simulate", "predict", "q1"], "q1 needs a data directory: name it with --data"),
        (["simulate", "predict", "q1", "--data", ".", "--cores", "0"], "--cores must be at least 1, not 0"),
        (["simulate", "predict", "q1", "--data", ".", "--cores", "16", "--topology", "2x4"], "--cores are from 1 to 8"),
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
    stopped = call(*FEW, "--data", data, "--results", results, "--within", "1ms", "--keep-journal")
    assert stopped.code == 0
    assert "ended the measuring early: runs are missing" in stopped.err
    (part,) = results.glob("*-validate.json")
    assert len(json.loads(part.read_text())["runs"]) == 1
    called = call(*FEW, "--data", data, "--results", results, "--markdown", page, "--keep-journal")
    assert called.code == 0, called.err
    assert "1 of 4 configurations kept from before" in called.err
    part.unlink()
    written = json.loads(next(results.glob("*-validate.json")).read_text())
    assert not any("ended the measuring early" in warning for warning in written["warnings"])
    assert written["parameters"]["cases"] == len(written["runs"]) == 4
    assert all(run["sequence_ok"] and run["simulated_throughput"] > 0 for run in written["runs"])
    text = page.read_text()
    assert text.startswith("before\n<!-- validate: begin -->")
    assert "4 configurations: throughput is off by" in text
    shown = call("simulate", "validate", "--from", results)
    assert "4 configurations: throughput is off by" in shown.out
    words = ("simulate", "predict", "q3", "--data", data, "--cores", 4, "--validation", results, "--unit", 2)
    told = call(*words, "--engine", "schemes", "--json", "-")
    assert told.code == 0, told.err
    curve = json.loads(told.out)
    assert (curve["simulated"], curve["topology_is"], curve["engine"]) == (True, "assumed", "schemes")
    assert curve["validation"]["file"] == next(results.glob("*-validate.json")).name
    assert [row["cores"] for row in curve["rows"]] == [1, 2, 4]
    for row in curve["rows"]:
        assert_has_the_bands_of(written["runs"], row)
        assert row["taken"] == max(row["parts"].values()) == row["parts"][row["first"]]
    told = call(*words)
    assert told.code == 0, told.err
    assert "q3 by ordered, simulated" in told.out
    assert "plan in the end" in told.out
    assert ", units of 2" in told.out
    assert "no band: what was compared by `streambench simulate validate` on " in told.out
    assert "has no run of ordered; `streambench simulate validate --engines ordered` compares some." in told.out


def assert_has_the_bands_of(runs: list[dict[str, Any]], row: dict[str, Any]) -> None:
    """Of so few runs a band has all: those of as many workers, or of any number where none had so many."""
    alike = [run for run in runs if run["workers"] == row["cores"]] or runs
    for name in ("throughput", "latency"):
        ends = [row[name] * fmean(run[f"measured_{name}"]) / run[f"simulated_{name}"] for run in alike]
        assert row[f"{name}_band"] == [pytest.approx(min(ends)), pytest.approx(max(ends))]
    assert (row["compared"], row["compared_to"]) == (len(alike), max(run["workers"] for run in runs))


def test_the_output_says_where_bands_were_found_and_notes_another_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = {"engine": "ordered", "throughput_error": 0.1, "latency_error": 0.1}
    rows = [{**alike, "workers": workers} for workers in (1, 2, 2)]
    found = error_band.ErrorBands(rows, {"processor": "Example 9000"}, "by us (file.json)", Path("file.json"))
    counted = "The bands are of 1 configuration on 1 core and 2 configurations on 2 cores, compared by us (file.json)."
    assert error_band.bands_told(found, "ordered", [1, 2]) == counted
    assert error_band.bands_told(found, "ordered", [1, 2, 4, 8]) == (
        f"{counted} On 4 and 8 cores none was: there they go from the lowest to the highest of these."
    )
    for here, notes in (("Example 9000", 0), ("Example 9001", 1)):
        monkeypatch.setattr(error_band, "describe", lambda here=here: {"cpu": {"model": here}})
        assert len(found.warnings) == notes


def test_progress_of_one_simulation_has_one_text_so_that_the_time_left_is_of_all_of_it(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int]] = []

    def predict(*_: object, report: Any, **__: object) -> list[object]:
        for done in range(4):
            report("simulating 4 cores", done, 3)
        return []

    monkeypatch.setattr(command, "predict", predict)
    monkeypatch.setattr(simulation_frame.LiveLine, "step", lambda self, doing, done, *_: told.append((doing, done)))
    assert call("simulate", "predict", "q3", "--data", data, "--cores", 4, "--json", "-").code == 0
    assert told[-4:] == [("simulating 4 cores", done) for done in range(4)]


def test_a_prediction_without_a_comparison_says_that_it_has_no_band(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call("simulate", "predict", "q3", "--data", data, "--cores", 2, "--unit", 2)
    assert called.code == 0, called.err
    assert "no band: nothing was compared with real runs; `streambench simulate validate` does so." in called.out
    assert "simulated, not measured" in called.out


def test_a_result_of_more_cores_is_laid_beside_the_simulation(call: Call, data: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    sweep = (
        "bench",
        "sweep",
        "--queries",
        "q3",
        "--heuristics",
        "ct",
        "--workers",
        "1,2",
        "--units",
        2,
        "--repeats",
        3,
    )
    assert call(*sweep, "--run-time", "20ms", "--data", data, "--results", results).code == 0
    (file,) = results.glob("*-sweep.json")
    words = ("simulate", "run", "q3", "--data", data, "--engine", "schemes", "--cores", "1,2", "--against", file)
    told = tmp_path / "told.json"
    called = call(*words, "--unit", 2, "--json", told)
    assert called.code == 0, called.err
    assert "measured in 2" in called.out
    lines = called.out.splitlines()
    headings = ("cores", "measured tuples/s", "simulated", "measured latency", "runs")
    assert any(all(heading in line for heading in headings) for line in lines), "folded"
    simulated, runs = json.loads(told.read_text()), json.loads(file.read_text())["runs"]
    for row in simulated["rows"]:
        real = [run for run in runs if run["engine"] == "schemes" and run["workers"] == row["cores"]]
        throughput = median(run["throughput"] for run in real)
        latency = median(run["latency"]["mean"] for run in real)
        point = simulated["against"]["points"][str(row["cores"])]
        assert point == {"throughput": throughput, "latency": latency, "runs": 3}
        cells = (
            human(throughput),
            f"{human(row['throughput'])} ({row['throughput'] / throughput - 1:+.0%})",
            duration(latency),
            f"{duration(row['latency'])} ({row['latency'] / latency - 1:+.0%})",
        )
        assert any(all(cell in line for cell in cells) for line in lines), cells
    other = call(*words, "--unit", 7)
    assert other.code == 1
    assert "has no run of q3 with engine schemes, unit 7" in other.err
