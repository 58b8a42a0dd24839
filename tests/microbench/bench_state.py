"""Hash tables that count by key: ours, given a unit's keys at once or one by one, and those of others.

Keys are pairs of items, as different as at scale factor 1. All tables must count alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hash_tables
import numpy as np
import pytest

from streambench.host.ready_memory import make_ready

UNIT, ITEMS = 4096, 18_000
WINDOW, PAIRS = 4000, 300_000_000
MOST = 1 << 20  # keys: with their counts far more than any nearer cache holds
HELD = {"1 KB": 1 << 6, "512 KB": 30_000, "most": MOST}


@pytest.fixture(scope="session")
def tables() -> dict[str, Any]:
    """The classes by name."""
    return hash_tables.classes()


@pytest.fixture(params=hash_tables.TABLES)
def table(request: pytest.FixtureRequest, tables: dict[str, Any]) -> Any:
    """An empty table of each kind that is here."""
    if request.param not in tables:
        pytest.skip(f"{hash_tables.TABLES[request.param]} is not installed")
    return tables[request.param]()


def keys_of(numbers: np.ndarray) -> np.ndarray:
    """A pair of items for each number."""
    return (numbers // ITEMS << 32 | numbers % ITEMS).astype(np.uint64, copy=False)


@pytest.mark.benchmark(group="hash tables: held")
@pytest.mark.parametrize("size", HELD)
def bench_held(once: Callable[..., Any], table: Any, size: str) -> None:
    """Sixteen units of keys that are all in the table already."""
    random = np.random.default_rng(1)
    keys = keys_of(random.permutation(HELD[size]))
    again = keys[random.integers(0, len(keys), 16 * UNIT)]
    table.measure(keys, UNIT)
    _, counts = once(lambda: table, lambda each: each.measure(again, UNIT), len(again))
    once_more, held = table.measure(again, UNIT)[1], np.unique(again, return_counts=True)[1]
    assert int((once_more - counts).min()) == held.min()
    assert int((once_more - counts).max()) == held.max()


@pytest.mark.benchmark(group="hash tables: a window")
def bench_window(once: Callable[..., Any], table: Any) -> None:
    """4000 keys, nearly all new, in a table that was emptied: Q1's hour. Emptying is not counted."""
    keys = keys_of(np.random.default_rng(1).integers(0, PAIRS, WINDOW))

    def emptied() -> Any:
        table.forget()
        return table

    _, counts = once(emptied, lambda each: each.measure(keys, WINDOW), WINDOW)
    assert counts.max() == np.unique(keys, return_counts=True)[1].max()


@pytest.mark.benchmark(group="hash tables: growth")
def bench_growth(benchmark: Any, once: Callable[..., Any], table: Any) -> None:
    """From an empty table to the most keys; ``longest_unit_ms``: for how long growth stops the stream."""
    keys = keys_of(np.random.default_rng(1).permutation(MOST))
    table.measure(keys, UNIT)  # now it is known how much memory growth takes

    def empty() -> Any:
        make_ready()
        return type(table)()

    times, counts = once(empty, lambda each: each.measure(keys, UNIT), MOST, rounds=3)
    benchmark.extra_info["longest_unit_ms"] = float(times.max()) * 1e-6
    assert counts.max() == 1
