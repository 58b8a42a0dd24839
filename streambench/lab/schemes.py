"""Paper 000's engine, made as its settled options say."""

from __future__ import annotations

from typing import Any

from streambench.execution.engine_registry import engine_class
from streambench.execution.settled import Settled


def make(operators: Any, partitions: list[int], settled: Settled, **common: Any) -> Any:
    """The engine ``schemes``, see ``streambench.execution.engine_registry``."""
    return engine_class("schemes.schemes_engine", "SchemesEngine")(
        operators,
        partitions,
        heuristic=settled.heuristic,
        reorder=settled.reorder,
        partitioning=settled.partitioning,
        capacity=settled.capacity or 0,
        time_slice=settled.time_slice,
        window=settled.window,
        fuse=settled.fuse,
        traced=settled.trace,
        **common,
    )
