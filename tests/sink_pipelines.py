"""Pipelines whose output is known, and the ways to run them, for tests of sinks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import streambench

ENGINES: dict[str, dict[str, Any]] = {
    "serial": {"engine": "serial"},
    "one": {"workers": 1},
    "whole": {"workers": 3, "plan": "whole"},
    "cut": {"workers": 4, "plan": "cut"},
    "sharded": {"workers": 8, "plan": "sharded"},
    "auto": {"workers": 2},
    "schemes": {"engine": "schemes", "workers": 3},
}


@streambench.keyed(
    key="page",
    state=[("visits", "int64")],
    emits={"page": "int32", "user": "int64", "visit": "int64", "even": "bool", "share": "float32"},
    numba=False,
)
def numbered(state: Any, page: Any, user: Any) -> Any:
    state.visits += 1
    return page, user, state.visits, state.visits % 2 == 0, state.visits / 4


@cache
def visits(rows: int) -> pa.Table:
    """``rows`` visits with texts, nulls and ties."""
    random = np.random.default_rng(rows)
    pages = [None if each == 0 else f"p{each}" for each in random.integers(0, 9, rows).tolist()]
    users = [None if each == 0 else each for each in random.integers(0, 50, rows).tolist()]
    return pa.table({"page": pa.array(pages, pa.string()), "user": pa.array(users, pa.int64())})


def source(rows: int) -> streambench.ArrowSource:
    return streambench.ArrowSource(visits(rows), nulls={"user": -1})


@cache
def plain(rows: int) -> tuple[pa.Table, str]:
    """What a plain run in one thread gives, texts as texts, and its digest."""
    pipeline = streambench.Pipeline([source(rows), numbered, streambench.TableSink()])
    digest = pipeline.run(engine="serial").digest
    table = pipeline.source.restore(pipeline.sink.to_arrow())
    return table.set_column(0, "page", table["page"].cast(pa.string())), digest
