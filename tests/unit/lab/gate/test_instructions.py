"""Counts of instructions that go on at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from streambench.lab.gate import side
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.instructions import _counted
from streambench.lab.gate.side import Side
from streambench.lab.gate.workload import Workload


def test_where_one_count_fails_the_others_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side, "STEP", 0.05)
    sides = [
        Side("base", "0" * 40, tmp_path, ["sh", "-c", "touch begun; sleep 3; touch late"]),
        Side(
            "new", "1" * 40, tmp_path, ["sh", "-c", "while [ ! -e begun ]; do sleep 0.02; done; echo wrong >&2; exit 1"]
        ),
    ]
    counted = [(Workload("q1", "run q1"), each, [(1, ["words"])]) for each in sides]
    with pytest.raises(NoAnswerError, match="wrong"):
        _counted(counted, [], 2)
    assert (tmp_path / "begun").exists()
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize("more", [5_000_000, 5_000_900, 4_000_000])
def test_laps_that_take_nothing_are_no_verdict(tmp_path: Path, more: int) -> None:
    assert counted(tmp_path, 5_500_000) == 5_000
    with pytest.raises(NoVerdictError, match="101 laps take the base no more instructions than 1"):
        counted(tmp_path, more)


def counted(folder: Path, more: int) -> float:
    """The instructions of a lap, of a command of which valgrind counts 5 million for one and ``more`` for 101."""
    # 8 and 9 were forked
    said = "==7== Callgrind, a profiler\n==8== Collected : 3\n==7== Collected : $0\n==9== Collected : 4"
    base = Side("base", "0" * 40, folder, ["sh", "-c", f'echo "{said}" >&2'])
    workload = Workload("q1", "run q1")
    runs = [(1, ["5000000"]), (101, [str(more)])]
    return _counted([(workload, base, runs)], [], 1)[workload, "base"]
