"""Made-up runs and documents of a sweep, for the tests of figures and claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from streambench.execution.options import HEURISTICS, REORDERS, Options
from streambench.execution.settled import settle
from streambench.lab.figures.selection import QUERIES
from streambench.lab.record import results
from streambench.lab.record.configuration import CONFIGURATION

Run = dict[str, Any]

MUCH = 1 << 30  # units in flight, so many that no latency is theirs
JITTER = (1.0, 1.01, 0.99, 1.005, 0.995, 1.008, 0.992, 1.002, 0.998)  # nine repeats, close to each other


def machine(cores: int) -> dict[str, Any]:
    return {"cpu": {"model": "Example 9000", "allowed": list(range(cores)), "hypervisor": "none"}}


def micro(*operators: tuple[str, float, float], **more: Any) -> dict[str, Any]:
    """The description of a parametric pipeline of (kind, cost in µs, selectivity)."""
    made = [
        {"kind": kind, "cost_us": cost, "selectivity": selectivity, "state_size": 16}
        for kind, cost, selectivity in operators
    ]
    usual = {"tuple_size": 16, "keys": "uniform", "sigma": 1.0, "exponent": 1.0, "key_space": 10_000, "seed": 1}
    return {"operators": made, "tuples": 1000, **usual, **more}


def runs(
    throughput: float = 1e6,
    latency: float = 1e-3,
    *,
    jitter: Sequence[float] = JITTER,
    costs: Sequence[float] = (0.1, 1.0, 0.2),
    right: bool = True,
    **configuration: Any,
) -> list[Run]:
    """A run per repeat: its throughput and latency are scaled by ``jitter``. ``costs``: seconds of its stages."""
    described = configuration.get("micro")
    name = "-".join(each["kind"] for each in described["operators"]) if described else "q1"
    settled = settle(Options(engine="schemes", workers=2, unit=1, fuse=False, preload=True))
    usual = {each: getattr(settled, each) for each in CONFIGURATION} | {"micro": None, "query": name}
    usual["credit"] = MUCH
    counts = {"tuples_in": 1000, "tuples_out": 1000, "visits": 10, "reorder": {}}
    names = ("TableSource", "Work", "TableSink")
    return [
        {
            **usual,
            **configuration,
            "repeat": repeat,
            "tuples": 1000,
            "seconds": 1.0,
            "throughput": throughput * factor if right else None,
            "latency": {"mean": latency * factor, "p50": latency} if right else None,
            "latency_operators": {"mean": latency * factor, "p50": latency} if right else None,
            "digest": "0",
            "sequence_ok": right,
            "answer_ok": right,
            "profile": [
                {"operators": [each], "seconds": cost, **counts} for each, cost in zip(names, costs, strict=True)
            ],
            "core_round_trip_ns": None,
            "core_costs": None,
            "unpinned": [],
        }
        for repeat, factor in enumerate(jitter)
    ]


def serial(throughput: float = 1e6, latency: float = 1e-4, **configuration: Any) -> list[Run]:
    return runs(throughput, latency, **{"engine": "serial", "workers": 1, "unit": 1024, **configuration})


def document(made: Iterable[Run], cores: int = 2) -> dict[str, Any]:
    parameters = {"scale_factor": 0.5, "preset": "made-up"}
    found = results.document("sweep", parameters, [], machine(cores), [])  # without the summary, which takes seconds
    return found | {"runs": list(made), "created": "2030-01-02T00:00:00+00:00", "git": "0123456789ab"}


def whole(cores: int = 4, queries: Sequence[str] = QUERIES) -> list[Run]:
    """Runs for every figure, on 1, 2 and 4 workers, such that all of the paper's claims hold."""
    made: list[Run] = []
    speed = {"ct": 1.0, "lp": 0.9, "et": 0.6, "qst": 0.5, "walk": 0.95}
    wait = {"ct": 1.5, "lp": 1.0, "et": 20.0, "qst": 50.0, "walk": 1.2}
    for place, query in enumerate(queries):
        base = 1e6 * (1 + place)
        made += serial(base, query=query)
        for workers in (1, 2, cores):
            at = base * workers
            for heuristic in HEURISTICS:
                made += runs(
                    at * speed[heuristic], 1e-3 * wait[heuristic], query=query, workers=workers, heuristic=heuristic
                )
            for scheme, factor in (("partitioned", 0.7), ("shared", 0.6)):
                slow = at * factor
                made += runs(slow, 4e-3, query=query, workers=workers, partitioning=scheme, partitions=workers)
            for reorder in REORDERS[1:]:
                made += runs(at * 0.8, 2e-3, query=query, workers=workers, reorder=reorder)
    return made + skewed(cores) + latencies(cores) + light(cores) + selective(cores)


