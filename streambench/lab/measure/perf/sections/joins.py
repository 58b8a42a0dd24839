"""Comparisons per second of a join's tiers, against the paper's list of tuples, DuckDB and Polars.

Tuples and predicate are those of paper 001 (section VI): bands of 10 over integers and floats from 1 to 10,000. For the
scans a window is filled by one side, and then tuples of the other side are compared with all of it, so that a run has
windows of one size from its start. The index, which needs no such help, joins two streams of twice the window, from
Arrow tables to an Arrow table with all columns; its comparisons are those that a scan would have made.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median, pstdev

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.host.limits import allowed_cpus
from streambench.joins.join import join, matching_rows
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import Settings
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

NAME, TITLE, NEEDS_DATA = "joins", "ScaleJoin: comparisons of tuples within a window", False
USUAL = Settings().seconds
SMALL, LARGE = 1 << 18, 1 << 20  # tuples of a window, in a run of the usual length
FEWEST = 512
PROBES = {"list": 64, "simd": 8192, "codes": 16384}  # tuples that are compared with the whole window, by what compares
BANDS = (("x", "a", 10), ("y", "b", 10))
UNIT, PER_CORE = "G comparisons per second", "G comparisons per core-second"
MOST_REPEATS = 7  # where DuckDB and Polars take half a minute each


def cases(settings: Settings) -> list[Case]:
    """Scans of two window sizes, the index, and all pairs of two tables."""

    def of(tuples: int) -> int:
        return max(FEWEST, int(tuples * min(1.0, settings.seconds / USUAL)))

    return [_against_a_list(settings, of(SMALL)), _tiers(settings, of(LARGE)), _all_pairs(settings, of(LARGE))]


class Scan:
    """A scan of windows of ``window`` tuples, whose comparisons are counted."""

    def __init__(self, window: int, what: str, threads: int) -> None:
        random = np.random.default_rng(1)
        sides = [
            (random.integers(1, 10_001, n), random.uniform(1, 10_000, n).astype(np.float32))
            for n in (window, PROBES[what])
        ]
        ts = np.arange(window), np.arange(window, window + PROBES[what])
        terms = [(left, right, 10) for left, right in zip(*sides, strict=True)]
        rule = "three-step" if what == "list" else "exact"
        self.definition = Definition(*ts, terms, window + PROBES[what], rule)
        self.tier = "scan" if what == "list" else what
        self.threads = threads
        self.spreads: list[float] = []

    def run(self) -> float:
        """Comparisons per second, in 10^9."""
        crew = JoinCrew(self.definition, self.tier, self.threads)
        crew.run()
        if self.threads > 1:
            self.spreads.append(100 * pstdev(crew.compared) * self.threads / sum(crew.compared))
        return self.definition.pairs / crew.seconds * 1e-9


def paper_tables(n: int) -> tuple[pa.Table, pa.Table]:
    """``n`` tuples of each of the paper's streams, one of each at a time.

    Floats are whole 64ths: so their differences, and they plus 10, are exact, and all joins find the same pairs.
    """
    random = np.random.default_rng(1)
    x, a = (random.integers(1, 10_001, n).astype(np.int32) for _ in range(2))
    y, b = (random.integers(64, 640_001, n).astype(np.float32) / np.float32(64) for _ in range(2))
    text = pa.FixedSizeBinaryArray.from_buffers(pa.binary(20), n, [None, pa.py_buffer(random.bytes(20 * n))])
    left = pa.table({"ts": np.arange(n), "x": x, "y": y, "z": text})
    return left, pa.table({"ts": np.arange(n), "a": a, "b": b, "c": random.random(n), "d": random.random(n) < 0.5})


def _against_a_list(settings: Settings, window: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        things = {f"{what}, window {window:,}": Scan(window, what, 1).run for what in PROBES}
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, UNIT)
        names = dict(zip(PROBES, found, strict=True))
        into.ratio("simd against a list of tuples", names["simd"], names["list"], note=_note(found))
        into.ratio("codes against a list of tuples", names["codes"], names["list"])

    return Case(f"window of {window:,}", measure)


def _tiers(settings: Settings, window: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        two = len(allowed_cpus()) > 1
        scans = {
            _named(what, threads): Scan(window, what, threads)
            for what in ("simd", "codes")
            for threads in ((1, 2) if two else (1,))
        }
        things = {name: scan.run for name, scan in scans.items()}
        tables = paper_tables(2 * window)
        times = np.arange(2 * window)
        pairs = Definition(times, times, [], window).pairs
        for threads in (1, 2) if two else (1,):
            things[_named("index", threads)] = _indexed(tables, window, threads, pairs)
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, UNIT)
        into.median("simd, 1 thread", "simd, 1 thread", UNIT)
        into.ratio("codes against simd", "codes, 1 thread", "simd, 1 thread", note=_note(found))
        into.ratio("index, with all columns, against simd", "index, 1 thread", "simd, 1 thread")
        for tier in ("simd", "codes", "index") if two else ():
            into.ratio(f"{tier}: 2 threads against 1", f"{tier}, 2 threads", f"{tier}, 1 thread")
        if two:
            spread = "simd: standard deviation of comparisons"
            into.keep({spread: scans["simd, 2 threads"].spreads[-settings.repeats :]}, "%")
            into.median(spread, spread, "%", note="of 2 threads")

    return Case(f"tiers, window of {window:,}", measure)


def _indexed(tables: tuple[pa.Table, pa.Table], window: int, threads: int, pairs: int) -> Callable[[], float]:
    def run() -> float:
        begun = time.perf_counter()
        join(*tables, window=window, bands=BANDS, tier="index", threads=threads)
        return pairs / (time.perf_counter() - begun) * 1e-9

    return run


def _all_pairs(settings: Settings, n: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        left, right = paper_tables(n)
        counts: dict[str, int] = {}

        def timed(name: str, count: Callable[[], int]) -> Callable[[], float]:
            def run() -> float:
                begun = time.process_time()
                counts[name] = count()
                if len({*counts.values()}) > 1:
                    raise StreambenchError(f"the joins found different pairs, {counts}: their rates mean nothing.")
                return n * n / (time.process_time() - begun) * 1e-9

            return run

        def ours() -> int:
            return len(matching_rows(left, right, window=n, bands=BANDS, tier="index", threads=1)[0])

        things = {
            "index": timed("index", ours),
            "DuckDB": timed("DuckDB", _duckdb(left, right)),
            "Polars": timed("Polars", _polars(left, right)),
        }
        repeats = min(settings.repeats, MOST_REPEATS)
        found = interleave(things, repeats, into.distances, tell, warm_up=False)
        into.keep(found, PER_CORE)
        for other in ("DuckDB", "Polars"):
            into.ratio(f"index against {other}", "index", other, note=_note(found))

    return Case(f"all pairs of {n:,} and {n:,}", measure)


def _duckdb(left: pa.Table, right: pa.Table) -> Callable[[], int]:
    """As it likes it best: bounds in columns, and first two conditions that are sorted one up and one down."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("left_side", left)
    connection.register("right_side", right)
    connection.execute("CREATE TABLE r AS SELECT x, y FROM left_side")
    connection.execute(
        "CREATE TABLE s AS SELECT a - 10 AS a1, a + 10 AS a2, b - 10 AS b1, b + 10 AS b2 FROM right_side"
    )

    def count() -> int:
        sql = "SELECT count(*) FROM r JOIN s ON x >= a1 AND y <= b2 AND x <= a2 AND y >= b1"
        ((found,),) = connection.execute(sql).fetchall()
        return int(found)

    return count


def _polars(left: pa.Table, right: pa.Table) -> Callable[[], int]:
    r, s = pl.DataFrame(left.select(["x", "y"])), pl.DataFrame(right.select(["a", "b"]))
    a, b = pl.col("a"), pl.col("b")
    bounds = s.select(a1=a - 10, a2=a + 10, b1=b - 10, b2=b + 10)
    x, y = pl.col("x"), pl.col("y")
    near = (x >= pl.col("a1"), y <= pl.col("b2"), x <= pl.col("a2"), y >= pl.col("b1"))
    query = r.lazy().join_where(bounds.lazy(), *near).select(pl.len())
    return lambda: int(query.collect().item())


def _named(what: str, threads: int) -> str:
    return f"{what}, {threads} thread{'s' * (threads > 1)}"


def _note(found: dict[str, list[float]]) -> str:
    return "; ".join(f"{name} {median(rates):.2f}" for name, rates in found.items())
