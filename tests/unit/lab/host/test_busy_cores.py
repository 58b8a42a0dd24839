"""Whether others keep the machine busy, where the system tells of fewer cores than may be used."""

from __future__ import annotations

import psutil
import pytest

from streambench.lab.host import neighbours


def test_cores_without_a_line_leave_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "allowed_cpus", lambda: [0, 1 << 20])
    assert neighbours.busy_cores(0.0) is None
    assert neighbours.warning("now") is None


def test_a_system_without_counters_leaves_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(percpu: bool) -> None:
        raise FileNotFoundError("/proc/stat")

    monkeypatch.setattr(psutil, "cpu_times", missing)
    assert neighbours.busy_cores(0.0) is None
