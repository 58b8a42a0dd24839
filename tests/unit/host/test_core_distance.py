"""The cores' distance: measured between neighbours, and noticed when it changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from streambench.host.core_distance import round_trips, warning
from streambench.host.limits import allowed_cpus
from streambench.pyx.machine.core_distance import round_trip_ns


def test_every_pair_of_neighbouring_cores_has_a_positive_round_trip() -> None:
    measured = round_trips()
    cores = allowed_cpus()
    assert list(measured) == [f"{a}-{b}" for a, b in pairwise(cores)][:16]
    assert all(value > 0 for value in measured.values())


def test_two_threads_on_one_core_still_finish() -> None:
    core = allowed_cpus()[0]
    assert round_trip_ns(core, core, 20) > 0


def test_too_few_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 rounds"):
        round_trip_ns(0, 0, 9)


def test_a_change_by_a_factor_of_two_is_told_and_less_is_not() -> None:
    assert warning([]) is None
    assert warning([60.0]) is None
    assert warning([60.0, 119.0]) is None
    told = warning([60.0, 350.0, 61.0])
    assert told is not None
    assert "60 to 350 ns" in told
