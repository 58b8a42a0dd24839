"""Latency over load has a line for each configuration: runs that differ in anything but the rate are not one point."""

from __future__ import annotations

from typing import Any

from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.report import load
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument


def run_at(rate: float, reorder: str, p50: float, **changed: Any) -> dict[str, Any]:
    """A right run of `schemes` with two workers."""
    run = dict.fromkeys(CONFIGURATION) | {"query": "q2", "engine": "schemes", "heuristic": "et", "workers": 2}
    run |= {"reorder": reorder, "rate": rate, "laps": round(rate), "latency": {"p50": p50, "p99": 2 * p50}}
    return run | {"sequence_ok": True, "answer_ok": True} | changed


def drawn(runs: list[dict[str, Any]]) -> str:
    """All that is said in the pictures and about them."""
    (block,) = load.blocks([NamedDocument("sweep.json", "sweep", {"runs": runs})], Drawing())
    return " ".join(each.svg for each in block.pictures)


def test_reordering_schemes_have_lines_of_their_own_and_are_named() -> None:
    runs = [run_at(rate, how, 1e-3) for rate in (1e4, 2e4) for how in ("nonblocking", "lock")]
    text = drawn(runs)
    assert "schemes, et 2, reorder lock, p50" in text
    assert "schemes, et 2, reorder nonblocking, p99" in text


def test_what_all_runs_share_is_not_named_and_neither_is_what_follows_from_rate_and_repeat() -> None:
    runs = [run_at(rate, "lock", 1e-3, arrival_seed=repeat) for rate in (1e4, 2e4) for repeat in range(3)]
    text = drawn(runs)
    assert "schemes, et 2, p50" in text
    assert not [each for each in ("reorder", "laps", "seed") if each in text]
