"""Markers: each rides on the unit that holds its tuple, wherever in the unit that is."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pipelines import EXECUTIONS

from streambench.execute import execute
from streambench.options import Options
from streambench.pipeline import Pipeline

TUPLES = 240
UNIT = 8
ENGINES: dict[str, dict[str, Any]] = {"serial engine": {"engine": "serial"}, **EXECUTIONS}


@pytest.mark.parametrize("interval", [1, 3, 7, 8, 15, 24])
@pytest.mark.parametrize("how", ENGINES)
def test_a_marker_enters_and_leaves_with_its_unit(probes: SimpleNamespace, how: str, interval: int) -> None:
    pipeline = Pipeline([probes.Counting(TUPLES), probes.KeyedCount(2), probes.Map(), probes.Recorder(keep=False)])
    options = Options(workers=2, unit=UNIT, markers=TUPLES // interval, pin=False, **ENGINES[how])
    index, entered, left = execute(pipeline, options).markers
    assert index.tolist() == list(range(0, TUPLES, interval))
    assert entered.min() > 0, "one was not noticed as its unit entered"
    assert (entered < left).all()
    for before, after in pairwise(range(len(index))):
        if index[before] // UNIT == index[after] // UNIT:
            assert (entered[before], left[before]) == (entered[after], left[after])
    assert (np.diff(left) >= 0).all()
