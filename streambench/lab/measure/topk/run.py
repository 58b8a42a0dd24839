"""One run: a thread for each stream, all into one summary, whose answer is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from streambench.execution.resources import account
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.placement import cores_for
from streambench.host.ready_memory import make_ready
from streambench.lab.measure.topk.answer import accuracy, error_bound, wrong_answer
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.measure.topk.points import TopkPoint
from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.lab.measure.topk.zipf_streams import ExactCounts, Items


class TopkTerms(Protocol):
    """What of a bench every run shares: read-only, as its frozen dataclass has them."""

    @property
    def items(self) -> int: ...
    @property
    def sleep(self) -> float: ...
    @property
    def wait(self) -> float: ...
    @property
    def seed(self) -> int: ...


def quantiles(values: npt.NDArray[Any]) -> dict[str, float] | None:
    """The median, the 99th percentile and the greatest; None of nothing."""
    if not len(values):
        return None
    return {"p50": float(np.quantile(values, 0.5)), "p99": float(np.quantile(values, 0.99)), "max": float(values.max())}


def checked(
    point: TopkPoint, streams: Sequence[Items], exact: ExactCounts, terms: TopkTerms, repeat: int, laps: int = 1
) -> dict[str, Any]:
    """A measured run as a record. One whose answer is wrong has no number.

    ``streams``: as many as the point has threads, each counted ``laps`` times; ``exact``: of one lap of these.
    """
    exact = exact.times(laps)
    design = DESIGNS[point.design]
    make_ready()
    distance = core_distance.longest(point.threads) if point.threads > 1 else None
    summary = design.summary(point.epsilon, point.threads, point.rho, terms.sleep, instrumented=point.instrumented)
    cores, seed = cores_for(point.threads), terms.seed + repeat
    crew = StreamCrew(summary, list(streams), point.query_every, point.failing, seed, cores, laps, terms.wait)
    with Meanwhile() as meanwhile:
        crew.run()
    snapshot = summary.snapshot()
    problem = wrong_answer(snapshot, exact, point.epsilon)
    numbers = {
        "seconds": crew.seconds,
        "updates_per_second": exact.n / crew.seconds,
        "queries": crew.asked,
        "query_latency": quantiles(crew.query_seconds),
        "stale_items": quantiles(crew.stale_items),
        "summary_bytes": summary.nbytes,
        "error_bound": error_bound(snapshot),
        **accuracy(snapshot, exact),
        "profile": summary.profile() if point.instrumented else None,
        "statistics": summary.statistics() if point.instrumented else None,
        **account(crew.accounts, [1 / point.threads] * point.threads, exact.n, meanwhile, (distance, None)),
    }
    return {
        **point._asdict(),
        "items": terms.items,
        "laps": laps,
        "wait": terms.wait,
        "sleep": terms.sleep if design.tuned else 0.0,
        "repeat": repeat,
        **(numbers if problem is None else dict.fromkeys(numbers)),
        "problem": problem,
        "verified": problem is None,
        "core_round_trip_ns": distance,
        "unpinned": list(crew.unpinned),
    }
