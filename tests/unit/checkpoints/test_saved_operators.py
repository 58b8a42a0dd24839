"""A run that is cut anywhere, and goes on with other workers and another plan, gives what an undisturbed one does."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from saved_runs import fault, run, write_at_once

import streambench
from streambench import window

ROWS, UNIT = 1500, 40
HOW: tuple[dict[str, Any], ...] = (
    {"engine": "serial"},
    {"workers": 1},
    {"workers": 2},
    {"workers": 3, "plan": "whole", "partitions": 5},
    {"workers": 4, "plan": "cut"},
    {"workers": 8, "plan": "sharded"},
    {"workers": 3, "plan": "sharded", "partitions": 7},
)
EXACT = {"count": "count", "sum": ("sum", "price"), "mean": ("mean", "price"), "var": ("var", "price")}
FIRST = {"least": ("min", "user"), "most": ("max", "price"), "first": ("first", "user"), "last": ("last", "price")}
KEPT = {
    "kinds": ("distinct", "user"),
    "median": ("quantile", "price", 0.5),
    "often": ("top_k", "user", 2),
    "count": "count",
}


SUMS = {"count": "count", "sum": ("sum", "user"), "number": ("sum", "number")}
SKETCHES = {"kinds": ("distinct", "number", 0.2), "often": ("top_k", "user", 2, 0.1), "count": "count"}


@cache
def stream() -> pa.Table:
    """Rows with ties, gaps, texts, nulls, and times that are out of order by 5 at most (``loose``)."""
    draw = np.random.default_rng(3)
    ts = np.cumsum(draw.choice([0, 0, 1, 1, 2, 9], ROWS)) - 70
    texts = [None if each == 0 else f"c{each}" for each in draw.zipf(1.3, ROWS) % 30]
    return pa.table(
        {
            "number": np.arange(ROWS),
            "ts": ts,
            "loose": ts - draw.integers(0, 6, ROWS),
            "country": pa.array(texts, pa.string()),
            "user": draw.integers(-5, 25, ROWS),
            "price": draw.normal(10, 100, ROWS),
        }
    )


TOTALS = {"user": "int64", "total": "float64"}


@streambench.keyed(key="user", state=[("total", "float64"), ("n", "int64")], emits=TOTALS, numba=False)
def totals(state: Any, user: Any, price: Any) -> Any:
    state.total += price
    state.n += 1
    return None if state.n % 3 == 0 else (user, state.total)


def last_of(state: Any, user: Any) -> Any:
    return user, state.total


@streambench.keyed(
    key=("country", "user"),
    state=[("total", "float64"), ("n", "int32")],
    initial={"n": 5},
    flush=last_of,
    emits=TOTALS,
    numba=False,
)
def texts(state: Any, country: Any, user: Any, price: Any) -> Any:
    state.total += price * state.n
    state.n += 1
    return (user, state.total) if state.n % 2 else None


@streambench.keyed(key="user", state=[("n", "int64")], low_key=0, high_key=20, emits=["user", "n"], numba=False)
def near(state: Any, user: Any) -> Any:
    state.n += 1
    return user, state.n


@streambench.stateful(state=[("total", "float64")], initial={"total": 3.0}, appends={"running": "float64"}, numba=False)
def running(state: Any, price: Any, running: Any) -> None:
    running[:] = np.cumsum(np.r_[state.total, price])[1:]  # as if one by one
    state.total = running[-1]


def silent(state: Any, user: Any) -> Any:
    state.calls += 1
    if state.calls % 3:
        state.timer += 4
    return user, state.calls


@streambench.keyed(
    key="user", state=[("timer", "int64"), ("calls", "int64")], emits=["user", "n"], on_time=silent, numba=False
)
def watched(state: Any, ts: Any) -> None:
    state.timer = ts + 9


def quiet(state: Any, country: Any, price: Any) -> Any:
    return state.timer, state.calls


@streambench.keyed(
    key=("country", "price"),
    state=[("timer", "int64"), ("calls", "int64")],
    emits=["ts", "n"],
    on_time=quiet,
    time="loose",
    slack=6,
    numba=False,
)
def watched_texts(state: Any, loose: Any) -> None:
    state.calls += 1
    state.timer = loose + 50


def windows(aggregates: dict[str, Any], **how: Any) -> list[Any]:
    return [window(aggregates, **how)]


CASES: dict[str, Callable[[], list[Any]]] = {
    "nothing": list,
    "keyed": lambda: [totals],
    "keyed by texts, initial, flush": lambda: [texts],
    "near keys": lambda: [near],
    "carried": lambda: [running, totals],
    "tumbling": lambda: windows(EXACT | FIRST, size=20, by="user"),
    "tumbling by texts": lambda: windows(EXACT, size=7, by=("country", "user")),
    "tumbling of all": lambda: windows(EXACT | FIRST, size=20),
    "tumbling, filled": lambda: windows({"count": "count"}, size=2, fill=True),
    "tumbling, kept values": lambda: windows(KEPT, size=20, by="user"),
    "sliding": lambda: windows(EXACT | FIRST, size=40, step=7, by="user"),
    "sliding, kept values": lambda: windows(KEPT, size=40, step=15, by="country"),
    "sliding of all": lambda: windows(EXACT, size=33, step=10),
    "sliding with gaps": lambda: windows(EXACT, size=3, step=10, by="user"),
    "sliding sums": lambda: windows(SUMS, size=40, step=7, by="user"),
    "sliding sums by texts": lambda: windows(SUMS, size=60, step=11, by=("country", "user")),
    "sliding sums of all": lambda: windows(SUMS, size=40, step=9),
    "tumbling, sketches": lambda: windows(SKETCHES, size=90, by="country"),
    "sliding, sketches": lambda: windows(SKETCHES, size=200, step=70),
    "timers": lambda: [watched],
    "timers by texts and floats, slack": lambda: [watched_texts],
    "sessions": lambda: windows(EXACT | FIRST, gap=30, by="user"),
    "sessions, kept values": lambda: windows(KEPT, gap=60, by="country"),
    "sessions of all": lambda: windows(EXACT, gap=5),
    "counted": lambda: windows(EXACT | FIRST, rows=5, by="user"),
    "counted, overlapping": lambda: windows(KEPT, rows=7, step=3, by="user"),
    "counted of all": lambda: windows(EXACT, rows=64, step=100),
    "slack": lambda: windows(EXACT, time="loose", size=20, by="user", slack=4),
    "not flushed": lambda: windows(EXACT, size=20, by="user", flush=False),
    "windows of totals": lambda: [running, window({"sum": ("sum", "running")}, size=9, by="country"), streambench.tap(
        streambench.CallbackSink(lambda batch, row: None, positions=True))],
}  # fmt: skip


@cache
def undisturbed(case: str) -> tuple[str, list[bytes]]:
    sink = streambench.TableSink()
    result = streambench.Pipeline([stream(), fault(None), *CASES[case](), sink]).run(engine="serial")
    return result.digest, [each.tobytes() for each in sink.rows()]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("case", CASES)
def test_a_run_cut_twice_gives_the_undisturbed_output(
    case: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_at_once(monkeypatch)
    draw = random.Random(f"{case} {seed}")
    cuts = sorted(draw.sample(range(2 * UNIT, ROWS), 2))
    for at in cuts:
        operators = [stream(), fault(at), *CASES[case](), streambench.TableSink()]
        run(operators, tmp_path, fails=True, unit=draw.choice((1, 7, UNIT)), **draw.choice(HOW))
    sink = streambench.TableSink()
    result = run([stream(), fault(None), *CASES[case](), sink], tmp_path, fails=False, unit=UNIT, **draw.choice(HOW))
    assert cuts[1] - UNIT <= result.checkpoints["begun_at"] <= cuts[1]
    assert result.tuples == ROWS - result.checkpoints["begun_at"]
    assert (result.digest, [each.tobytes() for each in sink.rows()]) == undisturbed(case)
