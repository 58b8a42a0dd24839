"""The benchmark of summaries: its streams, its check of answers, its runs, and how it goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.lab.measure.frame import measure
from streambench.lab.measure.topk import run as runs
from streambench.lab.measure.topk.answer import accuracy, error_bound, wrong_answer
from streambench.lab.measure.topk.bench import PRESETS, TopkBench
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.measure.topk.points import chosen
from streambench.lab.measure.topk.zipf_streams import ExactCounts, zipf_streams
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Memory

TINY: dict[str, Any] = {
    "alphas": (1.0, 1.5),
    "streams": (1, 3),
    "items": 3000,
    "epsilons": (0.01, 0.1),
    "rhos": (500, 1),
    "failing": (0.0, 0.5),
    "query_every": 1000,
    "repeats": 2,
}


@pytest.fixture(autouse=True)
def _nobody_looks_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streambench.host.core_distance.longest", lambda *_: 50.0)
    monkeypatch.setattr(journaled_document.neighbours, "warning", lambda when: None)


def test_streams_follow_zipfs_law_and_are_the_same_whatever_their_number() -> None:
    few, many = zipf_streams(1.5, 1, 1000, 3, 5000), zipf_streams(1.5, 2, 100_000, 3, 5000)
    assert np.array_equal(few[0], many[0][:1000])
    assert not np.array_equal(many[0], many[1])
    exact = ExactCounts(many)
    found = np.sort(exact.counts)[::-1] / exact.n
    law = np.arange(1, 5001) ** -1.5
    assert found[:5] == pytest.approx(law[:5] / law.sum(), rel=0.05)
    assert exact.items.max() > 2**63  # ids lie all over 64 bits
    assert exact.of(np.array([exact.items[7], 1], np.uint64)).tolist() == [exact.counts[7], 0]


def test_an_answer_is_wrong_where_an_interval_or_an_item_is_missed() -> None:
    exact = ExactCounts([np.repeat(np.arange(1, 4, dtype=np.uint64), [60, 30, 10])])

    def problem(items: list[int], counts: list[int], errors: list[int], floor: int = 10, n: int = 100) -> str | None:
        found = np.array(items, np.uint64), np.array(counts), np.array(errors), floor, n, 0
        return wrong_answer(found, exact, 0.2)

    assert problem([1, 2], [60, 35], [0, 10]) is None
    assert problem([1, 2], [59, 35], [0, 10]) == "60 lies outside of 59 to 59, as do 0 others"
    assert problem([1, 2], [60, 35], [0, 2]) == "30 lies outside of 33 to 35, as do 0 others"
    assert problem([1], [60], [0], floor=30) == "1 items above the error bound of 20 are missing"
    assert problem([1, 2], [60, 30], [0, 0], floor=5) == "1 items above the floor of 5 are missing"
    assert problem([1, 1, 2], [60, 60, 30], [0, 0, 0]) == "an item is there twice"
    assert problem([1, 2], [60, 30], [0, 0], n=99) == "99 items are counted and 0 in flight, of 100"
    assert error_bound((None, None, np.array([3, 7]), 5, 100, 0)) == 0.07


def test_accuracy_is_that_of_items_above_a_thousandth_of_all() -> None:
    exact = ExactCounts([np.repeat(np.arange(4, dtype=np.uint64), [8000, 1980, 11, 9])])

    def of(items: list[int], counts: list[int]) -> dict[str, float | None]:
        return accuracy((np.array(items, np.uint64), np.array(counts), None, 0, 10_000, 0), exact)

    perfect = {"frequent_items": 3, "precision": 1, "recall": 1, "relative_error": 0}
    assert of([0, 1, 2, 3], [8000, 1980, 11, 9]) == perfect
    assert of([0, 1, 2, 3], [8000, 1980, 11, 10]) == perfect
    assert of([0, 1, 3], [8800, 1980, 11]) == pytest.approx(
        {"frequent_items": 3, "precision": 2 / 3, "recall": 2 / 3, "relative_error": 0.05}
    )
    assert of([3], [10]) == {"frequent_items": 3, "precision": None, "recall": 0, "relative_error": None}
    even = ExactCounts([np.arange(10_000, dtype=np.uint64)])
    unknown = accuracy((np.array([1], np.uint64), np.array([10]), None, 0, 10_000, 0), even)
    assert unknown == {"frequent_items": 0, "precision": None, "recall": None, "relative_error": None}


def test_every_run_has_what_is_promised_and_a_right_answer() -> None:
    document = measure(TopkBench(**TINY))
    assert document["kind"] == "topk-bench"
    assert len(document["runs"]) == len(TopkBench(**TINY).points()) * 2
    for run in document["runs"]:
        assert run["verified"], run
        assert run["updates_per_second"] > 0
        assert run["error_bound"] <= 1.05 * run["epsilon"]
        assert run["summary_bytes"] > 16 / run["epsilon"]
        assert run["recall"] == 1 or run["epsilon"] > 0.001
        assert (run["rho"] > 0) == (run["sleep"] > 0) == (run["design"] == "auto-tuned")
        assert run["peak_memory_bytes"] >= run["memory_before_bytes"] > 1 << 20
        assert len(run["worker_shares"]) == len(run["worker_cpu_seconds"]) == run["threads"]
        assert (run["profile"] is not None) == run["instrumented"]
        asked = run["query_every"] > 0
        assert (run["queries"] > 0) == (run["query_latency"] is not None) == (run["stale_items"] is not None) == asked
    for row in document["summary"]:
        assert {"design", "threads", "alpha", "epsilon", "updates_per_second", "profile"} <= set(row)
        assert row["updates_per_second"] > 0
        if row["profile"] is not None:
            assert sum(row["profile"].values()) > 0
    epsilons = {(row["epsilon"], row["failing"]) for row in document["summary"]}
    assert epsilons == {(0.01, 0.0), (0.01, 0.5), (0.1, 0.0)}
    asked = {row["design"] for row in document["summary"] if row["query_latency"] and row["alpha"] == 1.5}
    assert asked == {row["design"] for row in document["summary"]}
    tuned = {(row["epsilon"], row["rho"]) for row in document["summary"] if row["design"] == "auto-tuned"}
    assert tuned == {(0.01, 500), (0.01, 1), (0.1, 500)}
    profiled = {row["design"] for row in document["summary"] if row["profile"]}
    assert profiled == {name for name, design in DESIGNS.items() if design.profiled}
    failing = {(row["design"], row["alpha"]) for row in document["summary"] if row["failing"]}
    assert failing == {("shared", 1.5), ("shared-blocking", 1.5), ("cooperative", 1.5)}


def test_a_wrong_run_has_no_number_and_what_was_measured_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = TopkBench(**{**TINY, "designs": ("locked",), "alphas": (1.0,), "streams": (2,), "epsilons": (0.01,)})
    with monkeypatch.context() as patch:
        patch.setattr(runs, "wrong_answer", lambda found, exact, epsilon: "it is wrong")
        journal = Memory()
        first = measure(wanted, journal=journal)
    assert {(run["updates_per_second"], run["problem"]) for run in first["runs"]} == {(None, "it is wrong")}
    (row,) = first["summary"]
    assert (row["verified"], row["wrong"], row["updates_per_second"]) == (False, 2, None)
    again = measure(wanted, journal=journal)
    assert again["runs"] == first["runs"]
    assert again["parameters"]["calls"] == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"designs": ("nested",)}, "no design 'nested'"),
        ({"designs": ("sequential",)}, "sequential counts one stream in one thread"),
        ({"alphas": (-1.0,)}, "alphas must be from 0 to 10, not -1"),
        ({"streams": (0,)}, "streams must be from 1 to 256, not 0"),
        ({"streams": (4, 4)}, "number of streams 4 is named twice"),
        ({"items": 0}, "items of all streams together must be 1 to"),
        ({"epsilons": (0.1, 1.0)}, "epsilons must be from 1e-7 to less than 1, not 0.1, 1"),
        ({"sources": ("shops",)}, "no source 'shops'"),
        ({"rhos": (0,)}, "rhos must be at least 1, not 0"),
        ({"sleep": 2.0}, "sleep must be from 0 to 1 second, not 2"),
        ({"failing": (1.0,)}, "failing are probabilities"),
        ({"wait": 1.5}, "wait must be from 0 to 1 second, not 1.5"),
        ({"query_every": -1}, "query_every is a number of items"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"figures": ("3",)}, "no figure '3'"),
        ({"figures": ("6",), "alphas": (0.5,)}, "nothing is left to measure"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        TopkBench(**wrong)


def test_a_figure_stands_for_its_parts_and_presets_are_settings() -> None:
    assert chosen(("9", "5", "10b")) == ("5", "9a", "9b", "9c", "10b")
    with pytest.raises(OptionError, match="there is no figure 11"):
        chosen(("11",))
    for preset in PRESETS.values():
        assert (TopkBench(**preset).epsilons, TopkBench(**preset).rhos) == ((0.0001,), (500,))
