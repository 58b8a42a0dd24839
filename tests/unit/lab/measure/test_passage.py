"""A passage says when plan and latency have got over a change, of made-up markers."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.lab.measure.perf.passage import CALM, WINDOW, Track

BAND = 1e-3
DUE = np.arange(0.0, 1.0, 1e-4)


def track(latency: object, *plans: tuple[float, str]) -> Track:
    return Track(DUE, np.broadcast_to(np.asarray(latency, dtype=float), DUE.shape).copy(), plans or ((0.0, "whole"),))


def test_a_change_that_nothing_notices_is_over_at_once() -> None:
    found = track(1e-6).passage(0.4, 1.0, BAND)
    assert (found.plan, found.back, found.worst, found.never) == (0.0, 0.0, 1e-6, False)


def test_latency_is_back_at_the_end_of_the_last_late_window() -> None:
    late = np.where((DUE >= 0.4) & (DUE < 0.5), 5e-3, 1e-6)
    found = track(late).passage(0.4, 1.0, BAND)
    assert found.back == pytest.approx(0.1, abs=WINDOW)
    assert found.worst == 5e-3


def test_single_late_tuples_are_no_disturbance_but_the_worst_is_told() -> None:
    late = np.where(np.arange(len(DUE)) % 7 == 0, 0.1, 1e-6)
    found = track(late).passage(0.4, 1.0, BAND)
    assert (found.back, found.worst) == (0.0, 0.1)


def test_what_disturbs_the_machine_after_a_calm_is_not_the_change() -> None:
    late = np.where((DUE >= 0.4) & (DUE < 0.41) | (DUE >= 0.8) & (DUE < 0.9), 5e-3, 1e-6)
    assert track(late).passage(0.4, 1.0, BAND).back == pytest.approx(0.01, abs=WINDOW)
    again = 0.41 + (CALM - 2) * WINDOW  # before it was calm for long enough
    late = np.where((DUE >= 0.4) & (DUE < 0.41) | (again <= DUE) & (DUE < 0.9), 5e-3, 1e-6)
    assert track(late).passage(0.4, 1.0, BAND).back == pytest.approx(0.5, abs=WINDOW)


@pytest.mark.parametrize("plans", [((0.0, "whole"),), ((0.0, "whole"), (0.45, "cut"))], ids=["none", "another"])
def test_latency_that_never_comes_back_takes_all_the_time_there_was_and_so_does_the_plan(
    plans: tuple[tuple[float, str], ...],
) -> None:
    found = track(5e-3, *plans).passage(0.4, 0.7, BAND)
    assert (found.plan, found.back, found.never) == (pytest.approx(0.3), pytest.approx(0.3), True)
    late = np.where((DUE >= 0.6) & (DUE < 0.7 - (CALM - 1) * WINDOW), 5e-3, 1e-6)
    assert not track(late).passage(0.4, 0.7, BAND).never, "it was calm from the start"
    late = np.where((DUE >= 0.4) & (DUE < 0.7 - (CALM - 1) * WINDOW), 5e-3, 1e-6)
    assert track(late).passage(0.4, 0.7, BAND).never, "the calm was too short to say so"


def test_the_plan_that_stays_is_the_last_before_the_next_change() -> None:
    plans = ((0.0, "whole"), (0.3, "a"), (0.45, "b"), (0.5, "a"), (0.9, "c"))
    assert track(1e-6, *plans).passage(0.4, 0.7, BAND).plan == pytest.approx(0.1)


def test_without_a_tuple_there_is_no_passage() -> None:
    with pytest.raises(ValueError, match="no marker was due"):
        track(1e-6).passage(2.0, 3.0, BAND)


def test_windows_that_are_kept_cover_the_run_and_hold_its_greatest_latency() -> None:
    late = np.where(DUE[7_777] == DUE, 0.25, 1e-6)
    kept = track(late).plain("made", [(0.4, "it changes")], BAND)
    assert len(kept["seconds"]) == len(kept["median"]) == len(kept["greatest"]) <= 401
    assert max(kept["greatest"]) == 0.25
    assert max(kept["median"]) == 1e-6
    assert (kept["changes"], kept["plans"]) == ([[0.4, "it changes"]], [[0.0, "whole"]])
