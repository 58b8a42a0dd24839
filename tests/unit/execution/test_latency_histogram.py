"""A histogram keeps every latency to a thousandth, is read back from its text, and adds up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.execution.latency_histogram import encoded, merged, quantiles

SHARES = (0.5, 0.9, 0.99, 0.999, 1.0)


@given(st.lists(st.integers(1, 10**13), min_size=1, max_size=200))
def test_quantiles_are_the_sorted_values_to_a_thousandth(nanoseconds: list[int]) -> None:
    text = encoded(np.array(nanoseconds) * 1e-9)
    assert text is not None
    assert text.startswith("HIST")
    whole = np.sort(nanoseconds)
    for share, found in zip(SHARES, quantiles(text, SHARES), strict=True):
        naive = whole[max(0, int(share * len(whole) + 0.5) - 1)]  # the format's own rank
        assert found * 1e9 == pytest.approx(naive, rel=1e-3, abs=1)


def test_two_histograms_add_up_to_that_of_both() -> None:
    few, many = np.array([1e-6, 2e-6]), np.array([5e-3] * 10)
    whole = encoded(np.concatenate([few, many]))
    both = merged([each for each in map(encoded, (few, many)) if each])
    assert whole is not None
    assert both is not None
    assert quantiles(both, SHARES) == quantiles(whole, SHARES)


def test_without_latencies_there_is_none() -> None:
    assert encoded(np.array([])) is None
    assert merged([]) is None
