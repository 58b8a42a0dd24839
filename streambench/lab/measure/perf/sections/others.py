"""What paper 001's join and paper 002's counters are worth beside other programs: DuckDB, Polars, datasketches.

How they do by tier, design, threads and window is what `bench joins` and `bench topk` measure.
"""

from __future__ import annotations

import importlib.util
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.host.placement import cores_for
from streambench.joins.join import matching_rows
from streambench.lab.measure.perf.case import PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.own_loops import costs
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.topk.answer import wrong_answer
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.lab.measure.topk.zipf_streams import ExactCounts, Items, zipf_streams

Things = dict[str, Callable[[], float]]
MOST_PAIRED, FEWEST = 1 << 20, 512  # tuples of each side, in a run of the usual length
BANDS = (("x", "a", 10), ("y", "b", 10))
PER_CORE = "G comparisons per core-second"
MOST_REPEATS = 7  # where DuckDB and Polars take half a minute each


def _of(settings: PerfSettings, most: int, fewest: int) -> int:
    return max(fewest, int(most * min(1.0, settings.seconds / PerfSettings.seconds)))


def joins(settings: PerfSettings) -> list[PerfCase]:
    """All pairs of two tables of the paper's tuples (001, section VI): bands of 10 over integers and floats from 1 to
    10,000; by the index in one thread, DuckDB and Polars, which must find as many.
    """
    n = _of(settings, MOST_PAIRED, FEWEST)

    def things(tell: Tell) -> Things:
        left, right = paper_tables(n)
        counts: dict[str, int] = {}

        def timed(name: str, count: Callable[[], int]) -> float:
            begun = time.process_time()
            counts[name] = count()
            if len({*counts.values()}) > 1:
                raise StreambenchError(f"the joins found different pairs, {counts}: their rates mean nothing.")
            return n * n / (time.process_time() - begun) * 1e-9

        def ours() -> int:
            return len(matching_rows(left, right, window=n, bands=BANDS, tier="index", threads=1)[0])

        counting = {"index": ours, "DuckDB": _duckdb_join(left, right), "Polars": _polars_join(left, right)}
        return {name: partial(timed, name, count) for name, count in counting.items()}

    def rows(values: Values) -> list[Row]:
        return [
            Row(f"index against {other}", "index", other, note=costs(values, "index", other, unit=PER_CORE))
            for other in ("DuckDB", "Polars")
        ]

    what = f"all pairs of {n:,} and {n:,}"
    return [compared(settings, what, things, rows, unit=PER_CORE, warm_up=False, most_repeats=MOST_REPEATS)]


def paper_tables(n: int) -> tuple[pa.Table, pa.Table]:
    """``n`` tuples of each of the paper's streams, one of each at a time.

    Floats are whole 64ths: so their differences, and they plus 10, are exact, and all joins find the same pairs.
    """
    random = np.random.default_rng(1)
    x, a = (random.integers(1, 10_001, n).astype(np.int32) for _ in range(2))
    y, b = (random.integers(64, 640_001, n).astype(np.float32) / np.float32(64) for _ in range(2))
    return pa.table({"ts": np.arange(n), "x": x, "y": y}), pa.table({"ts": np.arange(n), "a": a, "b": b})


