"""Counts and latencies of a run as Prometheus reads them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from streambench.execution.glance import Glance
from streambench.pyx.machine import clock

Latencies = list[tuple[float, int]]
"""Upper bounds in seconds, and how many markers took no longer, those of lower bounds among them."""


def latencies(engine: Any) -> Latencies:
    """Of the markers that have left ``engine`` so far."""
    bounds, counts = zip(*engine.egress.latencies_so_far(), strict=True)
    return [(bound / clock.ticks_per_second(), count) for bound, count in zip(bounds, accumulate(counts), strict=True)]


def text(
    glance: Glance, latencies: Latencies, output_tuples: int, *, is_running: bool, pauses: Sequence[int] | None = None
) -> str:
    """The exposition format 0.0.4. Of ``serial`` operators are not counted while it runs. ``pauses``: ns of each that
    the run has made for a checkpoint; None: it makes none."""
    lines = [*_lines(glance, latencies, output_tuples, is_running), *([] if pauses is None else _of_pauses(pauses))]
    return "\n".join([*lines, ""])


def _of_pauses(pauses: Sequence[int]) -> Iterator[str]:
    middle = statistics.median(pauses) * 1e-9 if pauses else 0.0
    longest = max(pauses, default=0) * 1e-9
    yield from _metric("checkpoints_total", "counter", "Checkpoints made in pauses of the run.", [("", len(pauses))])
    yield from _metric("checkpoint_pause_seconds_median", "gauge", "Of these pauses.", [("", middle)])
    yield from _metric("checkpoint_pause_seconds_max", "gauge", "Of these pauses.", [("", longest)])


def _lines(glance: Glance, latencies: Latencies, output_tuples: int, is_running: bool) -> Iterator[str]:
    yield from _metric("running", "gauge", "1 until the run has ended.", [("", int(is_running))])
    yield from _metric("run_seconds", "gauge", "Since the start of the workers.", [("", glance.seconds)])
    yield from _metric("tuples_total", "counter", "Stream tuples that have reached the sink.", [("", glance.tuples)])
    yield from _metric("output_tuples_total", "counter", "Tuples that the sink was given.", [("", output_tuples)])
    yield "# HELP streambench_latency_seconds From a marker's entry to its output at the sink."
    yield "# TYPE streambench_latency_seconds histogram"
    for bound, count in latencies:
        shown = "+Inf" if bound == float("inf") else f"{bound:.3g}"
        yield f'streambench_latency_seconds_bucket{{le="{shown}"}} {count}'
    yield f"streambench_latency_seconds_sum {glance.marker_seconds}"
    yield f"streambench_latency_seconds_count {latencies[-1][1]}"
    rows = [(f'{{operators="{k} {_escaped("+".join(row.operators))}"}}', row) for k, row in enumerate(glance.rows)]
    if rows:
        given = [(label, row.tuples_in) for label, row in rows]
        emitted = [(label, row.tuples_out) for label, row in rows]
        waiting = [(label, row.waiting.units) for label, row in rows if row.waiting is not None]
        yield from _metric("operator_input_tuples_total", "counter", "Tuples that operators were given.", given)
        yield from _metric("operator_output_tuples_total", "counter", "Tuples that they emitted.", emitted)
        yield from _metric(
            "operator_seconds_total", "counter", "Of all workers.", [(at, row.seconds) for at, row in rows]
        )
        yield from _metric("waiting", "gauge", "Units (schemes: tuples) at a segment or stage, or in it.", waiting)


def _metric(name: str, kind: str, meaning: str, samples: Sequence[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP streambench_{name} {meaning}"
    yield f"# TYPE streambench_{name} {kind}"
    for label, value in samples:
        yield f"streambench_{name}{label} {value}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
