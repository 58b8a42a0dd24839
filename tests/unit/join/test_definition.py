"""A join's definition takes the columns that its predicate declares, and no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streambench.pyx.join.definition import Definition

TS = np.arange(4)


@pytest.mark.parametrize(("rule", "widest"), [("exact", 700), ("three-step", 700), ("count", 50)])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_largest_window_may_come_after_many_small_ones(rule: str, widest: int, swapped: bool) -> None:
    sparse = np.arange(0, 100_000, 100)
    sides = [sparse, np.sort(np.concatenate([sparse[:20], np.full(700, 90_060)]))]
    definition = Definition(*(sides[::-1] if swapped else sides), [], 50, rule)
    assert definition.largest_window == widest


@pytest.mark.parametrize(
    ("left", "right", "error", "message"),
    [
        (
            [TS.astype(np.int32)],
            [TS],
            TypeError,
            "column x of the left side holds int32, but predicate Declares .* int64",
        ),
        ([TS], [TS.astype(np.float32)], TypeError, "column a of the right side holds float32, .* declares it as int64"),
        ([TS], [], ValueError, "the predicate reads 1 columns of the right side, but 0 are given"),
        ([TS, TS], [TS], ValueError, "the predicate reads 1 columns of the left side, but 2 are given"),
        ([TS[:3]], [TS], ValueError, "column x has 3 values, but its side 4 rows"),
    ],
)
def test_columns_that_the_predicate_does_not_declare_are_refused(
    left: Any, right: Any, error: type[Exception], message: str, probes: SimpleNamespace
) -> None:
    def defined(*columns: Any) -> Definition:
        return Definition(TS, TS, [], 1, "exact", probes.Declares(("x",), ("a",)), *columns)

    with pytest.raises(error, match=message):
        defined(left, right)
    defined([TS], [TS])
