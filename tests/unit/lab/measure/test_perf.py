"""The sections of `streambench bench perf` measure what they name and judge it by targets that are data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import small_data

from streambench.errors import OptionError, StreambenchError
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.frame import measure
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.bench import PerfBench, cases
from streambench.lab.measure.perf.case import Measured, PerfCase, Row, record
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.longer_files import longer_files
from streambench.lab.measure.perf.passage import Track
from streambench.lab.measure.perf.sections import changes, disturbance
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.targets import TARGETS, find
from streambench.lab.record.journal import Memory
from streambench.lab.record.perf_summary import TIMES
from streambench.lab.workloads.workload import Workload

pytestmark = pytest.mark.slow  # measures

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")


def called(calls: list[str], name: str) -> Callable[[], int]:
    def run() -> int:
        calls.append(name)
        return len(calls)

    return run


def test_runs_are_interleaved_as_a_b_b_a_with_the_distance_before_each_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("streambench.lab.measure.perf.interleave.round_trips", lambda: {"0-1": 60.0})
    distances: list[float] = []
    told: list[str] = []
    found = interleave({"a": called(calls, "a"), "b": called(calls, "b")}, 3, distances, told.append)
    assert "".join(calls) == "ab" + "abbaab"
    assert found == {"a": [3, 6, 7], "b": [4, 5, 8]}
    assert distances == [60.0] * 3
    assert (told[0], told[-1]) == ("a, warming up", "b, repeat 3 of 3")


def test_every_row_has_one_target_at_most_and_there_are_as_many_as_there_were() -> None:
    assert len({(each.section, each.what) for each in TARGETS}) == len(TARGETS)
    by_section = Counter(each.section for each in TARGETS)
    assert dict(by_section) == {
        "micro": 12, "tbb": 2, "queries": 24, "latency": 135, "idle": 2, "memory": 6, "joins": 2, "topk": 20,
        "windows": 26, "checkpoints": 4, "disk": 5, "plans": 24, "neighbours": 16, "disturbance": 6,
    }  # fmt: skip


def test_a_row_takes_its_target_from_the_data_unless_it_is_not_judged() -> None:
    found = Measured("memory")
    found.keep({"ordered": [2.0, 2.0], "serial": [1.0, 1.0]}, "MiB")
    row = Row("q1", "ordered", "serial", note=lambda found: f"{len(found['serial'])} runs")
    found.add([row, replace(row, judged=False), replace(row, what="no such row")])
    assert [row["target"] for row in found.rows] == [64.0, None, None]
    assert [row["note"] for row in found.rows] == ["2 runs"] * 3
    assert [row["unit"] for row in found.rows] == [TIMES] * 3
    target = find("idle", "CPU use, an open loop")
    assert target is not None
    assert (target.value, target.at_most, target.of_processor) == (2.0, True, False)
    fast = Measured("topk")
    fast.keep({"fast": [1.0, 1.0]}, "M updates per second")
    fast.add([Row("fast, α 1, 1 thread", "fast", unit="M updates per second")])
    assert fast.rows[0]["how"] == "median"
    assert [row["of_processor"] for row in (*fast.rows, *found.rows)] == [True, False, False, False]


@pytest.mark.parametrize("name", ["micro", "idle", "joins", "order", "windows", "checkpoints"])
def test_a_section_without_data_measures_every_row_that_has_a_target(name: str) -> None:
    _measure_all(PerfSettings(seconds=0.001, repeats=1), name)


def test_a_neighbour_that_comes_and_goes_has_every_row_with_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """With made-up reactions: on a busy machine no run may last until its neighbour has gone."""
    monkeypatch.setattr(disturbance, "LEAST", 0.001)
    reaction = disturbance.Reaction(0.005, 0.01, 0.1, stayed=False, never=False, speed=1.0)
    monkeypatch.setattr(disturbance, "_disturbed", lambda run, usual: (True, reaction, usual))
    _measure_all(PerfSettings(seconds=0.0001, repeats=1), "disturbance")


@pytest.mark.parametrize(("alone", "note"), [(0.7, ""), (1.9, "one worker keeps up")])
def test_a_stream_that_changes_says_how_often_it_was_not_got_over_and_where_one_worker_keeps_up(
    monkeypatch: pytest.MonkeyPatch, alone: float, note: str
) -> None:
    """With made-up runs, all late to the end, and two workers that do 1,000 tuples a second."""
    due = np.arange(0.0, 0.1, 1e-4)
    late = Track(due, np.full(len(due), 0.5), [(0.0, "whole")])
    monkeypatch.setattr(changes, "_highest", lambda change, settings, of: 1e3 * (alone if of.workers == 1 else 1.0))
    monkeypatch.setattr(changes, "_run", lambda workload, options: late)
    found = record(
        sections.SECTIONS["changes"], changes.cases(PerfSettings(seconds=0.02, repeats=2))[1], lambda what: None
    )
    assert [row["what"] for row in found["rows"]] == [
        f"a key becomes hot: {what}" for what in (changes.PLAN, changes.BACK, changes.WORST)
    ]
    notes = [row["note"] for row in found["rows"]]
    assert notes[0] == note
    assert notes[1].endswith("never in 2 of 2 runs")
    series = {each["name"]: each["values"] for each in found["series"]}
    assert min(series[f"a key becomes hot: {changes.PLAN}"]) > 0


def test_no_stream_changes_to_what_one_worker_of_two_alike_keeps_up_with() -> None:
    """So that a plan of one worker, which fits before and after, is not told as one that was found at once."""
    assert min(2 * (each.most or each.part) for each in changes.CHANGES) >= 1.5


def test_onetbb_is_measured_where_it_is_installed() -> None:
    if sections.missing("tbb"):
        pytest.skip("oneTBB is not installed")
    _measure_all(PerfSettings(seconds=0.001, repeats=1), "tbb")


def test_topk_are_measured_where_the_sketch_is_there_that_they_are_compared_with() -> None:
    pytest.importorskip("datasketches")
    _measure_all(PerfSettings(seconds=0.001, repeats=1), "topk")


@pytest.mark.parametrize("name", ["queries", "plans", "neighbours", "latency", "memory", "disk"])
def test_a_section_over_the_queries_measures_every_row_that_has_a_target(tmp_path: Path, name: str) -> None:
    small_data.make(tmp_path, seed=1)
    names = ("q4",) if name in ("memory", "plans", "neighbours") else QUERIES  # processes for each of its runs
    _measure_all(PerfSettings(seconds=0.001, repeats=1, data=tmp_path, queries=names), name)


def test_longer_files_hold_the_laps_of_a_stream_in_memory(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", seed=1)
    for name in ("q1", "q3", "q4", "q15", "ysb"):
        held = Workload(name, Catalog.open(data.path))
        (tmp_path / name).mkdir()
        longer = Workload(name, longer_files(held, 3, tmp_path / name), preload=False)
        assert longer.rows == 3 * held.rows
        assert longer.serial_digest(1) == held.serial_digest(3)


def test_longer_files_can_be_written_of_columns_that_cannot_be_null(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", seed=1)
    for file in Catalog.open(data.path).table("store_sales").files:
        table = pq.read_table(file)
        place = table.schema.get_field_index("ss_ticket_number")
        schema = table.schema.set(place, table.schema.field(place).with_nullable(False))
        pq.write_table(table.cast(schema), file)
    held = Workload("q1", Catalog.open(data.path))
    (tmp_path / "q1").mkdir()
    assert Workload("q1", longer_files(held, 3, tmp_path / "q1"), preload=False).rows == 3 * held.rows


def _measure_all(settings: PerfSettings, name: str) -> None:
    section = sections.SECTIONS[name]
    records = [record(section, case, lambda what: None) for case in section.cases(settings)]
    rows = [row for each in records for row in each["rows"]]
    assert len({row["what"] for row in rows}) == len(rows) > 0
    others = tuple(each for each in QUERIES if each not in settings.queries)
    wanted = {each.what for each in TARGETS if each.section == name and each.what.split(",")[0] not in others}
    assert {row["what"] for row in rows if row["target"] is not None} == wanted
    for each in records:
        series = {one["name"]: one["values"] for one in each["series"]}
        assert all(len(values) == settings.repeats for values in series.values())
        assert {row["of"] for row in each["rows"]} | {row["to"] for row in each["rows"]} <= {*series, None}


class Made:
    """A section of made-up cases, each of which says that it was measured."""

    name, title = "made", "Made up"

    def __init__(self, measured: list[str], broken: str = "") -> None:
        self.measured, self.broken = measured, broken

    def cases(self, settings: PerfSettings) -> list[PerfCase]:
        return [PerfCase(name, lambda into, tell, name=name: self._measure(into, name)) for name in "abc"]  # type: ignore[misc]

    def _measure(self, into: Measured, name: str) -> None:
        if name == self.broken:
            raise StreambenchError("a run was wrong")
        self.measured.append(name)
        into.keep({"one": [1.0, 3.0, 2.0]}, "ns")
        into.add([Row(f"{name}: one", "one", unit="ns")])
        into.distances.extend([60.0, 350.0])


def test_a_call_goes_on_after_the_last_case_that_was_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    section = Made(measured, broken="b")
    monkeypatch.setitem(sections.SECTIONS, "made", section)
    journal = Memory()
    with pytest.raises(StreambenchError, match="a run was wrong"):
        measure(PerfBench(sections=("made",)), journal=journal)
    section.broken = ""
    told: list[tuple[str, float]] = []
    document = measure(PerfBench(sections=("made",)), lambda *what: told.append(what), journal=journal)
    assert measured == ["a", "b", "c"]
    assert [row["what"] for row in document["summary"]] == ["a: one", "b: one", "c: one"]
    assert [row["median"] for row in document["summary"]] == [2.0] * 3
    assert document["kind"] == "perf"
    wanted: dict[str, Any] = {"sections": ["made"], "seconds": 0.3, "repeats": 9, "calls": 2}
    assert {name: document["parameters"][name] for name in wanted} == wanted
    assert "distance changed" in document["warnings"][-1]


def test_the_cases_of_all_sections_have_names_of_their_own(tmp_path: Path) -> None:
    found = [(section.name, case.name) for section, case in cases(PerfSettings(sections.NAMES, data=tmp_path))]
    assert len(set(found)) == len(found)
    for name in QUERIES:
        assert {("queries", name), ("latency", name), ("memory", name)} <= set(found)
    assert [section.name for section, _ in cases(PerfSettings(("queries", "memory")))] == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"repeats": 0}, "repeats must be at least 1, not 0"),
        ({"seconds": 0}, "seconds must be more than 0"),
        ({"seconds": float("nan")}, "seconds must be more than 0"),
        ({"queries": ()}, "at least one query"),
        ({"queries": ("q9",)}, "there is no query 'q9': choose from q1, q2, q3, q4, q15, ysb"),
        ({"queries": ("q1", "Q1")}, "query q1 is named twice: name it once"),
    ],
)
def test_settings_that_nobody_could_measure_with_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        PerfSettings(**wrong)


def test_a_query_is_named_in_any_case() -> None:
    assert PerfSettings(queries=("Q15", "q1")).queries == ("q15", "q1")
