"""Markers: each rides on the unit that holds its tuple, wherever in the unit that is."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pipelines import EXECUTIONS

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

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


@pytest.mark.slow
@pytest.mark.parametrize("how", ["serial engine", "whole", "cut"])
def test_of_ever_more_markers_every_second_one_goes(
    probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """A stream whose length is not known has one for each 1024 tuples; here each tuple has one, of five million."""
    monkeypatch.setattr("streambench.execution.engines.UNKNOWN_LENGTH_INTERVAL", 1)
    tuples = 5_000_000
    source = probes.Counting(tuples, known=False)
    options = Options(workers=2, unit=4096, pin=False, **ENGINES[how])
    index, entered, left = execute(Pipeline([source, probes.Map(), probes.Recorder(keep=False)]), options).markers
    assert index.tolist() == list(range(0, tuples, 4))
    assert entered.min() > 0
    assert (entered < left).all()
    assert (np.diff(left) >= 0).all()
    unit = index // 4096
    same = unit[1:] == unit[:-1]
    assert (left[1:][same] == left[:-1][same]).all()
    assert (entered[1:][same] == entered[:-1][same]).all()
