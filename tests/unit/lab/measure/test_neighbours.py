"""Neighbours on purpose: they burn while something is measured and no longer; how soon workers react to one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import Options
from streambench.lab.measure.perf.burners import SCRIPT, Burner, busy
from streambench.lab.measure.perf.case import Measured
from streambench.lab.measure.perf.sections import disturbance, plans, queries
from streambench.lab.measure.perf.sections.disturbance import Reaction, reaction
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import laps_for

QUIET = (0.0, True)


def children() -> set[int]:
    """Burners of this process that are there."""
    command = ["ps", "-ww", "--ppid", str(os.getpid()), "-o", "pid=,args="]  # -ww: whole lines, however long the path
    listed = subprocess.run(command, capture_output=True, text=True)
    return {int(line.split()[0]) for line in listed.stdout.splitlines() if SCRIPT.name in line}


def test_a_burner_is_busy_between_the_two_moments_and_says_when() -> None:
    begin = time.monotonic() + 0.01
    with Burner(begin, begin + 0.02) as burner:
        begun, ended = burner.moments()
    assert begin <= begun < ended
    assert ended >= begin + 0.02


def test_burners_are_there_inside_and_gone_afterwards_whatever_happens() -> None:
    with busy(2):
        assert len(children()) == 2
    assert not children()
    with pytest.raises(OptionError), busy(1):
        Options(plan="no plan")
    assert not children()


def test_a_burner_whose_parent_is_gone_ends() -> None:
    """The process id of nobody's parent."""
    ended = subprocess.run([sys.executable, "-S", str(SCRIPT), "0", "0", "1e9"], capture_output=True, text=True)
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("bound", "wanted"),
    [
        # seconds until they made way and until they were back; were they bound when it went, were they not back
        ([QUIET, (1.005, False), (2.04, True)], (0.005, 0.04, False, False)),
        ([QUIET, (1.005, False), (1.3, True), (1.31, False), (2.5, True)], (0.005, 0.5, False, False)),
        ([QUIET, (1.005, False)], (0.005, 1.0, False, True)),
        ([QUIET, (1.005, False), (1.5, True)], (0.005, 1.0, True, False)),
        ([QUIET], (2.0, 1.0, True, False)),
        ([QUIET, (0.9, False), (0.95, True), (1.1, False), (2.1, True)], (0.1, 0.1, False, False)),
    ],
    ids=["as it shall be", "to and fro", "never back", "back before it went", "never made way", "bound again in time"],
)
def test_a_reaction_counts_from_when_the_neighbour_came_and_went_and_what_never_was_with_all_the_time(
    bound: list[tuple[float, bool]], wanted: tuple[float, float, bool, bool]
) -> None:
    found = reaction([(at, each, "cut") for at, each in bound], 1.0, 2.0, 3.0, 0.5)
    assert found is not None
    assert (found.made_way, found.back) == pytest.approx(wanted[:2])
    assert (found.stayed, found.never) == wanted[2:]
    assert found == Reaction(found.made_way, 1.0, found.back, found.stayed, found.never, 0.5)


def test_where_workers_had_made_way_before_the_neighbour_came_there_is_no_reaction() -> None:
    assert reaction([(0.0, True, "cut"), (0.9, False, "cut"), (2.1, True, "cut")], 1.0, 2.0, 3.0, 0.5) is None


@pytest.mark.parametrize(
    ("later", "wanted"),
    [
        ([(1.005, False, "cut"), (1.018, False, "whole"), (1.2, False, "cut"), (1.21, False, "whole")], 0.018),
        ([(1.005, False, "cut"), (2.5, False, "whole")], 1.0),
        ([(1.002, True, "whole"), (1.005, True, "cut"), (1.01, False, "cut"), (1.03, False, "whole")], 0.03),
        ([], 1.0),
    ],
    ids=["with trials later", "only when it had gone", "a trial before anybody waited", "never"],
)
def test_a_reaction_says_when_the_plan_was_whole(later: list[tuple[float, bool, str]], wanted: float) -> None:
    found = reaction([(0.0, True, "whole"), (0.1, True, "cut"), *later], 1.0, 2.0, 3.0, 0.5)
    assert found is not None
    assert found.whole == pytest.approx(wanted)


