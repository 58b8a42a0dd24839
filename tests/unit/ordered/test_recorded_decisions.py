"""The controller decides as it did when its decisions were recorded: see recorded/README.md."""

from __future__ import annotations

import pytest
from recording import Sequence, read
from streambench.pyx.ordered.controller_constants import standard

from streambench.lab.record.replay import replay

FILES = ("simulated.json.gz", "measured.json.gz")
RECORDED: list[Sequence] = [each for name in FILES for each in read(name)]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each.name)
def test_every_decision_is_as_recorded(recorded: Sequence) -> None:
    assert replay(recorded).difference is None


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(standard()))
def test_no_constant_could_be_another_and_nobody_notice(name: str) -> None:
    """Else the recordings would say nothing of what it decides."""
    value = standard()[name]
    others = (value + 1, max(value - 1, 1)) if isinstance(value, int) else (1.5 * value, 0.6 * value)
    assert any(replay(each, {name: other}).difference is not None for other in others for each in RECORDED)
