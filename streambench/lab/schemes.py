"""Paper 000's engine, made as its settled options say."""

from __future__ import annotations

from typing import Any

from streambench.execution.engine_registry import on_this_machine
from streambench.execution.options import is_built_in
from streambench.execution.settled import Settled
from streambench.host.limits import allowed_cpus
from streambench.host.placement import topology
from streambench.lab.own_schemes import OwnSchemes
from streambench.pyx.machine import simulated
from streambench.pyx.schemes.schemes_engine import SchemesEngine


def make(operators: Any, partitions: list[int], settled: Settled, **common: Any) -> SchemesEngine:
    """The engine ``schemes``, see ``streambench.execution.engine_registry``."""
    named = (settled.heuristic, settled.reorder, settled.partitioning)
    heuristic, reorder, partitioning = map(str, named)
    own = OwnSchemes()
    engine: SchemesEngine = on_this_machine(SchemesEngine)(
        operators,
        partitions,
        heuristic=heuristic if is_built_in(heuristic) else own.heuristic(heuristic),
        nodes=_nodes(common["workers"], common.get("cores", ())),
        reorder=own.reorder_buffer(reorder) if ":" in reorder else reorder,
        partitioning=own.worklist(partitioning) if ":" in partitioning else partitioning,
        failure=own.failure,
        routing=settled.routing,
        capacity=settled.capacity or 0,
        time_slice=settled.time_slice,
        window=settled.window,
        fuse=settled.fuse,
        traced=settled.trace,
        **common,
    )
    return engine


def _nodes(workers: int, cores: tuple[int, ...]) -> tuple[int, ...]:
    """The NUMA node of each worker's core, -1 for one that is not known; none where workers have no core of their own.
    A simulated one's is its socket."""
    machine = simulated.current()
    if machine is not None:
        return tuple(worker // getattr(machine, "per_socket", workers) for worker in range(workers))
    node_of = {cpu.number: cpu.node for cpu in topology(allowed_cpus())}
    return tuple(node_of.get(core, -1) for core in cores)
