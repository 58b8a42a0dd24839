"""The end of a start-up is found where it is; a stall is none; short and noisy runs say so."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from streambench.execution.warm_up import Steadiness, steadiness, truncation, warning

MARKERS = 4001
INTERVAL = 100


def run(gaps: npt.NDArray[np.float64]) -> Steadiness:
    return steadiness(np.arange(len(gaps) + 1) * INTERVAL, np.concatenate([[0.0], np.cumsum(gaps)]))


def gaps(noise: float = 0.02) -> npt.NDArray[np.float64]:
    drawn: npt.NDArray[np.float64] = np.random.default_rng(1).normal(1e-4, noise * 1e-4, MARKERS - 1)
    return drawn


def test_the_cut_is_the_naive_least_standard_error() -> None:
    values = np.random.default_rng(2).normal(1.0, 0.1, 60) + 5 * (np.arange(60) < 13)
    naive = [np.var(values[cut:]) / (len(values) - cut) for cut in range(55)]
    assert truncation(values) == int(np.argmin(naive)) == 13


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_a_slower_beginning_ends_where_it_ends(share: float) -> None:
    slow = gaps()
    slow[: round(share * len(slow))] *= 1.5
    found = run(slow)
    assert found.verdict == "steady"
    assert found.warm_up_share == pytest.approx(share, abs=0.01)
    assert found.throughput == pytest.approx(INTERVAL / 1e-4, rel=0.01)
    assert found.warm_up_seconds == pytest.approx(share * len(slow) * 1.5e-4, rel=0.05, abs=1e-6)


def test_a_stall_is_no_start_up() -> None:
    stalled = gaps()
    stalled[1000] = 10.0
    assert run(stalled).warm_up_share == pytest.approx(0, abs=0.05)


def test_a_run_that_is_still_starting_up_is_too_short() -> None:
    assert run(gaps() * np.linspace(2, 1, MARKERS - 1)).verdict == "too short"


def test_a_run_whose_parts_differ_is_too_noisy() -> None:
    waves = gaps() * (1 + 0.5 * np.sign(np.sin(np.arange(MARKERS - 1) / 60)))
    found = run(waves * np.repeat(np.tile([1.0, 2.0], 5), (MARKERS - 1) // 10))
    assert found.verdict == "too noisy"


def test_at_a_rate_the_latencies_come_to_rest() -> None:
    index, left = np.arange(MARKERS) * INTERVAL, np.arange(MARKERS) * 1e-4
    waits = np.where(np.arange(MARKERS) < 1200, 5e-3, 1e-3) + np.random.default_rng(3).exponential(1e-4, MARKERS)
    assert steadiness(index, left, waits).warm_up_share == pytest.approx(0.3, abs=0.01)


def test_few_markers_tell_nothing() -> None:
    assert run(gaps()[:30]) == Steadiness("too few markers")


def test_runs_that_did_not_come_to_rest_are_counted_and_older_files_say_nothing() -> None:
    calm = Steadiness("steady", 0.1, 0.1).plain()
    assert warning([None, calm]) is None
    told = warning([None, calm, Steadiness("too short").plain(), Steadiness("steady", 0.5, 0.3).plain()])
    assert told is not None
    assert told.startswith("of 3 runs 1 were too short to come to rest, 1 more were still starting up")
