"""A kept journal: which benches go on with one another's runs, and what of them is not measured again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from streambench.lab.measure.frame import measure
from streambench.lab.measure.joins.bench import JoinBench
from streambench.lab.measure.perf import bench as perf_bench
from streambench.lab.measure.perf.bench import PerfBench
from streambench.lab.measure.query_bench import QueryBench
from streambench.lab.measure.snet.bench import SnetBench
from streambench.lab.measure.snet.bench import checked as checked_net
from streambench.lab.measure.sweep.bench import SweepBench
from streambench.lab.measure.sweep.product import Product, merged
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.measure.topk.bench import TopkBench
from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.lab.measure.topk.zipf_streams import ExactCounts
from streambench.lab.record.journal import Memory
from streambench.pyx.topk.designs import design_named


@pytest.mark.parametrize(
    ("bench", "more", "other"),
    [
        (QueryBench(("q1",), (1, 2)), {"queries": ("q1", "q4"), "repeats": 12}, {"min_seconds": 2.0}),
        (JoinBench(threads=(1, 2)), {"tiers": ("simd",), "windows": (1.0,)}, {"seconds": 1.0}),
        (TopkBench(streams=(2,)), {"streams": (2, 4), "alphas": (1.5,)}, {"items": 10}),
        (SnetBench(), {"cases": ("fibonacci",), "repeats": 1}, {"seconds": 2.0}),
        (PerfBench(), {"case": ("q1",), "sections": ("plans",)}, {"repeats": 3}),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "kind") else "",
)
def test_more_points_and_repeats_go_on_and_other_runs_do_not(bench: Any, more: Any, other: Any) -> None:
    assert replace(bench, **more).fixed() == bench.fixed()
    assert replace(bench, **more).plain() != bench.plain()
    assert replace(bench, **other).fixed() != bench.fixed()


def test_a_sweeps_run_has_one_key_whatever_else_is_swept() -> None:
    def keys(**axes: Any) -> dict[str, str]:
        schedule = Schedule(merged(Product(**axes).comparisons()), repeats=2)
        points = ((schedule.options(point), point) for point in schedule.points())
        return {f"{options} {point.repeat}": schedule.key(point) for options, point in points if options.workers == 1}

    few = keys(queries=("q4",), workers=(1,))
    many = keys(queries=("q4",), workers=(2, 1), heuristics=("lp", "ct"), micro=("sl",))
    assert few.items() <= many.items()
    assert len(set(many.values())) == len(many)
    short, long = (SweepBench(Schedule(merged(Product(queries=(name,)).comparisons()))) for name in ("q1", "q4"))
    assert short.fixed() == long.fixed()


def test_a_case_that_the_limit_cut_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Section:
        name = "made up"

    class Case:
        def __init__(self, name: str) -> None:
            self.name = name

    measured: list[str] = []
    limits = [TimeLimit(1e9), TimeLimit(1e9)]

    def run(settings: Any, section: Any, case: Any, *_: Any) -> dict[str, Any]:
        measured.append(case.name)
        settings.limit.ran()
        if len(measured) == 2:
            limits[0].stop()
        return {
            "section": section.name,
            "title": "",
            "case": case.name,
            "series": [],
            "rows": [],
            "core_round_trip_ns": [],
        }

    monkeypatch.setattr(perf_bench, "cases", lambda settings: [(Section(), Case(name)) for name in ("a", "b", "c")])
    monkeypatch.setattr(perf_bench, "_measured", run)
    journal = Memory()
    first = measure(PerfBench(), journal=journal, limit=limits[0])
    assert [each["case"] for each in first["runs"]] == ["a", "b"]
    assert any("ended the measuring early" in warning for warning in first["warnings"])
    second = measure(PerfBench(), journal=journal, limit=limits[1])
    assert [each["case"] for each in second["runs"]] == ["a", "b", "c"]
    assert measured == ["a", "b", "b", "c"]
    assert not any("ended the measuring early" in warning for warning in second["warnings"])


@pytest.mark.parametrize("failing", [0.0, 0.3])
@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 2500])
def test_laps_of_a_stream_count_each_item_as_often(failing: float, size: int) -> None:
    items = (np.arange(size, dtype=np.uint64) % 7) + 1
    summary = design_named("independent-fast")(50, 2)
    StreamCrew(summary, [items, items[: size // 2]], 0, failing, laps=3).run()
    exact = ExactCounts([items, items[: size // 2]]).times(3)
    found, counts, *_, n, in_flight = summary.snapshot()
    assert (n, in_flight) == (3 * (size + size // 2), 0)
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == dict(
        zip(exact.items.tolist(), exact.counts.tolist(), strict=True)
    )


def test_laps_of_a_net_are_all_checked_and_timed() -> None:
    (point, *_) = SnetBench(cases=("fibonacci",), sizes={"fibonacci": (6,)}, workers=(1,)).points()
    run = checked_net(point, 0, laps=3)
    assert (run["laps"], run["verified"]) == (3, True)
    assert run["seconds"] > 0
    assert run["cpu_seconds"] > 0
