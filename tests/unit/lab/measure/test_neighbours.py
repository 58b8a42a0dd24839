"""Neighbours on purpose burn while something is measured and no longer; plans by hand that are compared beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure.perf.burners import BURN, busy
from streambench.lab.measure.perf.sections import plans, queries
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import laps_for


def children() -> set[int]:
    """Burners of this process that are there."""
    command = ["ps", "-ww", "--ppid", str(os.getpid()), "-o", "pid=,args="]  # -ww: whole lines, however long the path
    listed = subprocess.run(command, capture_output=True, text=True)
    return {
        int(line.split()[0]) for line in listed.stdout.splitlines() if line.strip()[:1].isdigit() and " -S -c" in line
    }


def test_burners_are_there_inside_and_gone_afterwards_whatever_happens() -> None:
    with busy(2):
        assert len(children()) == 2
    assert not children()
    with pytest.raises(OptionError), busy(1):
        Options(plan="no plan")
    assert not children()


def test_a_burner_whose_parent_is_gone_ends() -> None:
    """The process id of nobody's parent."""
    command = [sys.executable, "-S", "-c", BURN.format(parent=0)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "busy\n"


def test_every_plan_by_hand_is_there_pinned_and_not() -> None:
    found = plans.options(2, 7, 7)
    assert {name: (each.plan, each.pin) for name, each in found.items() if each.plan != "auto"} == {
        "whole": ("whole", True), "cut": ("cut", True), "sharded": ("sharded", True),
        "whole unpinned": ("whole", False), "cut unpinned": ("cut", False), "sharded unpinned": ("sharded", False),
    }  # fmt: skip
    assert {each.laps for each in found.values()} == {7}


def test_without_data_only_the_micro_pipeline_has_its_plans_compared() -> None:
    assert [case.name for case in plans.plans(Settings())] == ["no work, quiet", "no work, beside one busy"]
    assert queries.neighbours(Settings()) == []


def test_runs_last_as_long_as_they_are_to_though_the_first_lap_takes_longer() -> None:
    """A first lap of 0.1 s, all others of 0.01 s: 0.6 s are 51 laps, and not 6."""

    def run(options: Options, keep: bool) -> tuple[Any, None]:
        return SimpleNamespace(seconds=0.1 + 0.01 * (options.laps - 1)), None

    room = SimpleNamespace(laps=1000)
    assert laps_for(SimpleNamespace(run=run, room=room), 0.6) > 35  # type: ignore[arg-type]
    room.laps = 20
    assert laps_for(SimpleNamespace(run=run, room=room), 0.6) == 20  # type: ignore[arg-type]
