"""Updates per second of summaries of heavy hitters: paper 002's designs, the fast one, datasketches and DuckDB.

Streams are those of paper 002 (section 5), Zipf's law over 5 million items, and ε is its 0.0001. A rate lasts until the
answer is there: what a snapshot takes at the end is part of it. Every answer is checked against exact counts; the
others' are their own affair. `datasketches` has no bulk update for numbers of 64 bits: a loop over the array's items
updates its `frequent_items_sketch`, with 12,288 counters, the least number above 1 / ε that it takes. DuckDB's
`approx_top_k` gives 100 items, and its group-by all counts, in order.
"""

from __future__ import annotations

import importlib.util
import time
from collections import deque
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

import duckdb
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.host.limits import allowed_cpus
from streambench.lab.measure.heavy_hitters.answer import wrong_answer
from streambench.lab.measure.heavy_hitters.designs import DESIGNS
from streambench.lab.measure.heavy_hitters.run import cores_for
from streambench.lab.measure.heavy_hitters.stream_crew import StreamCrew
from streambench.lab.measure.heavy_hitters.zipf_streams import ExactCounts, Items, zipf_streams
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import Settings

NAME, TITLE, NEEDS_DATA = "heavy-hitters", "Heavy hitters: updates of summaries", False
USUAL = Settings().seconds
EPSILON, COUNTERS, LOG2_COUNTERS = 0.0001, 10_000, 14
ALPHAS, SKEWED = (0.5, 1.0, 1.5, 2.0, 3.0), (1.5, 2.0, 3.0)
THREADS = (4, 8, 16, 32)
MOST_REPEATS = 7  # of the published designs, which are slow
QUERY_EVERY = 50_000
LARGE, ARRAY, SMALL = 1 << 23, 1 << 22, 1 << 20  # items of a stream for fast designs, of one array, for slow designs
FEWEST = 4096
UNIT = "M updates per second"
SKETCH = "datasketches"


class Streams(NamedTuple):
    """Streams, and what is in them."""

    streams: Sequence[Items]
    exact: ExactCounts

    @classmethod
    def of(cls, streams: Sequence[Items], items: int) -> Streams:
        """The first items of each."""
        heads = [stream[:items] for stream in streams]
        return cls(heads, ExactCounts(heads))

    def rate(self, design: str, every: int = 0) -> Callable[[], float]:
        """What measures a design, a thread for each stream."""

        def run() -> float:
            summary = DESIGNS[design].summary(COUNTERS, len(self.streams))
            crew = StreamCrew(summary, list(self.streams), every, cores=cores_for(len(self.streams)))
            crew.run()
            begun = time.perf_counter()
            found = summary.snapshot()
            seconds = crew.seconds + time.perf_counter() - begun
            if (problem := wrong_answer(found, self.exact, EPSILON)) is not None:
                raise StreambenchError(f"the design {design} is wrong, its rate means nothing: {problem}.")
            return self.exact.n / seconds * 1e-6

        return run


def cases(settings: Settings) -> list[Case]:
    """For each α all designs on 2 threads, and 1 against others; the published ones on more threads."""

    def of(items: int) -> int:
        return max(FEWEST, int(items * min(1.0, settings.seconds / USUAL)))

    found = []
    for alpha in ALPHAS:
        if len(allowed_cpus()) > 1:
            found.append(_two_threads(settings, alpha, of(LARGE), of(SMALL)))
        found += [_one_thread(settings, alpha, of(ARRAY)), _many_threads(settings, alpha, of(SMALL))]
    return found


