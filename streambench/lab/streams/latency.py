"""How long a row takes end to end, at half of what is sustained: our operators, beside them Spark's own aggregation.

Both read rows that Spark's rate source makes, keep their state in the same store, and give their output to a sink that
drops it. A row's time is from when it was made until its micro-batch is committed: then it is in the state and is lost
no more. With our operators a row also waits for its place in the order, so there is a second time: until the
micro-batch is committed in which the watermark passes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pyspark.errors import StreamingQueryException

from streambench.errors import StreambenchError
from streambench.lab.streams import run, sources
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.lab.streams.terms import StreamTerms

Times = npt.NDArray[np.float64]

OURS, SPARK = "operators", "spark"
FIRST_RATE, FASTER, MOST_PROBES = 20_000, 4, 4
WARM_UP = 3  # micro-batches that are not counted, which are waited for
WARM_UP_SECONDS = 60.0
LOAD = 0.5
QUANTILES = (0.5, 0.99)


@dataclass(frozen=True)
class Seen:
    """A micro-batch with rows: when it was committed, the times its first and last row were made, their number, how
    long it took, and the watermark; in seconds since 1970."""

    committed: float
    first: float
    last: float
    rows: int
    seconds: float
    watermark: float


def measure(
    session: Any, terms: StreamTerms, work: KeyedWork, seconds: float, folder: Path
) -> dict[str, dict[str, Any]]:
    """By contender: rows per second sustained, and latencies at half of that; of Q2 and Q4. ``seconds``: of each run.

    Checkpoints go to ``folder``. Raises StreambenchError where a run is too short for what it takes.
    """
    contenders = {OURS: run.stepped, SPARK: spark_aggregation}
    by_name = {}
    for name, frame in contenders.items():
        sustained = _sustained(session, replace(terms, rate=FIRST_RATE), work, frame, seconds, folder / name)
        half = replace(terms, rate=max(1, int(LOAD * sustained)))
        seen = _run(session, half, work, frame, seconds, folder / f"{name}-half")
        if len(seen) < 2:
            raise StreambenchError(
                f"{seconds:.0f} s are too short for {name}, whose micro-batches take as long: give more."
            )
        latencies: dict[str, Any] = {"sustained": sustained, "rate": half.rate, "batches": len(seen)}
        latencies["committed"] = quantiles(until_committed(seen))
        if name == OURS:
            latencies["ordered"] = quantiles(until_passed(seen))
        by_name[name] = latencies
    return by_name


def spark_aggregation(session: Any, terms: StreamTerms, work: KeyedWork) -> Any:
    """The query's sessions as Spark's own session windows hold them, given out when the watermark has passed them."""
    from pyspark.sql import functions as F

    rows = sources.opened(session, terms, work)
    rows = rows.where(F.col(work.stream.key) >= 0).withColumn(sources.EVENT_TIME, F.timestamp_seconds("ts"))
    rows = rows.withWatermark(sources.EVENT_TIME, f"{terms.lateness} seconds")
    window = F.session_window(sources.EVENT_TIME, f"{work.parameters['gap']} seconds")
    if terms.query == "q2":
        return rows.groupBy(work.stream.key, window).agg(F.collect_set("wcs_item_sk").alias("items"))
    types = session.createDataFrame(list(enumerate(map(int, work.looked_up["page_types"]))), "page bigint, type bigint")
    rows = rows.where("wcs_sales_sk < 0").join(F.broadcast(types), F.col("wcs_web_page_sk") == F.col("page"))
    last = [F.max(F.when(F.col("type") == code, F.col("ts"))).alias(f"last_{code}") for code in (1, 2)]
    return rows.groupBy(work.stream.key, window).agg(F.count(F.lit(1)).alias("clicks"), *last)


def until_committed(seen: list[Seen]) -> Times:
    """Of each row: seconds until its micro-batch was committed."""
    return np.concatenate([each.committed - np.linspace(each.first, each.last, each.rows) for each in seen])


def until_passed(seen: list[Seen]) -> Times:
    """Of each row: seconds until a micro-batch was committed whose watermark is beyond the second in which it was made.

    Rows that none has passed yet are not among them.
    """
    times = np.concatenate([np.linspace(each.first, each.last, each.rows) for each in seen])
    batch = np.searchsorted(np.maximum.accumulate([each.watermark for each in seen]), np.floor(times), side="right")
    passed = batch < len(seen)
    committed: Times = np.array([each.committed for each in seen])
    return np.asarray(committed[batch[passed]] - times[passed])


def quantiles(latencies: Times) -> dict[str, float]:
    """The median and the 99th percentile, in seconds."""
    if len(latencies) == 0:
        raise StreambenchError("the watermark passed no row: give more seconds.")
    return {f"p{100 * q:.0f}": float(np.quantile(latencies, q, method="inverted_cdf")) for q in QUANTILES}


def _sustained(
    session: Any, terms: StreamTerms, work: KeyedWork, frame: Callable[..., Any], seconds: float, folder: Path
) -> float:
    """Rows per second of a run that gets more than it can take: the rate is raised until the rows outrun it."""
    speed = 0.0
    for probe in range(MOST_PROBES):
        seen = _run(session, terms, work, frame, seconds, folder / str(probe))
        speed = sum(each.rows for each in seen) / sum(each.seconds for each in seen) if seen else speed
        if not seen or speed < terms.rate:
            break
        terms = replace(terms, rate=terms.rate * FASTER)
    if speed == 0.0:
        raise StreambenchError(f"no micro-batch came to its end within {seconds:.0f} s: give more.")
    return speed


def _run(
    session: Any, terms: StreamTerms, work: KeyedWork, frame: Callable[..., Any], seconds: float, folder: Path
) -> list[Seen]:
    """The micro-batches of so many ``seconds`` behind the first few, one behind the other as fast as they go."""
    writer = frame(session, terms, work).writeStream.format("noop").option("checkpointLocation", str(folder))
    query = writer.trigger(processingTime="0 seconds").start()
    batches: dict[int, Seen] = {}
    warm, until = False, time.monotonic() + WARM_UP_SECONDS
    try:
        while time.monotonic() < until and not query.awaitTermination(run.LOOK_SECONDS):
            batches |= {each.batchId: _seen(each) for each in query.recentProgress if each.numInputRows}
            if not warm and len(batches) >= WARM_UP:
                warm, until = True, time.monotonic() + seconds
    except StreamingQueryException as problem:
        raise run.failed(problem) from problem
    finally:
        query.stop()
    return [batches[number] for number in sorted(batches)[WARM_UP:]]


def _seen(progress: Any) -> Seen:
    source = progress.observedMetrics[sources.SOURCE_METRICS]
    took = progress.durationMs["triggerExecution"] / 1000
    watermark = progress.eventTime.get("watermark")
    return Seen(
        committed=_time(progress.timestamp) + took,
        first=source.first / 1e6,
        last=source.last / 1e6,
        rows=progress.numInputRows,
        seconds=took,
        watermark=_time(watermark) - sources.DAYS_TO_1970 * 86_400 if watermark else 0.0,
    )


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
