"""The controller decides as it did when its decisions were recorded: see recorded/README.md."""

from __future__ import annotations

from typing import Any

import pytest
from recording import DECIDED, TOLD, Sequence, decided, read
from streambench.pyx.sharded.controller_constants import standard

FILES = ("simulated.json.gz", "measured.json.gz")
RECORDED: list[Sequence] = [each for name in FILES for each in read(name)]


def replay(recorded: Sequence, constants: dict[str, Any] | None = None) -> int | None:
    """The number of the first decision that is another than the recorded one; None: all are the same."""
    controller = recorded.controller(constants)
    controller.begin_at(recorded.begun)
    if controller.next_decision != recorded.due:
        return 0
    for number, row in enumerate(recorded.rows):
        now, position, controller.full, controller.waiting, controller.waited = row[:TOLD]
        changed = controller.decide_on(now, position, by_operator(row[TOLD:-DECIDED]))
        if decided(controller, changed) != row[-DECIDED:]:
            return number
    return None


def by_operator(metered: list[int]) -> list[list[int]]:
    """By operator: ticks, rows timed, rows."""
    return [metered[k : k + 3] for k in range(0, len(metered), 3)]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each.name)
def test_every_decision_is_as_recorded(recorded: Sequence) -> None:
    assert replay(recorded) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(standard()))
def test_no_constant_could_be_another_and_nobody_notice(name: str) -> None:
    """Else the recordings would say nothing of what it decides."""
    value = standard()[name]
    others = (value + 1, max(value - 1, 1)) if isinstance(value, int) else (1.5 * value, 0.6 * value)
    assert any(replay(each, {name: other}) is not None for other in others for each in RECORDED)
