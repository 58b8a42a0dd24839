"""The machine's primitives, measured here: each takes time, and a lock's hand-over takes only what it is."""

from __future__ import annotations

import pytest

from streambench.host.limits import allowed_cpus
from streambench.lab.host.interference import interruptions, memory_bytes_per_ns
from streambench.pyx.machine import primitives

CORES = tuple(allowed_cpus()[:2])
ATTEMPTS = 5
of_two_cores = pytest.mark.skipif(len(CORES) < 2, reason="this process may use one core")


@pytest.mark.parametrize(
    "primitive", ["pause_ns", "yield_ns", "clock_ns", "read_modify_write_ns", "wait_call_ns", "vain_call_ns"]
)
def test_what_one_core_does_takes_time(primitive: str) -> None:
    assert getattr(primitives, primitive)() > 0


@of_two_cores
@pytest.mark.parametrize("primitive", ["wake_up_ns", "wake_call_ns", "hand_over_ns", "stream_line_ns"])
def test_what_two_cores_do_takes_time(primitive: str) -> None:
    assert getattr(primitives, primitive)(*CORES) > 0


@of_two_cores
def test_a_lock_is_not_taken_back_before_the_sleeper_has_had_it() -> None:
    # Of a holder that takes it back one hand-over in two would hold the time for which it has the lock then.
    held = 50_000_000
    assert any(primitives.hand_over_ns(*CORES, 2, held) < held / 4 for _ in range(ATTEMPTS))


def test_memory_and_interruptions_are_measured() -> None:
    assert memory_bytes_per_ns(CORES[:1], 1) > 0
    times, lost, watched = interruptions(CORES[:1], 0.01)
    assert times >= 0
    assert 0 <= lost <= watched
    assert interruptions(CORES[:1], 0.01, 1 << 60)[:2] == (0, 0)
