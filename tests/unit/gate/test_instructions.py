"""Counts of instructions that go on at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from streambench.gate import side
from streambench.gate.errors import NoAnswerError
from streambench.gate.instructions import _counted
from streambench.gate.side import Side
from streambench.gate.workload import Workload


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
