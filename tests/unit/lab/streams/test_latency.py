"""Latencies by hand-made micro-batches."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.errors import StreambenchError
from streambench.lab.streams.latency import Seen, quantiles, until_committed, until_passed

SEEN = [
    Seen(committed=12.0, first=10.0, last=11.0, rows=3, seconds=1.0, watermark=9.0),
    Seen(committed=14.0, first=11.5, last=12.5, rows=2, seconds=1.0, watermark=11.0),
    Seen(committed=16.0, first=13.0, last=13.0, rows=1, seconds=1.0, watermark=12.0),
]


def test_each_row_waits_for_its_micro_batch() -> None:
    assert until_committed(SEEN).tolist() == [2.0, 1.5, 1.0, 2.5, 1.5, 3.0]


def test_each_row_waits_for_the_watermark_beyond_its_second() -> None:
    """Those of 10.0 and 10.5 for 11, those of 11.0 and 11.5 for 12, by the third; 12.5 and 13.0 still wait."""
    assert until_passed(SEEN).tolist() == [4.0, 3.5, 5.0, 4.5]


def test_quantiles_are_rows_that_were_seen() -> None:
    assert quantiles(np.arange(1.0, 101.0)) == {"p50": 50.0, "p99": 99.0}
    with pytest.raises(StreambenchError, match="give more seconds"):
        quantiles(np.empty(0))
