"""streambench: an ordered multicore stream-processing runtime and the TPCx-BB streaming benchmark around it.

>>> import streambench
>>> result = streambench.run("q1", data="data/sf0.01", workers=2)    # doctest: +SKIP
>>> result.throughput, result.latency["p99"], result.answer          # doctest: +SKIP
"""

from __future__ import annotations

TYPE_CHECKING = False  # known to type checkers; nothing is imported here, for the command's sake: see `entry`
if TYPE_CHECKING:
    from typing import Any

    from streambench.data.arrow_source import ArrowSource
    from streambench.execution.options import Options
    from streambench.execution.pipeline import Pipeline
    from streambench.heavy_hitters.heavy_hitters import HeavyHitters
    from streambench.joins.join import join
    from streambench.joins.source import ArrowJoinSource
    from streambench.lab.cluster.run import run_on_cluster
    from streambench.lab.record.frame import load_results
    from streambench.lab.workloads.micro import MicroSpec, OperatorSpec, run_micro
    from streambench.lab.workloads.result import RunResult
    from streambench.lab.workloads.runner import run
    from streambench.operators.decorators import keyed, mapped, stateful, stateless
    from streambench.pyx.order.ordered_scheduler import OrderedScheduler
    from streambench.pyx.tuples.heartbeat import Heartbeat
    from streambench.version import __version__

__all__ = [
    "ArrowJoinSource",
    "ArrowSource",
    "Heartbeat",
    "HeavyHitters",
    "MicroSpec",
    "OperatorSpec",
    "Options",
    "OrderedScheduler",
    "Pipeline",
    "RunResult",
    "__version__",
    "get_include",
    "join",
    "keyed",
    "load_results",
    "mapped",
    "run",
    "run_micro",
    "run_on_cluster",
    "stateful",
    "stateless",
]

_HOMES = {
    "__version__": "version",
    "run": "workloads.runner",
    "Pipeline": "execution.pipeline",
    "ArrowSource": "data.arrow_source",
    "ArrowJoinSource": "joins.source",
    "HeavyHitters": "heavy_hitters.heavy_hitters",
    "RunResult": "workloads.result",
    "Options": "execution.options",
    "MicroSpec": "workloads.micro",
    "OperatorSpec": "workloads.micro",
    "run_micro": "workloads.micro",
    "run_on_cluster": "cluster.run",
    "stateless": "operators.decorators",
    "join": "joins.join",
    "keyed": "operators.decorators",
    "load_results": "record.frame",
    "mapped": "operators.decorators",
    "stateful": "operators.decorators",
    "OrderedScheduler": "pyx.ordered_scheduler",
    "Heartbeat": "pyx.tuples.heartbeat",
}


def get_include() -> str:
    """Return the ``include_path`` under which ``cimport streambench.pyx.operator`` and the like resolve."""
    from pathlib import Path

    return str(Path(__file__).resolve().parent.parent)


def __getattr__(name: str) -> Any:
    # Imported when first used: the compiled runtime and pyarrow are not needed for `streambench --help`.
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"streambench.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'streambench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
