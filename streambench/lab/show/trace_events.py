"""Lanes as trace events: the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open.

A complete event (``X``) for each span, on a thread for each worker; an instant event (``i``) for each decision of the
controller, on a thread above. Times are microseconds since the start; gaps are idle time.
"""

from __future__ import annotations

import json
from typing import IO, Any

from streambench.lab.record.lanes import DECISION, Lanes, Span

PROCESS = 1
CONTROLLER = 0  # the controller's thread; worker k is thread k + 1

Event = dict[str, Any]


def trace(lanes: Lanes, title: str) -> dict[str, Any]:
    """The whole trace as plain values."""
    events = [_name("process_name", CONTROLLER, title)]
    if lanes.choices:
        events += _thread(CONTROLLER, "controller")
    for worker in lanes.workers:
        events += _thread(worker + 1, f"worker {worker}")
    events += [_decision(choice) for choice in lanes.choices]
    events += [_complete(lanes, span) for span in lanes.spans]
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"title": title}}


def write(file: IO[bytes], lanes: Lanes, title: str) -> None:
    """Write the trace into an open file."""
    file.write(json.dumps(trace(lanes, title), allow_nan=False, separators=(",", ":")).encode())


def _complete(lanes: Lanes, span: Span) -> Event:
    # Both ends are rounded, not the duration: what did not overlap does not now.
    begin, end = _nanoseconds(span.begin), _nanoseconds(span.end)
    joined = {} if span.visits == 1 else {"visits": span.visits, "busy_us": _nanoseconds(span.busy) / 1000}
    return {
        "name": lanes.title(span.activity),
        "cat": lanes.kind(span.activity),
        "ph": "X",
        "ts": begin / 1000,
        "dur": (end - begin) / 1000,
        "pid": PROCESS,
        "tid": span.worker + 1,
        "args": {"units": span.units, **joined},
    }


def _decision(choice: Any) -> Event:
    return {
        "name": choice["plan"],
        "cat": DECISION,
        "ph": "i",
        "s": "p",  # a line through all lanes
        "ts": _nanoseconds(choice["seconds"]) / 1000,
        "pid": PROCESS,
        "tid": CONTROLLER,
        "args": {name: choice[name] for name in ("number", "unit", "in_flight")},
    }


def _thread(number: int, name: str) -> list[Event]:
    order = {**_name("thread_sort_index", number, name), "args": {"sort_index": number}}
    return [_name("thread_name", number, name), order]


def _name(what: str, thread: int, name: str) -> Event:
    return {"name": what, "ph": "M", "pid": PROCESS, "tid": thread, "args": {"name": name}}


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
