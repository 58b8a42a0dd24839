"""A lane for each worker: what it did when, in the words of the pipeline's operators.

Of the engines that log it (``serial`` and ``ordered``); see ``streambench.pyx.engine.worker_log``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

ADMISSION, SEGMENT, SHARD, WHOLE, OPERATOR, FLUSH = "admission", "segment", "shard", "whole", "operator", "flush"
DECISION = "decision"
FLUSHED = -2
COLUMNS = ("worker", "begin", "end", "busy", "kind", "what", "units", "visits", "unit_size", "in_flight")


class Activity(NamedTuple):
    """The operators ``head`` .. ``tail`` - 1, by their places.

    ``shard``: of the head; -1 for whole units, -2 for what the head was flushed of at end of stream.
    """

    head: int
    tail: int
    shard: int


class Span(NamedTuple):
    """``activity`` from ``begin`` to ``end``, seconds since the start, of which ``busy`` seconds were work.

    ``busy`` is less than the whole only where neighbouring ``visits`` were joined, and ``activity`` is then that of the
    longest. ``units`` went through.
    """

    worker: int
    activity: Activity
    begin: float
    end: float
    busy: float
    units: int
    visits: int


@dataclass(frozen=True)
class Lanes:
    """``names`` of the operators by place; ``spans`` by worker, in order of time; ``choices`` of the controller and
    ``working``, the workers that took part, as in ``RunResult``. What lies between two spans of a worker is its idle
    time."""

    names: tuple[str, ...]
    spans: tuple[Span, ...]
    choices: tuple[Mapping[str, Any], ...]
    serial: bool = False
    working: int = 0

    @property
    def workers(self) -> list[int]:
        """The numbers of the workers that took part, if only by waiting."""
        return sorted({*range(self.working), *(span.worker for span in self.spans)})

    def kind(self, activity: Activity) -> str:
        """One word for what it is."""
        if activity.shard == FLUSHED:
            return FLUSH
        if self.serial:
            return OPERATOR
        if activity.shard >= 0:
            return SHARD
        if activity.head == 0:
            return WHOLE if activity.tail == len(self.names) else ADMISSION
        return SEGMENT

    def title(self, activity: Activity) -> str:
        """Its operators: ``Sessions + SessionPairs``; or ``Sessions, shard 3`` with what follows it left out."""
        if activity.shard >= 0:
            return f"{self.names[activity.head]}, shard {activity.shard}"
        return " + ".join(self.names[activity.head : activity.tail])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Spans and decisions as flat records, for a CSV file."""
        blank: dict[str, Any] = dict.fromkeys(COLUMNS)
        for span in self.spans:
            what = {"kind": self.kind(span.activity), "what": self.title(span.activity)}
            when = {"worker": span.worker, "begin": span.begin, "end": span.end, "busy": span.busy}
            yield {**blank, **when, **what, "units": span.units, "visits": span.visits}
        for choice in self.choices:
            chosen = {"what": choice["plan"], "unit_size": choice["unit"], "in_flight": choice["in_flight"]}
            yield {**blank, "begin": choice["seconds"], "kind": DECISION, **chosen}


def lanes(
    timeline: Mapping[str, Any],
    names: Sequence[str],
    choices: Sequence[Mapping[str, Any]],
    *,
    serial: bool,
    working: int = 0,
) -> Lanes:
    """The lanes of a run from its ``timeline``, the ``names`` of its operators, and the rest as in ``RunResult``."""
    columns = ("worker", "head", "tail", "shard", "begin", "end", "busy", "units", "visits")
    lists = [list(map(float if name in ("begin", "end", "busy") else int, timeline[name])) for name in columns]
    spans = tuple(
        Span(worker, Activity(head, tail, shard), begin, end, busy, units, visits)
        for worker, head, tail, shard, begin, end, busy, units, visits in zip(*lists, strict=True)
    )
    return Lanes(_apart(names), spans, tuple(choices), serial, working)


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """Operators of one name are told apart by their places."""
    return tuple(f"{name} ({place})" if names.count(name) > 1 else name for place, name in enumerate(names))
