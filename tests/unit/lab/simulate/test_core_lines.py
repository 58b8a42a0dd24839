"""A line comes to a reader from the nearest core that holds it, and to a writer when the farthest has given it up."""

from __future__ import annotations

from typing import Any

import pytest

NEAR, CLUSTER, FAR = 40.0, 180.0, 340.0
TIMES = {
    **dict.fromkeys(("stream_line", "pause", "to_yield", "wake_up", "account"), 0.0),
    "near_line": NEAR,
    "cluster_line": CLUSTER,
    "far_line": FAR,
}
SOCKET, CLUSTERED = 8, 4  # cores of each


@pytest.fixture
def lines(probes: Any) -> Any:
    return probes.Lines(TIMES, 2 * SOCKET, SOCKET, CLUSTERED)


@pytest.mark.parametrize(("other", "way"), [(1, NEAR), (CLUSTERED, CLUSTER), (SOCKET, FAR)])
def test_a_line_takes_the_way_between_its_cores(lines: Any, other: int, way: float) -> None:
    assert lines.write(0) == 0
    assert lines.read(other) == way
    assert lines.read(other) == 0, "it has it"
    assert lines.write(other) == way, "the first one has a copy"


def test_who_wrote_a_line_last_waits_for_far_readers_before_it_writes_again(lines: Any) -> None:
    lines.write(0)
    lines.read(1)
    lines.read(SOCKET)
    assert lines.write(0) == FAR
    assert lines.write(0) == 0, "it has it alone now"


def test_a_reader_has_a_line_from_a_core_that_is_near_though_a_far_one_wrote_it(lines: Any) -> None:
    lines.write(0)
    assert lines.read(SOCKET) == FAR
    assert lines.read(SOCKET + 1) == NEAR
    assert lines.read(SOCKET + CLUSTERED) == CLUSTER