def paced(cores: int = 4) -> list[Run]:
    """ET at a low rate."""
    return [run for query in QUERIES for run in runs(1e4, 1e-3, query=query, workers=cores, heuristic="et", rate=1e4)]


def skewed(cores: int = 4, hybrid: float = 1.0, partitioned: float = 0.4, ranges: int = 3) -> list[Run]:
    """A keyed operator; ``hybrid``, ``partitioned``: by how much the smallest sigma slows these schemes down.

    ``ranges``: the fewest that partitioned queues have.
    """
    made: list[Run] = []
    for sigma, skew in ((0.1, True), (1.0, False)):
        spec = micro(("ps", 50.0, 1.0), keys="normal", sigma=sigma)
        made += serial(2e4, micro=spec, unit=1)
        for workers in (1, 2, cores):
            for scheme, slower in (("hybrid", hybrid), ("partitioned", partitioned)):
                at = 2e4 * workers * (slower if skew and workers > 2 else 1.0)
                partitions = 100 if scheme == "hybrid" else max(ranges, workers)
                how = {"partitioning": scheme, "partitions": partitions, "partition_by": "range"}
                made += runs(at, 1e-3, micro=spec, workers=workers, **how)
    return made


def latencies(cores: int = 4, hybrid: float = 1.2, partitioned: float = 8.0, speed: float = 1.0) -> list[Run]:
    """A keyed operator of four costs; ``hybrid``, ``partitioned``: latency over cost. ``speed``: of hybrid queues over
    the others' throughput."""
    made: list[Run] = []
    for cost in (10.0, 100.0, 1_000.0, 10_000.0):
        spec = micro(("ps", cost, 1.0))
        made += serial(1e6 / cost, micro=spec, unit=1)
        for scheme, factor in (("hybrid", hybrid), ("partitioned", partitioned), ("shared", 2.0)):
            at = 1e6 / cost * (speed if scheme == "hybrid" else 1.0)
            made += runs(at, cost * 1e-6 * factor, micro=spec, workers=cores, partitioning=scheme)
    return made


def light(cores: int = 4, lock: float = 0.7) -> list[Run]:
    """A light stateless operator; ``lock``: throughput of the other schemes over non-blocking's."""
    return _by_reorder(micro(("sl", 10.0, 1.0)), 1e5, cores, lock)


def selective(cores: int = 4, lock: float = 0.7) -> list[Run]:
    """A stateless operator of many outputs, then a keyed one; routed early all reordering schemes are level."""
    spec = micro(("sl", 100.0, 50.0), ("ps", 100.0, 1.0))
    early = _by_reorder(spec, 200.0, cores, 1.0)
    return early + [run for run in _by_reorder(spec, 200.0, cores, lock, "in-order") if run["engine"] != "serial"]


def _by_reorder(spec: dict[str, Any], base: float, cores: int, lock: float, routing: str = "early") -> list[Run]:
    made = serial(base, micro=spec, unit=1)
    for workers in (1, 2, cores):
        for reorder in REORDERS:
            factor = 1.0 if reorder == "nonblocking" or workers == 1 else lock
            how = {"micro": spec, "workers": workers, "reorder": reorder, "routing": routing}
            made += runs(base * workers * factor, 1e-3, costs=(0.01, 0.01 / factor, 0.01), **how)
    return made
