"""What the system counted beside a run says whether that was disturbed, and where it cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from streambench.host import disturbance
from streambench.host.disturbance import CoreTime, beside, read_core_times, warning


def moments(
    seconds: float, *, own: float = 0.0, others: float = 0.0, stolen: float | None = 0.0
) -> tuple[CoreTime, CoreTime]:
    known = stolen is not None
    before = CoreTime(5.0 if known else None, 1.0 if known else None, 2.0, 100.0, 0.5)
    after = CoreTime(
        5.0 + own + others if known else None, None if stolen is None else 1.0 + stolen, 2.0 + own, 100.0 + seconds, 1.0
    )
    return before, after


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disturbance, "allowed_cpus", lambda: [0, 2])


@pytest.mark.parametrize(
    ("taken", "distances", "told", "why"),
    [
        ({"own": 1.9}, (None, None), False, []),
        ({"own": 1.0, "others": 0.08, "stolen": 0.08}, (100.0, 150.0), False, []),
        ({"own": 1.0, "others": 0.2}, (None, None), True, ["others"]),
        ({"stolen": 0.2}, (None, None), True, ["steal"]),
        ({}, (100.0, 200.0), True, ["cores moved"]),
        ({}, (300.0, 100.0), True, ["cores moved"]),
        ({"stolen": None}, (None, None), None, []),
    ],
)
def test_a_run_is_disturbed_where_a_visible_part_was_taken_or_the_cores_moved(
    taken: dict[str, float], distances: tuple[float | None, float | None], told: bool | None, why: list[str]
) -> None:
    found = beside(*moments(1.0, **taken), [(3, 1), (4, 0)], distances)
    assert (found["disturbed"], found["disturbed_by"]) == (told, why)
    assert (found["voluntary_switches"], found["involuntary_switches"], found["load"]) == (7, 1, 0.5)


def test_a_run_of_milliseconds_is_not_called_undisturbed() -> None:
    assert beside(*moments(0.1), [], (None, None))["disturbed"] is None
    assert beside(*moments(0.1, stolen=0.1), [], (None, None))["disturbed"] is True


def test_only_the_allowed_cores_count(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    lines = ["cpu 9 9 9 9 9 9 9 9 9 9", "cpu0 100 10 20 999 5 1 2 30 0 0", "cpu1 7 7 7 7 7 7 7 7 0 0"]
    (tmp_path / "proc/stat").write_text("\n".join([*lines, "cpu2 0 0 0 0 0 0 0 70 0 0", "intr 1 2"]))
    assert read_core_times(tmp_path) == pytest.approx((1.33, 1.0))
    assert read_core_times(tmp_path / "nothing") is None


def test_how_many_runs_were_disturbed_is_told_and_older_files_say_nothing() -> None:
    quiet, loud = (beside(*moments(1.0, others=each), [], (None, None)) for each in (0.0, 1.0))
    assert warning([None, quiet]) is None
    assert str(warning([None, quiet, loud])).startswith("1 of 2 runs were disturbed (others): ")


def test_runs_too_short_to_tell_count_and_are_told_beside_those_that_were_disturbed() -> None:
    """As comparisons are counted, so that no output has two counts of the same."""
    short, loud = beside(*moments(0.1), [], (None, None)), beside(*moments(1.0, others=1.0), [], (None, None))
    assert warning([short]) is None
    told = "1 of 2 runs were disturbed (others), and of 1 that is not known: "
    assert str(warning([short, loud])).startswith(told)
