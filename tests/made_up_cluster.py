"""A made-up result of `cluster-bench`: a job's own cost, and so much for each tuple."""

from __future__ import annotations

from typing import Any

from made_up_sweep import machine

from streambench.lab.record import results
from streambench.lab.record.cluster_bench_summary import BUCKETS, KIND, ONE_CORE, ONE_EXECUTOR, OURS, SPARK_SQL

COST = {OURS: (0.5, 0.4), BUCKETS: (0.3, 0.2), SPARK_SQL: (1.0, 4.0), ONE_EXECUTOR: (0.5, 0.72), ONE_CORE: (0.0, 0.5)}
"""By way: seconds of a job, and of a million tuples."""
CORES = {OURS: 2, BUCKETS: 2, SPARK_SQL: 2, ONE_EXECUTOR: 1, ONE_CORE: 1}
SIZES = {"sf1": 7_000_000, "sf3": 21_000_000}


def run(query: str, data: str, way: str, repeat: int) -> dict[str, Any]:
    fixed, grown = COST[way]
    return {
        **{"query": query, "data": data, "way": way, "repeat": repeat, "cores": CORES[way], "tuples": SIZES[data]},
        "seconds": (fixed + grown * SIZES[data] / 1e6) * (1 + 0.01 * (repeat - 1)),
        **{"problem": None, "verified": True, "core_round_trip_ns": None},
    }


def document(*, wrong: bool = False) -> dict[str, Any]:
    """Two queries over two sizes, three repeats; ``wrong``: one run of Spark SQL's first query was wrong."""
    runs = [
        run(query, data, way, repeat) for query in ("q1", "q4") for data in SIZES for way in COST for repeat in range(3)
    ]
    if wrong:
        bad = next(each for each in runs if each["way"] == SPARK_SQL)
        bad |= {"problem": "row 3 differs", "seconds": None, "verified": False}
    parameters = {"data_directories": [{"data": name} for name in SIZES], "queries": ["q1", "q4"], "repeats": 3}
    return results.document(KIND, parameters, runs, machine(2), [])