def _duckdb_join(left: pa.Table, right: pa.Table) -> Callable[[], int]:
    """As it likes it best: bounds in columns, and first two conditions that are sorted one up and one down."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("left_side", left)
    connection.register("right_side", right)
    connection.execute("CREATE TABLE r AS SELECT x, y FROM left_side")
    connection.execute(
        "CREATE TABLE s AS SELECT a - 10 AS a1, a + 10 AS a2, b - 10 AS b1, b + 10 AS b2 FROM right_side"
    )
    sql = "SELECT count(*) FROM r JOIN s ON x >= a1 AND y <= b2 AND x <= a2 AND y >= b1"
    return lambda: int(connection.execute(sql).fetchall()[0][0])


def _polars_join(left: pa.Table, right: pa.Table) -> Callable[[], int]:
    r, s = pl.DataFrame(left.select(["x", "y"])), pl.DataFrame(right.select(["a", "b"]))
    a, b, x, y = map(pl.col, "abxy")
    bounds = s.select(a1=a - 10, a2=a + 10, b1=b - 10, b2=b + 10)
    near = (x >= pl.col("a1"), y <= pl.col("b2"), x <= pl.col("a2"), y >= pl.col("b1"))
    query = r.lazy().join_where(bounds.lazy(), *near).select(pl.len())
    return lambda: int(query.collect().item())


EPSILON, COUNTERS, LOG2_COUNTERS = 0.0001, 10_000, 14
ALPHAS = (0.5, 1.0, 1.5, 2.0, 3.0)
MOST_ITEMS, FEWEST_ITEMS = 1 << 22, 4096
UPDATES = "M updates per second"
SKETCH = "datasketches"


def topk(settings: PerfSettings) -> list[PerfCase]:
    """For each α the fast design on one thread, against others.

    Streams are those of paper 002 (section 5), Zipf's law over 5 million items, and ε is its 0.0001. A rate lasts until
    the answer is there: what a snapshot takes at the end is part of it. Our answers are checked against exact counts;
    the others' are their own affair. `datasketches` has no bulk update for numbers of 64 bits: a loop over the array's
    items updates its `frequent_items_sketch`, with 12,288 counters, the least number above 1 / ε that it takes.
    DuckDB's `approx_top_k` gives 100 items, and its group-by all counts, in order.
    """
    items = _of(settings, MOST_ITEMS, FEWEST_ITEMS)
    lacking = importlib.util.find_spec(SKETCH) is None

    def things(alpha: float, tell: Tell) -> Things:
        (array,) = zipf_streams(alpha, 1, items)
        counters: Things = {"fast": partial(_fast, array, ExactCounts([array])), **_duckdb_counts(array)}
        return counters if lacking else {**counters, SKETCH: partial(_sketch, array)}

    def rows(alpha: float, values: Values) -> list[Row]:
        note = f"{SKETCH} is not installed, and left out: pip install {SKETCH}" if lacking else ""
        return [
            Row(f"fast, α {alpha:g}, 1 thread", "fast", unit=UPDATES, note=note),
            *(
                Row(f"fast against {other}, α {alpha:g}", "fast", other, note=costs(values, "fast", other, unit="M/s"))
                for other in [name for name in values if name != "fast"]
            ),
        ]

    return [
        compared(settings, f"1 thread, α {alpha:g}", partial(things, alpha), partial(rows, alpha), unit=UPDATES)
        for alpha in ALPHAS
    ]


def _fast(array: Items, exact: ExactCounts) -> float:
    summary = DESIGNS["fast"].summary(EPSILON, 1)
    crew = StreamCrew(summary, [array], 0, cores=cores_for(1))
    crew.run()
    begun = time.perf_counter()
    snapshot = summary.snapshot()
    seconds = crew.seconds + time.perf_counter() - begun
    if (problem := wrong_answer(snapshot, exact, EPSILON)) is not None:
        raise StreambenchError(f"the design fast is wrong, its rate means nothing: {problem}.")
    return exact.n / seconds * 1e-6


def _duckdb_counts(array: Items) -> Things:
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("arrow", pa.table({"item": array}))
    connection.execute("CREATE TABLE stream AS SELECT item FROM arrow")

    def rate(sql: str) -> float:
        begun = time.perf_counter()
        connection.execute(sql).fetchall()
        return len(array) / (time.perf_counter() - begun) * 1e-6

    by_count = f"SELECT item, count(*) AS n FROM stream GROUP BY item ORDER BY n DESC LIMIT {COUNTERS}"
    top = "SELECT approx_top_k(item, 100) FROM stream"
    return {"DuckDB's group-by": partial(rate, by_count), "DuckDB's approx_top_k": partial(rate, top)}


def _sketch(array: Items) -> float:
    from datasketches import frequent_items_error_type, frequent_items_sketch

    begun = time.perf_counter()
    sketch = frequent_items_sketch(LOG2_COUNTERS)
    deque(map(sketch.update, array.tolist()), maxlen=0)
    sketch.get_frequent_items(frequent_items_error_type.NO_FALSE_POSITIVES)
    return len(array) / (time.perf_counter() - begun) * 1e-6
