"""Estimates of pairs are Space-Saving's, cell by cell, and their top is what sorting gives, whoever counts them."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.common.pair_estimates import PairEstimates
from streambench.queries.common.top_estimates import TopEstimates

import streambench
from streambench.execution.options import Options
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

Rows = npt.NDArray[np.int64]  # of (window, a, b)
Pair = tuple[int, int]
MOST = (1 << 31) - 1
WAYS = (
    Options(engine="serial", unit=1),
    Options(workers=2, unit=7, partitions=5, plan="sharded"),
    Options(workers=3, unit=64, partitions=40, plan="sharded", partition_by="range"),
    Options(heuristic="ct", workers=3, unit=16, partitions=3, partitioning="shared"),
)


def stream(seed: int, n: int, items: int, windows: int) -> Rows:
    """Skewed; items are neighbours, and the greatest that there may be."""
    random = np.random.default_rng(seed)
    a, b = (items * random.random((2, n)) ** 3).astype(np.int64)
    b[b == 3] = MOST
    return np.stack([np.sort(random.integers(0, windows, n)), a, b], axis=1)


def run(rows: Rows, epsilon: float, options: Options, kind: str = "int64") -> tuple[list[Rows], int]:
    """What the two operators emit of all pairs, column by column, with windows if there are several; and the bound."""
    names = ("window", "a", "b")
    columns = [column.astype(kind) for column in rows.T]
    if not rows[:, 0].any():
        names, columns = names[1:], columns[1:]
    windowed = len(names) == 3
    estimates = PairEstimates(names, epsilon, windowed)
    operators = [TableSource(columns, names), estimates, TopEstimates(names, 1 << 17, 0, windowed), TableSink()]
    streambench.Pipeline(operators).run(options=options)
    assert estimates.pairs == len(rows)
    return [np.asarray(each) for each in operators[-1].rows()], estimates.error_bound


@pytest.mark.parametrize("windows", [1, 5])
def test_intervals_hold_the_counts_and_no_error_is_above_epsilon_whoever_counts(windows: int) -> None:
    rows, epsilon = stream(windows, 20_000, 300, windows), 0.01
    true = Counter(map(tuple, rows.tolist()))
    sizes = Counter(rows[:, 0].tolist())
    found, bound = run(rows, epsilon, Options(engine="serial"))
    assert 0 < bound <= epsilon * max(sizes.values())
    keys = found[:-3] if windows > 1 else [np.zeros_like(found[0]), *found[:-3]]
    told = {(int(w), int(a), int(b)): (int(n), int(m)) for w, a, b, n, m in zip(*keys, *found[-3:-1], strict=True)}
    assert told.keys() == true.keys()  # as many as there are were asked for
    for key, (n, lower) in told.items():
        assert lower <= true[key] <= n <= lower + epsilon * sizes[key[0]]
        assert n - lower <= bound
    for options in WAYS:
        again, same = run(rows, epsilon, options, "int32")
        assert same == bound
        assert all(np.array_equal(*each) for each in zip(again, found, strict=True))


def naive_top(told: dict[Pair, tuple[int, int]], top: int, least: int) -> list[tuple[int, ...]]:
    """Of the highest estimates; a pair is guaranteed that ranks before all others even by its lower bound."""
    ranked = sorted((-n, pair, lower) for pair, (n, lower) in told.items() if n > least)
    behind = ranked[top][:2] if len(ranked) > top else (-least, (-1, -1))
    return [(*pair, -n, lower, int((-lower, pair) < behind)) for n, pair, lower in ranked[:top]]


@given(
    rises=st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([0, 1, MOST]), st.integers(1, 3), st.integers(0, 5)), max_size=300
    ),
    top=st.sampled_from([1, 2, 7, 100]),
    min_count=st.sampled_from([0, 3]),
    unit=st.integers(1, 50),
)
def test_the_top_is_what_sorting_the_last_estimates_gives(
    probes: SimpleNamespace, rises: list[tuple[int, int, int, int]], top: int, min_count: int, unit: int
) -> None:
    operator = TopEstimates(("a", "b"), top, min_count)
    types = ["int32", "int32", "int64", "int64"]
    probes.prepare(operator, [np.empty(0, dtype=each) for each in types], 1)
    told: dict[Pair, tuple[int, int]] = {}
    rows = []
    for a, b, rise, error in rises:
        n = told.get((a, b), (0, 0))[0] + rise
        told[a, b] = n, n - min(error, n - 1)
        rows.append((a, b, n, min(error, n - 1)))
    for at in range(0, len(rows), unit):
        columns = zip(*rows[at : at + unit], strict=True)
        assert probes.process_stateful(operator, list(map(np.array, columns, types))) == []
    assert probes.flush_stateful(operator) == naive_top(told, top, min_count)