def made_up(seconds: float, *, bound: bool = True) -> Any:
    """A run of which nothing is real but when it began."""
    markers = np.arange(4), np.zeros(4), np.arange(4.0)
    choices = [{"seconds": 0.0, "bound": bound, "plan": "cut"}]
    return SimpleNamespace(begun=time.monotonic(), seconds=seconds, choices=choices, markers=markers)


def test_a_run_beside_a_neighbour_that_goes_before_it_ends_is_told_of() -> None:
    lasted, found, usual = disturbance._disturbed(lambda: made_up(1e6), 0.03)
    assert lasted
    assert found is not None
    assert (found.stayed, found.never, usual) == (True, False, 0.03)
    assert (found.made_way, found.back) == pytest.approx((1e6, 1e6), rel=1e-3), "nobody made way"


def test_a_run_that_is_over_before_its_neighbour_is_repeated_and_then_refused() -> None:
    assert disturbance._disturbed(lambda: made_up(0.0), 0.03) == (False, None, 0.0)
    with pytest.raises(StreambenchError, match="none lasted until its neighbour had gone"):
        disturbance._settled(lambda: made_up(0.0), 0.03)


def test_a_run_whose_workers_had_made_way_before_is_repeated_and_then_left_out() -> None:
    runs: list[Any] = []

    def run() -> Any:
        runs.append(made_up(1e6, bound=len(runs) >= 2))
        return runs[-1]

    assert disturbance._settled(run, 0.03) is not None
    assert len(runs) == 3
    assert disturbance._settled(lambda: made_up(1e6, bound=False), 0.03) is None


@pytest.mark.parametrize("kept", [0, 2])
def test_runs_that_are_left_out_are_in_no_row_and_where_all_are_there_is_none(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Of three repeats."""
    monkeypatch.setattr(disturbance, "LEAST", 0.001)
    found = iter([*[Reaction(0.005, 0.01, 0.1, stayed=True, never=False, speed=1.0)] * kept, *[None] * (3 - kept)])
    monkeypatch.setattr(disturbance, "_settled", lambda run, usual: next(found))
    (case, *_) = disturbance.cases(PerfSettings(seconds=0.0001, repeats=3))
    into = Measured("disturbance")
    if not kept:
        with pytest.raises(StreambenchError, match="had made way before, each time"):
            case.measure(into, lambda what: None)
        return
    case.measure(into, lambda what: None)
    values = {each["name"]: each["values"] for each in into.series}
    assert values["100 ns, half and half: until workers make way"] == [5.0] * kept
    notes = [row["note"] for row in into.rows]
    assert notes[0] == "1 of 3 runs left out: they had made way before"
    assert notes[2] == "were bound when it went in 2 of 2 runs"


def test_every_plan_by_hand_is_there_pinned_and_not() -> None:
    found = plans.options(2, 7, 7)
    assert {name: (each.plan, each.pin) for name, each in found.items() if each.plan != "auto"} == {
        "whole": ("whole", True), "cut": ("cut", True), "sharded": ("sharded", True),
        "whole unpinned": ("whole", False), "cut unpinned": ("cut", False), "sharded unpinned": ("sharded", False),
    }  # fmt: skip
    assert {each.laps for each in found.values()} == {7}


def test_without_data_only_the_micro_pipeline_has_its_plans_compared() -> None:
    assert [case.name for case in plans.plans(PerfSettings())] == ["no work, quiet", "no work, beside one busy"]
    assert queries.neighbours(PerfSettings()) == []


def test_runs_last_as_long_as_they_are_to_though_the_first_lap_takes_longer() -> None:
    """A first lap of 0.1 s, all others of 0.01 s: 0.6 s are 51 laps, and not 6."""

    def run(options: Options, keep: bool) -> tuple[Any, None]:
        return SimpleNamespace(seconds=0.1 + 0.01 * (options.laps - 1)), None

    room = SimpleNamespace(laps=1000)
    assert laps_for(SimpleNamespace(run=run, room=room), 0.6) > 35  # type: ignore[arg-type]
    room.laps = 20
    assert laps_for(SimpleNamespace(run=run, room=room), 0.6) == 20  # type: ignore[arg-type]
