"""Rows of `streambench bench perf` are computed from the runs, and judged by the target that was recorded with them."""

from __future__ import annotations

from typing import Any

import pytest
from made_up_perf import case

from streambench.lab.record.perf_summary import TIMES, rows, target_text, verdict


def one(how: str, **of: Any) -> dict[str, Any]:
    series = {"slow": [2.0, 8.0, 3.0], "fast": [1.0, 2.0, 1.0]}
    return rows([case(series, [{"what": "it", "how": how, "of": "slow", "to": "fast", **of}])])[0]


def test_ratios_and_differences_are_taken_pair_by_pair() -> None:
    assert one("ratio")["median"] == 3.0
    assert one("excess")["median"] == 2.0
    assert one("median", to=None)["median"] == 3.0
    with pytest.raises(ValueError, match="no way 'mean'"):
        one("mean")


@pytest.mark.parametrize(
    ("target", "at_most", "met"),
    [(3.0, False, True), (3.01, False, False), (3.0, True, True), (2.99, True, False), (None, False, None)],
)
def test_a_target_is_met_by_the_median(target: float | None, at_most: bool, met: bool | None) -> None:
    assert one("ratio", target=target, at_most=at_most)["met"] is met


def test_the_verdict_counts_what_is_judged() -> None:
    found = [one("ratio", target=1.9), one("ratio", target=9.0), one("ratio")]
    assert verdict(found) == "1 of 2 targets met"
    assert [target_text(row) for row in found] == [f"≥ 1.9 {TIMES}", f"≥ 9 {TIMES}", ""]
    assert target_text(one("ratio", target=2.0, at_most=True)) == f"≤ 2 {TIMES}"
