"""The example of figure 1 of paper 000 counts what a loop over its call records counts."""

from __future__ import annotations

import math
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "fraud.py"


@pytest.fixture(scope="module")
def fraud() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def cases_by_hour(fraud: dict[str, Any]) -> dict[int, int]:
    """The answer, by a loop over the records."""
    last: dict[int, tuple[int, int, int]] = {}
    cases: Counter[int] = Counter()
    names = ("ts", "area", "caller", "x", "y")
    for ts, area, phone, x, y in zip(*(fraud["records"][name].tolist() for name in names), strict=True):
        if area != fraud["AREA"]:
            continue
        if phone in last:
            before, *place = last[phone]
            if math.dist(place, (x, y)) / max(ts - before, 1) > fraud["LIMIT"]:
                cases[ts // fraud["HOUR"]] += 1
        last[phone] = ts, x, y
    return dict(cases)


@pytest.mark.parametrize(
    "how",
    [{"engine": "serial"}, {"workers": 3}, {"heuristic": "ct", "routing": "in-order", "workers": 3, "unit": 7}],
    ids=str,
)
def test_the_cases_by_hour_are_those_of_a_loop(fraud: dict[str, Any], how: dict[str, Any]) -> None:
    pipeline = fraud["build"]()
    pipeline.run(**how, pin=False)
    starts, _, cases = (column.tolist() for column in pipeline.sink.rows())
    wanted = cases_by_hour(fraud)
    assert len(wanted) == 24
    assert {start // fraud["HOUR"]: n for start, n in zip(starts, cases, strict=True)} == wanted