def _two_threads(settings: Settings, alpha: float, large: int, small: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        made = zipf_streams(alpha, 2, large, tell=lambda count: tell(f"{count} of 2 streams made"))
        many, few = Streams.of(made, large), Streams.of(made, small)
        often = f"merged every {QUERY_EVERY:,}"
        things = {
            "fast": many.rate("fast"),
            "cooperative": few.rate("cooperative"),
            "locked": few.rate("locked"),
            f"independent {often}": few.rate("independent", QUERY_EVERY),
            f"independent-fast {often}": few.rate("independent-fast", QUERY_EVERY),
            "independent-fast merged once": many.rate("independent-fast"),
        }
        found = interleave({_named(name, alpha, 2): run for name, run in things.items()}, settings.repeats,
                           into.distances, tell)  # fmt: skip
        into.keep(found, UNIT)
        for other in list(things)[1:]:
            into.ratio(
                f"fast against {other}, α {alpha:g}", _named("fast", alpha, 2), _named(other, alpha, 2),
                note=_note(found, _named("fast", alpha, 2), _named(other, alpha, 2)),
            )  # fmt: skip

    return Case(f"2 threads, α {alpha:g}", measure)


def _one_thread(settings: Settings, alpha: float, items: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        streams = Streams.of(zipf_streams(alpha, 1, items), items)
        (array,) = streams.streams
        exact, top = "DuckDB's group-by", "DuckDB's approx_top_k"
        things = {"fast": streams.rate("fast"), **_duckdb(array, exact, top)}
        lacking = importlib.util.find_spec(SKETCH) is None
        if not lacking:
            things[SKETCH] = _datasketches(array)
        found = interleave({_named(name, alpha, 1): run for name, run in things.items()}, settings.repeats,
                           into.distances, tell)  # fmt: skip
        into.keep(found, UNIT)
        ours = _named("fast", alpha, 1)
        note = f"{SKETCH} is not installed, and left out: pip install {SKETCH}" if lacking else ""
        into.median(ours, ours, UNIT, note=note)
        for other in list(things)[1:]:
            theirs = _named(other, alpha, 1)
            into.ratio(f"fast against {other}, α {alpha:g}", ours, theirs, note=_note(found, ours, theirs))

    return Case(f"1 thread, α {alpha:g}", measure)


def _many_threads(settings: Settings, alpha: float, items: int) -> Case:
    """The published designs, which share ``items`` among their threads."""

    def measure(into: Measured, tell: Tell) -> None:
        made = zipf_streams(alpha, max(THREADS), items // min(THREADS))
        pairs = [("cooperative", "shared"), *([("cooperative", "auto-tuned")] if alpha >= 2 else [])]
        if alpha <= 1:
            pairs = [("auto-tuned", "shared")]
        for threads in THREADS if alpha in SKEWED else THREADS[::3]:
            streams = Streams.of(made[:threads], max(1, items // threads))
            names = dict.fromkeys(name for pair in pairs for name in pair)
            things = {_named(name, alpha, threads): streams.rate(name) for name in names}
            found = interleave(things, min(settings.repeats, MOST_REPEATS), into.distances, tell)
            into.keep(found, UNIT)
            for one, other in pairs:
                ours, theirs = _named(one, alpha, threads), _named(other, alpha, threads)
                what = f"{one} against {other}, {threads} threads, α {alpha:g}"
                if other == "auto-tuned":
                    what = f"cost of auto-tuning, {threads} threads, α {alpha:g}"
                into.ratio(what, ours, theirs, note=_note(found, ours, theirs))

    return Case(f"4 to 32 threads, α {alpha:g}", measure)


def _duckdb(array: Items, exact: str, top: str) -> dict[str, Callable[[], float]]:
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("arrow", pa.table({"item": array}))
    connection.execute("CREATE TABLE stream AS SELECT item FROM arrow")

    def timed(sql: str) -> Callable[[], float]:
        def run() -> float:
            begun = time.perf_counter()
            connection.execute(sql).fetchall()
            return len(array) / (time.perf_counter() - begun) * 1e-6

        return run

    by_count = f"SELECT item, count(*) AS n FROM stream GROUP BY item ORDER BY n DESC LIMIT {COUNTERS}"
    return {exact: timed(by_count), top: timed("SELECT approx_top_k(item, 100) FROM stream")}


def _datasketches(array: Items) -> Callable[[], float]:
    from datasketches import frequent_items_error_type, frequent_items_sketch

    def run() -> float:
        begun = time.perf_counter()
        sketch = frequent_items_sketch(LOG2_COUNTERS)
        deque(map(sketch.update, array.tolist()), maxlen=0)
        sketch.get_frequent_items(frequent_items_error_type.NO_FALSE_POSITIVES)
        return len(array) / (time.perf_counter() - begun) * 1e-6

    return run


def _named(what: str, alpha: float, threads: int) -> str:
    return f"{what}, α {alpha:g}, {threads} thread{'s' * (threads > 1)}"


def _note(found: dict[str, list[float]], one: str, other: str) -> str:
    return f"{median(found[one]):.3g} and {median(found[other]):.3g} M/s"
