"""A made-up result of `rate-search`: latency grows as the offered rate nears the full speed."""

from __future__ import annotations

from typing import Any

from made_up_sweep import machine, runs

from streambench.lab.record import results
from streambench.lab.record.rate_bracket import bracket, next_rate
from streambench.lab.record.rate_search_summary import FULL_SPEED, KIND, SEARCH

BOUND = {"quantile": "p99", "seconds": 5e-3}


def document(*, wrong: bool = False) -> dict[str, Any]:
    """Serial and two workers of the engine `ordered`; ``wrong``: one run of the latter gave a wrong answer."""
    found = [*_point("serial", 1, 1e6), *_point("ordered", 2, 1.8e6)]
    if wrong:
        found[-1] |= {"sequence_ok": False}
    return results.document(KIND, {"scale_factor": 0.5}, found, machine(2), [])


def latency(rate: float, full_speed: float) -> float:
    """Of a queue with one server, in its p99."""
    return 1e-3 / (1 - rate / full_speed) if rate < full_speed else 1.0


def _point(engine: str, workers: int, full_speed: float) -> list[dict[str, Any]]:
    named = {"engine": engine, "workers": workers, "query": "q1", "bound": BOUND}
    found = [run | {"step": FULL_SPEED, "met": None} for run in _runs(3, full_speed, 0.0, named)]
    tried: dict[float, bool | None] = {}
    while (rate := next_rate(tried, full_speed, 0.05)) is not None:
        tried[rate] = latency(rate, full_speed) <= BOUND["seconds"]
        quantiles = dict.fromkeys(("p50", "p90", "p99", "p999", "max"), latency(rate, full_speed))
        more = {"step": SEARCH, "met": tried[rate], "latency_end_to_end": quantiles}
        found += [run | more for run in _runs(2, rate, rate, named)]
    assert bracket(tried).met
    return found


def _runs(count: int, throughput: float, rate: float, named: dict[str, Any]) -> list[dict[str, Any]]:
    return runs(throughput, jitter=[1.0] * count, rate=rate, arrivals="poisson", **named)
