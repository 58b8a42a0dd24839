"""A look at an execution from outside, while its workers go on.

All that is read are atomic counters, with relaxed loads: nobody waits, nothing else is read by way of them, and numbers
that belong together may be a moment apart. Workers count the same whether anybody looks or not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from streambench.pyx.machine import clock


@dataclass(frozen=True)
class Waiting:
    """What is at a stage or segment: ``units`` (tuples, at a stage of ``schemes``) that wait for it or are in it.

    ``passed``: those that it has taken (schemes) or is done with (ordered), since the start. ``workers`` that are in it
    (of ``schemes``), ``shards`` that it is divided into (of ``ordered``, 1 for none).
    """

    units: int
    passed: int
    workers: int | None = None
    shards: int = 1


@dataclass(frozen=True)
class Row:
    """One row of a profile, so far: operators that are called together.

    ``seconds``: of all workers, estimated where the clock was not read; ``visits``: calls. ``waiting``: None where the
    row goes on with the one above.
    """

    operators: tuple[str, ...]
    tuples_in: int
    tuples_out: int
    seconds: float
    visits: int
    waiting: Waiting | None


@dataclass(frozen=True)
class Glance:
    """An execution, ``seconds`` after its start: ``tuples`` of the stream that have reached the sink.

    ``markers`` have left, and were under way for ``marker_seconds`` in all (processing latency). ``rows``: from source
    to sink; none of the engine ``serial``, whose counters are no atomics.
    """

    seconds: float
    tuples: int
    markers: int
    marker_seconds: float
    rows: tuple[Row, ...]


class Spectator(ABC):
    """Stands where a watch may stand, and is given a `Glance` each time instead of a number."""

    @abstractmethod
    def look(self, glance: Glance) -> None:
        """Called some ten times a second, and once after the last tuple."""


def glance(engine: Any, engine_name: str, ended_ticks: int | None = None) -> Glance:
    """What ``engine`` has done so far; by the thread that runs it. ``ended_ticks``: when the run ended, if it has."""
    a_second = clock.ticks_per_second()
    markers, under_way = engine.egress.markers_so_far()
    tuples = engine.egress.tuples_left()
    of_engine = {"ordered": _ordered, "schemes": _schemes}.get(engine_name)
    rows = [] if of_engine is None else of_engine(engine)
    return Glance(
        seconds=_seconds(engine, a_second, clock.read() if ended_ticks is None else ended_ticks),
        tuples=tuples,
        markers=markers,
        marker_seconds=under_way / a_second,
        rows=tuple(_row(each, waiting, a_second) for each, waiting in rows),
    )


def _seconds(engine: Any, a_second: float, now: int) -> float:
    """From the start to ``now``; 0 before it."""
    return float((now - engine.begun_ticks) / a_second) if engine.begun_ticks else 0.0


def _row(profile: dict[str, Any], waiting: Waiting | None, a_second: float) -> Row:
    return Row(
        operators=tuple(profile["operators"]),
        tuples_in=profile["tuples_in"],
        tuples_out=profile["tuples_out"],
        seconds=profile["ticks"] / a_second,
        visits=profile["visits"],
        waiting=waiting,
    )


def _ordered(engine: Any) -> list[tuple[dict[str, Any], Waiting | None]]:
    """A row for each operator; what waits stands at the first one of a segment."""
    at = {places[0]: Waiting(units, done, shards=shards) for places, shards, done, units in engine.segments_now()}
    return [(each, at.get(place)) for place, each in enumerate(engine.profile())]


def _schemes(engine: Any) -> list[tuple[dict[str, Any], Waiting | None]]:
    """A row for each stage."""
    stages = zip(engine.profile(), engine.worklists_now(), strict=True)
    return [(each, Waiting(queued, each["tuples_in"], workers)) for each, (queued, workers) in stages]
