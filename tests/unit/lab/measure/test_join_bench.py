"""The benchmark of joins: its tuples, its search for rates, its checks, and how it goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.lab.measure.frame import measure
from streambench.lab.measure.joins import gates, throughput
from streambench.lab.measure.joins.bench import JoinBench
from streambench.lab.measure.joins.case_studies import CASE_STUDIES, StudySchedule, run_case_study
from streambench.lab.measure.joins.paced import latencies, quantiles
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.sustained import sustained
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Memory

TINY: dict[str, Any] = {
    "windows": (0.02,),
    "repeats": 2,
    "seconds": 0.002,
    "most_tuples": 1024,
    "studies": ("8c",),
    "study_seconds": 0.1,
    "gates": False,
}


@pytest.fixture(autouse=True)
def _nobody_looks_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streambench.host.core_distance.longest", lambda *_: 50.0)
    monkeypatch.setattr(journaled_document.neighbours, "warning", lambda when: None)


def test_tuples_are_the_papers_whatever_their_number() -> None:
    few, many = PaperStreams(1000, seed=3), PaperStreams(50_000, seed=3)
    for name in ("x", "y", "z", "a", "b", "c", "d"):
        assert np.array_equal(getattr(few, name), getattr(many, name)[:1000]), name
    for values in (many.x, many.y, many.a, many.b):
        assert values.min() >= 1
        assert values.max() <= 10_000
        assert abs(values.mean() - 5000.5) < 50
    definition = many.definition(20_000, 30_000)
    assert (
        definition.largest_window == 20_001
    )  # of equal times the left side's is earlier: compared by the right side's
    assert definition.pairs == 30_000 * (20_000 + 20_001)


def test_a_reference_is_refused_that_the_naive_join_does_not_find(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = PaperStreams(40_000)
    assert len(streams.reference(30_000, 10_000)) == 16
    monkeypatch.setattr(
        PaperStreams, "_matches", lambda self, tick, others, left_is_later: np.zeros(others.stop - others.start, bool)
    )
    with pytest.raises(AssertionError, match="other matches at tick"):
        streams.reference(30_000, 10_000)


@pytest.mark.parametrize("comparisons", [1e8, 3e10])
def test_a_sustainable_rate_is_what_comparisons_allow_and_was_measured(comparisons: float) -> None:
    def measured(window: int) -> float:  # larger windows are compared somewhat slower
        return comparisons * (4096 / window) ** 0.1 / (2 * window)

    for seconds in (3.0, 300.0):
        found = sustained(measured, seconds, 1 << 40)
        assert found.verified
        assert found.window == round(found.rate * seconds)
        assert found.rate <= measured(found.window) < 1.25 * found.rate
    assert sustained(measured, 300.0, 2048).window == 2048


def test_a_rate_that_no_run_keeps_up_with_is_not_verified() -> None:
    rates = iter(1000.0 / 3.0**k for k in range(20))
    assert not sustained(lambda window: next(rates), 1.0, 1 << 20).verified


def test_every_run_has_what_is_promised_and_the_same_output_by_all_threads() -> None:
    document = measure(JoinBench(tiers=("scan", "simd", "codes", "index"), threads=(1, 3), **TINY))
    assert document["kind"] == "join-bench"
    assert [row["measure"] for row in document["summary"]] == ["throughput"] * 10 + ["latency"] * 8 + ["skew 8c"]
    assert len(document["runs"]) == 2 * 18 + 1
    for run in document["runs"]:
        assert run["verified"], run
        assert run["peak_memory_bytes"] >= run["memory_before_bytes"] > 1 << 20
        assert len(run["worker_shares"]) == len(run["worker_cpu_seconds"]) == run["threads"]
        if run["measure"].startswith("skew"):
            continue
        assert run["digest"] == run["reference"]
        assert len(run["per_thread"]) == run["threads"]
        assert run["comparisons"] == run["tuples"] * (2 * run["window_tuples"] + 1)
        if run["tier"] != "index":
            assert sum(run["per_thread"]) == run["comparisons"]
        if run["measure"] == "latency":
            assert run["rate"] == 0.8 * run["sustainable_rate"]
    for row in document["summary"]:
        promised = (
            "tier",
            "threads",
            "window_tuples",
            "comparisons_per_second",
            "tuples_per_second",
            "per_thread",
            "latency",
        )
        assert {*promised, "digest"} <= set(row)


def test_the_handshake_join_is_measured_and_checked_beside_scalejoin() -> None:
    wanted = JoinBench(joins=("scale", "handshake"), tiers=("scan", "index"), threads=(2,), **{**TINY, "studies": ()})
    found = [row for row in measure(wanted)["summary"] if row["join"] == "handshake"]
    assert [(row["measure"], row["tier"], row["verified"]) for row in found] == [("throughput", "scan", True)]


def test_a_wrong_run_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PaperStreams, "reference", lambda self, window, steady: "0" * 16)
    document = measure(JoinBench(tiers=("codes",), threads=(1,), **TINY))
    for run in document["runs"][:-1]:  # the last is a case study, which has a reference of its own
        assert (run["comparisons_per_second"], run["tuples_per_second"], run["latency"]) == (None, None, None)
    row = document["summary"][0]
    assert (row["verified"], row["wrong"], row["comparisons_per_second"]) == (False, 2, None)


def test_what_was_measured_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    journal, settings = Memory(), JoinBench(tiers=("codes", "index"), threads=(1,), **TINY)
    first = measure(settings, journal=journal)
    monkeypatch.setattr(throughput, "JOINS", {})
    again = measure(settings, journal=journal)
    assert again["runs"] == first["runs"]
    assert again["parameters"]["calls"] == 2


def test_gates_are_measured_by_sources_and_readers_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = JoinBench(tiers=("codes",), threads=(1,), **{**TINY, "gates": True})
    runs = [run for run in measure(wanted)["runs"] if run["measure"] == "gate"]
    assert {(run["tier"], run["sources"], run["readers"]) for run in runs} == set(gates.POINTS)
    assert all(run["verified"] and run["tuples_per_second"] > 0 for run in runs)
    assert all(len(run["worker_cpu_seconds"]) == run["threads"] and run["peak_memory_bytes"] > 1 << 20 for run in runs)
    monkeypatch.setattr(gates, "sum_of", lambda times: 0)
    wrong = gates.traffic(gates.GatePoint("ring", 2, 1), 0.001, 0)
    assert (wrong["verified"], wrong["tuples_per_second"]) == (False, None)


def test_a_matchs_latency_is_its_later_tuples_until_its_batch_has_left() -> None:
    ts = np.array([0, 10, 20]), np.array([10, 20, 30])

    class Two:
        ends = np.array([2, 6])  # batches: left 0, left 1; then right 0, left 2, right 1, right 2
        begun_ns = 1000

    rows = np.arange(3)
    physical = [(0, ts[0], rows, np.array([0, 50, 60])), (1, ts[1], rows, np.array([5, 70, 80]))]
    matches = np.array([1, 2, 2]), np.array([0, 0, 2])  # later are right 0, left 2, right 2
    arrivals: Any = Two()
    found = latencies(matches, ts, physical, arrivals, np.array([1100, 1500]))
    assert found.tolist() == pytest.approx([495e-9, 440e-9, 420e-9])
    assert quantiles(found) == pytest.approx(
        {"p50": 440e-9, "p90": 495e-9, "p99": 495e-9, "p999": 495e-9, "max": 495e-9, "mean": 451.666667e-9}
    )
    assert quantiles(found[:0]) is None


@pytest.mark.parametrize("name", CASE_STUDIES)
def test_a_case_study_has_the_papers_streams_and_as_many_comparisons_however_long_it_is(name: str) -> None:
    streams = PaperStreams(200_000)
    pairs = []
    for seconds in (0.5, 2.0):
        schedule = StudySchedule(CASE_STUDIES[name], seconds)
        assert len(schedule.streams) == {"8a": 1 + 4, "8b": 3 + 2, "8c": 4 + 2}[name]
        for side, ts, rows, due in schedule.streams:
            assert np.array_equal(schedule.ts[side][rows], ts)
            assert (np.diff(rows) > 0).all()
            assert ts.min() >= 0
            assert np.array_equal(due, ts)
        found = schedule.definition(streams).pairs / seconds
        pairs.append(found)
    assert pairs[0] == pytest.approx(pairs[1], rel=0.02)
    if name == "8a":  # 10 threads of some 65 million in the paper's figure
        assert pairs[1] == pytest.approx(650e6, rel=0.02)


def test_a_case_study_is_sampled_by_thread_and_checked() -> None:
    run = run_case_study(CASE_STUDIES["8b"], "simd", 3, 0.3, 1)
    assert run["verified"]
    assert sum(run["per_thread"]) == run["comparisons"]
    samples = run["samples"]
    assert len(samples["seconds"]) == len(samples["compared"]) > 0
    assert samples["seconds"] == sorted(samples["seconds"])
    assert all(len(each) == 3 for each in samples["compared"])
    assert set(samples["rates"]) == {"R1", "R2", "R3", "S1", "S2"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tiers": ("fast",)}, "no tier 'fast'"),
        ({"joins": ("nested",)}, "no join 'nested'"),
        ({"threads": (0,)}, "threads must be from 1"),
        ({"windows": (0.0,)}, "windows must last"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"seconds": float("nan")}, "seconds must be"),
        ({"load": 1.5}, "load must be"),
        ({"studies": ("9",)}, "no case study '9'"),
        ({"study_seconds": 0.0}, "study_seconds must be more than 0"),
        ({"most_tuples": 3}, "most_tuples must be at least 1024"),
        ({"tiers": ("scan", "scan")}, "tier"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        JoinBench(**wrong)
