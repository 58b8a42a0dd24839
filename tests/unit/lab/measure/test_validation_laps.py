"""A real run lasts about as long as it is to, whatever its first lap takes, and each configuration by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from streambench.lab.measure.frame import BenchData
from streambench.lab.measure.validation.bench import MOST_LAPS, Comparisons, laps_of
from streambench.lab.measure.validation.cases import ValidationCase, cases
from streambench.lab.simulate.times import Times

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
SECONDS = 0.25


class Stream:
    """Runs of laps: ``cold`` for the first lap of all, ``beginning`` of every run, and so long a ``lap``."""

    def __init__(self, lap: float, *, beginning: float = 0.0, cold: float = 0.0) -> None:
        self.lap, self.beginning, self.cold, self.runs = lap, beginning, cold, 0

    def run(self, laps: int) -> float:
        self.runs += 1
        return self.beginning + laps * self.lap + (self.cold if self.runs == 1 else 0.0)


@pytest.mark.parametrize("lap", [0.0003, 0.002, 0.011, 0.1])
@pytest.mark.parametrize("beginning", [0.0, 0.001, 0.02])
def test_a_run_lasts_about_as_long_as_it_is_to(lap: float, beginning: float) -> None:
    stream = Stream(lap, beginning=beginning, cold=5.0)
    laps = laps_of(stream.run, SECONDS)
    assert SECONDS * 2 / 3 <= stream.run(laps) <= SECONDS * 4 / 3
    assert stream.runs < 8


def test_there_is_one_lap_at_least_and_as_many_as_there_is_room_for_at_most() -> None:
    assert laps_of(Stream(1.0).run, SECONDS) == 1
    assert laps_of(Stream(0.001).run, SECONDS, most=12) == 8
    assert laps_of(Stream(0.0).run, SECONDS) == MOST_LAPS
    assert laps_of(Stream(0.001).run, SECONDS, most=1) == 1


def test_each_configuration_has_laps_of_its_own() -> None:
    """Of one workload and unit one engine may take several times what another does."""

    def run(options: Any, *, keep: bool) -> tuple[Any, None]:
        lap = 0.02 if options.engine == "schemes" else 0.002
        return SimpleNamespace(seconds=options.laps * lap / options.workers), None

    found = {}
    comparisons = Comparisons(BenchData(), TIMES, SECONDS)
    workload: Any = SimpleNamespace(run=run)
    for case in cases(["schemes", "ordered"], ["q15"], None):
        assert isinstance(case, ValidationCase)
        options = case.options
        found[options.engine, options.workers] = comparisons._laps_for(case, workload)
    assert found == {("schemes", 1): 16, ("schemes", 2): 32, ("ordered", 1): 128, ("ordered", 2): 256}
