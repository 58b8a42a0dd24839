"""The live line tells the time left by what all that is done has taken, however long a part takes."""

from __future__ import annotations

import pytest

from streambench.lab.show.console import LiveLine


class Shown:
    """A live line at a time that the test sets; `left` is what its column of the time left says."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.line = LiveLine(quiet=True)
        self.line._bars.get_time = lambda: self.now

    def step(self, doing: str, done: int, part: str = "") -> None:
        self.line.step(doing, done, 4, "points", part)

    @property
    def task(self) -> str:
        return self.line._bars.tasks[0].description

    @property
    def left(self) -> str:
        column = self.line._bars.columns[-1]
        assert not isinstance(column, str)
        return str(column(self.line._bars.tasks[0]))


@pytest.fixture
def shown() -> Shown:
    return Shown()


def test_parts_of_minutes_tell_how_long_the_rest_will_take(shown: Shown) -> None:
    shown.step("simulating", 0, "one core")
    assert (shown.task, shown.left) == ("one core", "-:--:--")
    shown.now += 120
    shown.step("simulating", 1, "two cores")
    assert (shown.task, shown.left) == ("two cores", "0:06:00")
    shown.now += 60
    shown.step("simulating", 1, "two cores, still")
    assert shown.left == "0:05:00"
    shown.now += 240
    shown.step("simulating", 2, "three cores")
    assert shown.left == "0:07:00"
    shown.now += 500
    assert shown.left == "0:00:00"


def test_what_is_done_next_has_a_time_of_its_own(shown: Shown) -> None:
    shown.step("loading", 0)
    shown.now += 120
    shown.step("loading", 2)
    shown.step("running", 0)
    assert (shown.task, shown.left) == ("running", "-:--:--")
    shown.now += 1
    shown.step("running", 1)
    assert shown.left == "0:00:03"
