"""A read that finds no item is tried again, no sooner than it is said to take; every item is counted all the same."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.pyx.topk.designs import design_named

ITEMS = 200


@pytest.mark.parametrize("wait", [1e-6, 1e-3])
def test_a_read_that_fails_takes_as_long_as_is_said(wait: float) -> None:
    streams = [np.arange(ITEMS, dtype=np.uint64) % 7 for _ in range(2)]
    summary = design_named("shared")(100, 2)
    crew = StreamCrew(summary, streams, 0, 0.5, 1, (), 1, wait)
    crew.run()
    assert crew.counted == [ITEMS, ITEMS]
    assert crew.seconds >= 50 * wait, "of 200 reads that succeed at least 50 have failed before"


@pytest.mark.parametrize("wait", [-1.0, 1.1, float("nan")])
def test_an_impossible_wait_is_refused(wait: float) -> None:
    summary = design_named("shared")(100, 1)
    with pytest.raises(ValueError, match="a thread waits for 0 to 1 second, not"):
        StreamCrew(summary, [np.zeros(1, dtype=np.uint64)], wait=wait)
