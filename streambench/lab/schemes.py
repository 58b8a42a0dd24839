"""Paper 000's engine, made as its settled options say."""

from __future__ import annotations

from typing import Any

from streambench.execution.engine_registry import on_this_machine
from streambench.execution.settled import Settled
from streambench.pyx.schemes.schemes_engine import SchemesEngine


def make(operators: Any, partitions: list[int], settled: Settled, **common: Any) -> SchemesEngine:
    """The engine ``schemes``, see ``streambench.execution.engine_registry``."""
    engine: SchemesEngine = on_this_machine(SchemesEngine)(
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
    return engine
