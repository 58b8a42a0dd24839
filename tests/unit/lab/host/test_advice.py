"""Advice names a remedy for each trouble, and tells what bounds a measurement without warning of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streambench.host import disturbance
from streambench.host.disturbance import steal_share
from streambench.lab.host.advice import advice
from streambench.lab.host.machine import warnings


def machine(**changes: Any) -> dict[str, Any]:
    """One that nothing is wrong with, but for the changes of its processor; ``steal`` is the machine's."""
    steal = changes.pop("steal", "unknown")
    cpu = {"allowed": [0, 1, 2, 3], "quota": None, "smt": "off", "numa_nodes": 1, "governor": "performance"}
    return {
        "cpu": {**cpu, "boost": "off", "hypervisor": "none", **changes},
        "memory": {"total": 16 << 30, "available": 12 << 30, "limit": None, "swap_used": 0},
        "load": [0.1, 0.2, 0.3],
        "steal": steal,
        "on_battery": False,
    }


@pytest.mark.parametrize(
    ("changes", "topic", "warns"),
    [
        ({"governor": "powersave"}, "governor", True),
        ({"boost": "on"}, "turbo", True),
        ({"smt": "on"}, "smt", True),
        ({"quota": 1.5}, "quota", True),
        ({"steal": 0.05}, "steal", True),
        ({"allowed": [0]}, "cores", True),
        ({"allowed": [0, 1]}, "cores", False),
        ({"numa_nodes": 2}, "numa", False),
    ],
)
def test_each_trouble_has_a_remedy(changes: dict[str, Any], topic: str, warns: bool) -> None:
    (found,) = advice(machine(**changes))
    assert (found.topic, found.warns) == (topic, warns)
    assert found.remedy
    assert warnings(machine(**changes)) == ([found.told] if warns else [])


def test_a_description_of_before_has_no_stolen_time() -> None:
    older = machine()
    del older["steal"]
    assert advice(older) == []


def test_stolen_time_is_a_share_of_the_allowed_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disturbance, "allowed_cpus", lambda: [1])
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu 1\ncpu0 9 9 9 9 9 9 9 9 0 0\ncpu1 10 0 10 60 0 0 0 20 5 0\n")
    assert steal_share(tmp_path, "unknown") == 0.2
    assert steal_share(tmp_path / "nothing", "unknown") == "unknown"
