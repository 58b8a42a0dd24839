"""One execution of a pipeline by an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streambench.errors import OperatorError, OptionError
from streambench.execution import arrivals, engines
from streambench.execution.glance import Spectator, glance
from streambench.execution.measurement import Measurement, measurement
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.host.meanwhile import Meanwhile

Watch = Callable[[int], None] | Spectator
"""Called some ten times a second with the stream tuples that have reached the sink; a `Spectator` is told more."""


def execute(
    pipeline: OperatorChain,
    options: Options,
    watch: Watch | None = None,
    *,
    profiled: bool = False,
    recorded: bool = False,
) -> Measurement:
    """Run ``pipeline`` to the end of its stream.

    ``profiled``: log what every worker does when, with the paper's schemes sample the stages over time; let the serial
    engine, too, take the time of every operator. ``recorded``: keep what the controller of ``ordered`` is told and
    decides. Raises OptionError where another engine is to record that, OperatorError where an operator refuses a tuple,
    MemoryError where a worker was not given memory, DataError where one of several streams cannot be read, and what a
    source's iterator raised.
    """
    if pipeline.used:
        raise OptionError("this pipeline has been executed: its operators hold state, so build a new one.")
    arrivals.require_end(pipeline.source.total(), options.rate)
    settled = settle(options)
    if recorded and settled.engine != "ordered":
        raise OptionError(
            f"`recorded` keeps decisions of `engine` ordered, and {settled.engine} takes none: leave out one of them."
        )
    engine = engines.make(pipeline, settled, profiled, recorded=recorded)
    lap = pipeline.source.lap()
    if lap:
        engine.egress.count_laps(lap)
    with Meanwhile() as meanwhile:
        _run(engine, settled.engine, watch)
    problem = getattr(pipeline.source, "error", None)
    if problem is not None:
        raise problem
    _raise_refused(pipeline, engine)
    return measurement(pipeline, engine, settled, meanwhile, recorded=recorded)


def _run(engine: Any, engine_name: str, watch: Watch | None) -> None:
    if not isinstance(watch, Spectator):
        engine.run(watch or _look_up)
        return
    engine.run(lambda tuples: watch.look(glance(engine, engine_name)))
    watch.look(glance(engine, engine_name))


def _look_up(tuples: int) -> None:
    """The least a watch can do: a call into Python is where Ctrl-C is noticed while the workers run."""


def _raise_refused(pipeline: OperatorChain, engine: Any) -> None:
    failure = engine.egress.failure()
    if failure is None:
        return
    place, serial, values, reason = failure
    names = pipeline.operators[place - 1].emitted
    named = tuple((names[k] if k < len(names) else f"column {k}", value) for k, value in enumerate(values))
    operator = pipeline.operators[place]
    cause = operator.cause(engine.egress.reason_address()) if hasattr(operator, "cause") else None
    raise OperatorError(operator.name, serial, named, reason) from cause
