"""A histogram keeps every latency to a thousandth, is read back from its text, adds up, and is HdrHistogram's."""

from __future__ import annotations

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram as Theirs
from hypothesis import given
from hypothesis import strategies as st

from streambench.execution.hdr_histogram import HdrHistogram
from streambench.execution.latency_histogram import LONGEST, encoded, merged, quantiles

SHARES = (0.5, 0.9, 0.99, 0.999, 1.0)
NANOSECONDS = st.lists(st.integers(0, 10**13) | st.integers(0, 5000), min_size=1, max_size=200)


@given(NANOSECONDS)
def test_quantiles_are_the_sorted_values_to_a_thousandth(nanoseconds: list[int]) -> None:
    text = encoded(np.array(nanoseconds) * 1e-9)
    assert text is not None
    assert text.startswith("HIST")
    whole = np.sort(nanoseconds)
    for share, found in zip(SHARES, quantiles(text, SHARES), strict=True):
        naive = whole[max(0, int(share * len(whole) + 0.5) - 1)]  # the format's own rank
        assert found * 1e9 == pytest.approx(naive, rel=1e-3, abs=1)


@given(NANOSECONDS, st.integers(1, 1 << 40))
def test_the_formats_own_tool_writes_and_reads_the_same(nanoseconds: list[int], times: int) -> None:
    values = np.array(nanoseconds)
    ours = HdrHistogram.of(values, LONGEST)
    ours = ours._replace(counts=ours.counts * times)
    theirs = Theirs(1, max(LONGEST, max(nanoseconds)), 3)
    for value in nanoseconds:
        theirs.record_value(value, times)
    text = theirs.encode().decode()
    assert ours.text() == text
    read = HdrHistogram.read(text)
    assert [each.tolist() for each in read[:2]] == [each.tolist() for each in ours[:2]]
    assert read.highest == ours.highest
    assert read.value_at(0.5) == Theirs.decode(ours.text()).get_value_at_percentile(50)


def test_two_histograms_add_up_to_that_of_both() -> None:
    few, many = np.array([1e-6, 2e-6]), np.array([5e-3] * 10)
    both = merged([each for each in map(encoded, (few, many)) if each])
    assert both == encoded(np.concatenate([few, many]))


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="three digits"):
        HdrHistogram.read(Theirs(1, 1000, 2).encode().decode())


def test_without_latencies_there_is_none() -> None:
    assert encoded(np.array([])) is None
    assert merged([]) is None
