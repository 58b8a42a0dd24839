"""A command that simulates point after point shows them as parts of one step, which tells how long the rest takes."""

from __future__ import annotations

from typing import Any

import pytest
from hand_made import Call

from streambench.lab.cli.simulate import limits
from streambench.lab.show.console import LiveLine
from streambench.lab.simulate.times import Times

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)


def test_all_points_are_one_step(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    steps: list[tuple[str, int, int, str]] = []
    made: list[Any] = []

    def point(*_: Any, **__: Any) -> list[Any]:
        made.append(None)
        if len(made) == 4:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr(limits, "measure", lambda: TIMES)
    monkeypatch.setattr("streambench.lab.measure.simulation.limit_parts.limits", point)
    monkeypatch.setattr(
        LiveLine, "step", lambda _, doing, done, total, what, part: steps.append((doing, done, total, part))
    )
    monkeypatch.chdir(tmp_path)
    called = call("simulate", "limits", "--cores", "1,2")
    assert called.code == 130
    assert len({(doing, total) for doing, _, total, _ in steps}) == 1
    assert [done for _, done, _, _ in steps] == sorted({done for _, done, _, _ in steps})
    assert len({part for *_, part in steps}) == len(steps) == 4
