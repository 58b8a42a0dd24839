"""Where two cores show no limit of memory, outputs say that it is unknown, not that there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from streambench.lab.cli.simulate.simulation_frame import memory_told, tell_json
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times

UNKNOWN = Times(near_line=35, far_line=90, stream_line=2, pause=20, to_yield=400, wake_up=16_000)
KNOWN = Times(near_line=35, far_line=90, stream_line=2, pause=20, to_yield=400, wake_up=16_000, memory=12.5)


@pytest.mark.parametrize(
    ("times", "limit", "sentence"), [(UNKNOWN, "unknown", "limit is unknown"), (KNOWN, 12.5, "12.5 bytes a ns")]
)
def test_memory_s_limit_is_told_or_said_to_be_unknown(
    times: Times, limit: object, sentence: str, tmp_path: Path
) -> None:
    place = tmp_path / "out.json"
    tell_json(place, {"topology": "1x8"}, times, [])
    assert json.loads(place.read_text())["memory_limit"] == limit
    assert sentence in memory_told(Machine(times))
