"""The performance report says what was measured, against its target, and refuses what it cannot measure."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from streambench.machine import describe
from streambench.statistics import Interval

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "queries"))
import small_data
from interleave import interleave
from micro.compiled import compiled
from sections.report import markdown, plain, verdict
from sections.section import TIMES, Plan, Row, Section, excess, times_faster

PERFORMANCE = Path(__file__).resolve().parents[1] / "benchmarks" / "performance.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PERFORMANCE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_runs_are_interleaved_as_a_b_b_a_with_the_distance_before_each_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def called(name: str) -> Callable[[], int]:
        def run() -> int:
            calls.append(name)
            return len(calls)

        return run

    monkeypatch.setattr("interleave.round_trips", lambda: {"0-1": 60.0})
    distances: list[float] = []
    found = interleave({"a": called("a"), "b": called("b")}, 3, distances)
    assert "".join(calls) == "ab" + "abbaab"
    assert found == {"a": [3, 6, 7], "b": [4, 5, 8]}
    assert distances == [60.0] * 3


@pytest.mark.parametrize(
    ("median", "target", "at_most", "met"),
    [
        (1.9, 1.9, False, True),
        (1.89, 1.9, False, False),
        (0.5, 0.5, True, True),
        (0.51, 0.5, True, False),
        (9, None, True, None),
    ],
)
def test_a_target_is_met_by_the_median(median: float, target: float | None, at_most: bool, met: bool | None) -> None:
    assert Row("something", Interval(median, 0.0, 9.0, 5), TIMES, target, at_most).met is met


def test_ratios_and_differences_are_taken_pair_by_pair() -> None:
    assert times_faster([2.0, 8.0, 3.0], [1.0, 2.0, 1.0]).median == 3.0
    assert excess([3.0, 9.0, 2.0], [1.0, 8.0, 2.0]).median == 1.0


def test_the_report_shows_targets_intervals_and_what_is_not_met() -> None:
    section = Section("A title")
    section.add("fast", Interval(2.0, 1.95, 2.05, 9, 0.9609375), TIMES, 1.9)
    section.add("slow", Interval(1.2, 1.1, 1.3, 9, 0.9609375), TIMES, 1.9, note="why")
    section.add("once", Interval(0.25, math.nan, math.nan, 1), "ns", 0.5, at_most=True)
    section.add("for reading", Interval(120.4, 100.0, 140.0, 5), "µs")
    section.record("fast, one thread", [1.0, 2.0], "ns per tuple")
    document = plain([section], Plan(distances=[60.0, 350.0]), describe(), ["a neighbour"], "the command")
    json.dumps(document, allow_nan=False)
    assert document["warnings"][0] == "a neighbour"
    assert "distance changed" in document["warnings"][1]
    assert document["sections"][0]["runs"] == [
        {"what": "fast, one thread", "unit": "ns per tuple", "values": [1.0, 2.0]}
    ]
    text = markdown([section], document)
    assert f"| fast | ≥ 1.9 {TIMES} | 2.00 [1.95, 2.05] {TIMES} | met |  |" in text
    assert f"| slow | ≥ 1.9 {TIMES} | 1.20 [1.10, 1.30] {TIMES} | **not met** | why |" in text
    assert "| once | ≤ 0.5 ns | 0.25 (one run) ns | met |  |" in text
    assert "| for reading |  | 120 (100 to 140) µs |  |  |" in text
    assert "| what | target | median [96.1 %] (min to max of 5) | met | note |" in text
    assert "60 to 350 ns" in text
    assert verdict([section]) == "2 of 3 targets met"


def test_the_micro_section_measures_everything_it_names(tmp_path: Path) -> None:
    to_json, to_markdown = tmp_path / "all.json", tmp_path / "all.md"
    places = ["--json", str(to_json), "--markdown", str(to_markdown)]
    made = run("--quick", "--only", "micro", "--seconds", "0.002", "--repeats", "2", *places)
    assert made.returncode == 0, made.stderr
    document = json.loads(to_json.read_text())
    (section,) = document["sections"]
    assert len(section["rows"]) == 12
    assert all(row["n"] == 2 and row["met"] in (True, False) for row in section["rows"])
    assert all(len(each["values"]) == 2 and min(each["values"]) > 0 for each in section["runs"])
    assert f"of {len(section['rows'])} targets met" in made.stdout
    for row in section["rows"]:
        assert row["what"] in made.stdout
        assert row["what"] in to_markdown.read_text()
    assert str(tmp_path) not in to_markdown.read_text()


@pytest.mark.parametrize("names", ["tbb,idle", "queries,workers,latency,memory"])
def test_the_other_sections_measure_everything_they_name(tmp_path: Path, names: str) -> None:
    if "tbb" in names and compiled().tbb_pipeline is None:
        pytest.skip("oneTBB is not installed")
    data, to_json = tmp_path / "data", tmp_path / "all.json"
    if "memory" in names:
        data.mkdir()
        small_data.make(data, seed=1)
    place = ["--data", str(data)] if data.exists() else []
    made = run("--only", names, "--seconds", "0.002", "--repeats", "1", *place, "--json", str(to_json))
    assert made.returncode == 0, made.stderr
    sections = json.loads(to_json.read_text())["sections"]
    assert len(sections) == len(names.split(","))
    for section in sections:
        assert all(each["values"] for each in section["runs"])
        named = [row["what"].partition(":")[0] for row in section["rows"]]
        assert named
        if place:
            assert {"q1", "q2", "q3", "q4", "q15"} <= set(named)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--only", "micros"], 2, "'micros' is no section: choose from micro, tbb"),
        (["--only", "memory"], 1, "no data directory for memory: give --data"),
        (["--only", "micro", "--data", "/nowhere"], 1, "There is no data directory /nowhere"),
        (["--only", "micro", "--json", "/nowhere/x.json"], 1, "has no folder /nowhere"),
        (["--only", "micro", "--json", "x", "--markdown", "x"], 1, "name the same file"),
        (["--repeats", "0"], 2, "--repeats"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(arguments: list[str], code: int, sentence: str) -> None:
    refused = run(*arguments)
    assert refused.returncode == code
    assert sentence in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr
