"""The benchmark of joins: its tuples, its search for rates, its checks, and how it goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.measure.joins import throughput
from streambench.measure.joins.measure import join_bench
from streambench.measure.joins.paper_streams import PaperStreams
from streambench.measure.joins.settings import Settings
from streambench.measure.joins.sustained import sustained
from streambench.record import journaled_document
from streambench.record.journal import Memory

TINY: dict[str, Any] = {"windows": (0.02,), "repeats": 2, "seconds": 0.002, "most_tuples": 1024}


@pytest.fixture(autouse=True)
def _nobody_looks_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "round_trips", lambda: {"0-1": 50.0})
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
    document = join_bench(Settings(tiers=("scan", "simd", "codes", "index"), threads=(1, 3), **TINY))
    assert document["kind"] == "join-bench"
    assert len(document["runs"]) == 2 * len(document["summary"]) == 16
    for run in document["runs"]:
        assert run["verified"], run
        assert run["digest"] == run["reference"]
        assert len(run["per_thread"]) == run["threads"]
        assert run["comparisons"] == run["tuples"] * (2 * run["window_tuples"] + 1)
        if run["tier"] != "index":
            assert sum(run["per_thread"]) == run["comparisons"]
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


def test_a_wrong_run_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PaperStreams, "reference", lambda self, window, steady: "0" * 16)
    document = join_bench(Settings(tiers=("codes",), threads=(1,), **TINY))
    assert all(run["comparisons_per_second"] is None and run["tuples_per_second"] is None for run in document["runs"])
    (row,) = document["summary"]
    assert (row["verified"], row["wrong"], row["comparisons_per_second"]) == (False, 2, None)


def test_what_was_measured_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    journal, settings = Memory(), Settings(tiers=("codes", "index"), threads=(1,), **TINY)
    first = join_bench(settings, journal=journal)
    monkeypatch.setattr(throughput, "JOINS", {})
    again = join_bench(settings, journal=journal)
    assert again["runs"] == first["runs"]
    assert again["parameters"]["calls"] == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tiers": ("fast",)}, "no tier 'fast'"),
        ({"joins": ("nested",)}, "no join 'nested'"),
        ({"threads": (0,)}, "threads must be from 1"),
        ({"windows": (0.0,)}, "a window must last"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"seconds": float("nan")}, "seconds must be"),
        ({"load": 1.5}, "the load must be"),
        ({"most_tuples": 3}, "at least 1024 tuples"),
        ({"tiers": ("scan", "scan")}, "tier"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Settings(**wrong)
