"""The top pairs of running counts are those that sorting all counts gives, for any window, any units and any number."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.common.top_pairs import TopPairs

MOST = (1 << 31) - 1
Step = tuple[int, int, int]  # does the next window begin, a, b


def sorted_top(stream: list[Step], top: int, min_count: int) -> list[tuple[int, ...]]:
    """Rows (window, a, b, n), window by window."""
    windows: list[Counter[tuple[int, int]]] = []
    for step, a, b in stream:
        if step or not windows:
            windows.append(Counter())
        windows[-1][a, b] += 1
    return [
        (k, *pair, n)
        for k, counts in enumerate(windows)
        for pair, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:top]
        if n > min_count
    ]


def operators_top(
    probes: SimpleNamespace, stream: list[Step], top: int, min_count: int, windowed: bool, units: list[int]
) -> list[tuple[int, ...]]:
    """Columns are narrow if the first unit has an odd size."""
    operator = TopPairs(("window", "a", "b", "n") if windowed else ("a", "b", "n"), top, min_count, windowed)
    kind = "int32" if units[0] % 2 else "int64"
    types = [*([kind] if windowed else []), kind, kind, "int64"]
    probes.prepare(operator, [np.empty(0, dtype=each) for each in types], 1)
    rows: list[tuple[int, ...]] = []
    counts: Counter[tuple[int, int, int]] = Counter()
    window = 0
    for k, (step, a, b) in enumerate(stream):
        window += step if k else 0
        counts[window, a, b] += 1
        rows.append((window, a, b, counts[window, a, b])[0 if windowed else 1 :])
    emitted: list[tuple[int, ...]] = []
    at = turn = 0
    while at < len(rows):
        size = units[turn % len(units)]
        unit = rows[at : at + size]
        arrays = [np.array(column, dtype=each) for column, each in zip(zip(*unit, strict=True), types, strict=True)]
        emitted += probes.process_stateful(operator, arrays)
        at, turn = at + size, turn + 1
    emitted += probes.flush_stateful(operator)
    return emitted if windowed else [(0, *row) for row in emitted]


@pytest.mark.parametrize("windowed", [False, True])
@given(
    stream=st.lists(st.tuples(st.sampled_from([0] * 15 + [1]), *[st.integers(0, 5) | st.just(MOST)] * 2), max_size=300),
    top=st.sampled_from([1, 2, 3, 7, 100]),
    min_count=st.sampled_from([0, 1, 4]),
    units=st.lists(st.integers(1, 200), min_size=1, max_size=5),
)
def test_the_top_is_what_sorting_gives(
    probes: SimpleNamespace, windowed: bool, stream: list[Step], top: int, min_count: int, units: list[int]
) -> None:
    if not windowed:
        stream = [(0, a, b) for _, a, b in stream]
    assert operators_top(probes, stream, top, min_count, windowed, units) == sorted_top(stream, top, min_count)


def skewed(seed: int, tuples: int, pairs: int, skew: float, windows: int) -> list[Step]:
    source = random.Random(seed)
    chosen = [(source.randrange(18_000), source.randrange(18_000)) for _ in range(pairs)]
    ends = {tuples * k // windows for k in range(1, windows)}
    return [(int(k in ends), *chosen[int(pairs * source.random() ** skew)]) for k in range(tuples)]


@pytest.mark.slow
@pytest.mark.parametrize("top", [1, 10, 100])
@pytest.mark.parametrize(
    ("pairs", "skew"),
    [(100_000, 1.0), (3_000, 1.0), (3_000, 4.0), (150, 1.0), (150, 6.0), (20, 1.0), (1, 1.0)],
    ids=["nearly all new", "uniform", "skewed", "few", "few and skewed", "fewer than the top", "one"],
)
def test_long_windows_give_what_sorting_gives(probes: SimpleNamespace, pairs: int, skew: float, top: int) -> None:
    """Long enough for the level to rise often, and for what is kept to be thinned out often."""
    stream = skewed(pairs, 20_000, pairs, skew, 3)
    for min_count in (0, 5):
        assert operators_top(probes, stream, top, min_count, True, [1000]) == sorted_top(stream, top, min_count)


@pytest.mark.parametrize("order", [1, -1], ids=["ascending", "descending"])
def test_pairs_in_order_give_what_sorting_gives(probes: SimpleNamespace, order: int) -> None:
    """Descending pairs all come in, each driving another out; ascending ones never do once the top is full."""
    stream = [(0, 0, 5_000 + order * k % 5_000) for k in range(5_000)] * 2
    for top in (1, 100):
        assert operators_top(probes, stream, top, 0, False, [777]) == sorted_top(stream, top, 0)
