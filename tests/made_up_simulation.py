"""Made-up documents of a simulated sweep, for the tests of figures, claims and statements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from made_up_sweep import JITTER, Run, latencies, machine, micro, runs, serial

from streambench.execution.options import HEURISTICS, REORDERS, ROUTINGS
from streambench.lab.figures.selection import QUERIES
from streambench.lab.record import results
from streambench.lab.record.simulation_summary import KIND

COUNTS = (1, 8, 12, 16, 128)
LINEAR = {"q1": 16, "q2": 8, "q3": 8, "q4": 8, "q15": 12}
SIX = JITTER[:6]


def simulation(made: Iterable[Run], *, costs: str = "measured", cores: int = 2) -> dict[str, Any]:
    """A document of these runs: those of the schemes are simulated. ``cores``: of the machine that was profiled."""
    told = [{**run, "simulated": run["engine"] == "schemes"} for run in made]
    parameters = {
        "scale_factor": 0.5,
        "repeats": len({run["repeat"] for run in told}),
        "simulated": True,
        "simulated_cores": sorted({run["workers"] for run in told if run["simulated"]}),
        "topology": {"sockets": 1, "cores": 256, "how": "assumed: all cores near each other"},
        "simulation_seed": 1,
        "costs": costs,
        "times_ns": {},
        "profiles": [{"key": "one", "samples": ""}],
    }
    found = results.document(KIND, parameters, [], machine(cores), [])
    return found | {"runs": told, "created": "2030-01-03T00:00:00+00:00", "git": "fedcba987654"}


def speed(query: str, workers: int) -> float:
    """As the paper's text has it: as many times as fast as there are cores, up to its number, then no faster."""
    most = LINEAR[query]
    return 1.2e6 / most * min(workers, most) * (0.95 if workers > most else 1.0)


def as_the_paper_says() -> list[Run]:
    """Runs by which all of the statements hold."""
    made: list[Run] = []
    slower = {"ct": 1.0, "lp": 0.8, "et": 0.5, "qst": 0.4, "walk": 0.7}
    wait = {"ct": 1.5, "lp": 1.0, "et": 20.0, "qst": 50.0, "walk": 3.0}
    for query in QUERIES:
        made += serial(1e6, query=query, unit=1, jitter=SIX)
        level = {**slower, "lp": 1.0} if query in ("q1", "q15") else slower
        for workers in COUNTS:
            at = speed(query, workers)
            for heuristic in HEURISTICS:
                how = {"query": query, "workers": workers, "heuristic": heuristic, "jitter": SIX}
                made += runs(at * level[heuristic], 1e-3 * wait[heuristic], **how)
            for reorder in REORDERS[1:]:
                made += runs(at * 0.8, 2e-3, query=query, workers=workers, reorder=reorder, jitter=SIX)
            for scheme in ("partitioned", "shared"):
                made += runs(at * 0.7, 4e-3, query=query, workers=workers, partitioning=scheme, jitter=SIX)
    made += skewed() + reordered("sl", (("sl", 10.0, 1.0),)) + latencies(16)
    return made + reordered("sl-ps", (("sl", 100.0, 50.0), ("ps", 100.0, 1.0)))


def skewed(hybrid: float = 1.0, partitioned: float = 0.4) -> list[Run]:
    """A keyed operator; ``hybrid``, ``partitioned``: by how much the smallest sigma slows these schemes down."""
    made: list[Run] = []
    for sigma, skew in ((0.1, True), (1.0, False)):
        spec = micro(("ps", 50.0, 1.0), keys="normal", sigma=sigma)
        made += serial(2e4, micro=spec, unit=1, jitter=SIX)
        for workers in COUNTS:
            for scheme, slower in (("hybrid", hybrid), ("partitioned", partitioned)):
                at = 2e4 * workers * (slower if skew and workers > 1 else 1.0)
                how = {"partitioning": scheme, "partitions": max(3, workers), "partition_by": "range"}
                made += runs(at, 1e-3, micro=spec, workers=workers, jitter=SIX, **how)
    return made


def reordered(name: str, operators: Any, lock: float = 0.7) -> list[Run]:
    """A pipeline under all reordering schemes; ``lock``: throughput of the others over non-blocking's."""
    spec = micro(*operators)
    made = serial(1e5, micro=spec, unit=1, jitter=SIX)
    for workers in COUNTS:
        for reorder in REORDERS:
            factor = 1.0 if reorder == "nonblocking" else lock
            for routing in ROUTINGS:
                how = {"micro": spec, "workers": workers, "reorder": reorder, "routing": routing}
                made += runs(1e5 * workers * factor, 1e-3, **how, jitter=SIX)
    assert all(run["query"] == name for run in made)
    return made
