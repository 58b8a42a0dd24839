"""All runs of an S-NET bench: case by case and size by size, of each every point, interleaved and repeated."""

from __future__ import annotations

import resource
import time
import warnings
from functools import partial
from itertools import groupby
from typing import Any, get_args

from streambench.execution.resources import Account, account
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.ready_memory import make_ready
from streambench.lab.host.blas import limit_blas
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.kept_records import KeptRecords, Report, measured
from streambench.lab.measure.snet.cases import CASES
from streambench.lab.measure.snet.settings import Point, Settings
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record.journal import Journal, Memory, Record
from streambench.lab.record.snet_summary import KIND, described
from streambench.snet.boxes import Concurrency
from streambench.snet.net import DiscardedRecordsWarning, Runtime


def snet_bench(
    wanted: Settings,
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, Any]:
    """Measure ``wanted``; return a result document. ``journal``, ``call``, ``limit`` as in ``kept_records``."""

    def runs(kept: KeptRecords) -> list[Record]:
        points, found = wanted.points(), list[Record]()
        groups = [list(own) for _, own in groupby(points, lambda point: (point.case, point.size, point.tile))]
        for done, own in enumerate(groups):
            limit.begin_part(len(groups) - done)
            for repeat, place in limit.while_there_is_time(interleaved(len(own), wanted.repeats)):
                point = own[place]
                told = f"{described(*point)}, repeat {repeat + 1}"
                report(told, len(found) / (len(points) * wanted.repeats))
                key = " ".join(map(str, (*point, repeat)))
                found.append(kept.run(key, partial(checked, point, repeat)))
        return found

    return measured(KIND, wanted, runs, journal, call, limit=limit)


def checked(point: Point, repeat: int) -> Record:
    """A measured run as a record; one whose answer is wrong has no number.

    ``seconds``: from the program, flattened, to the last record that leaves; its parsing is left out.
    """
    assert point.runtime in get_args(Runtime)
    case = CASES[point.case]
    net = case.net()
    given = case.records(point.size, point.tile)
    blas_threads = limit_blas(1)
    make_ready()
    distance = core_distance.longest() if point.workers > 1 else None
    runtime: Any = point.runtime
    calls = None if point.concurrency == 1 else Concurrency(others=point.concurrency)
    with warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning), Meanwhile() as meanwhile:
        before = resource.getrusage(resource.RUSAGE_SELF)
        begun = time.perf_counter()
        made = list(net.run(given, case.boxes, runtime=runtime, workers=point.workers, concurrency=calls))
        seconds = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_SELF)
    with warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning):
        problem = case.problem(point.size, made)
    box_calls = case.calls(point.size) if case.calls else None
    taken = {
        "seconds": seconds,
        "calls_per_second": box_calls / seconds if box_calls else None,
        **account([_spent(before, after)], [1.0], len(given), meanwhile, (distance, None)),
    }
    return {
        **point._asdict(),
        "repeat": repeat,
        **(taken if problem is None else dict.fromkeys(taken)),
        "problem": problem,
        "verified": problem is None,
        "core_round_trip_ns": distance,
        "blas_threads": blas_threads,
        "unpinned": [],
    }


def _spent(before: resource.struct_rusage, after: resource.struct_rusage) -> Account:
    """What the process took: its threads come and go, so that they are not told apart."""
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(cpu * 1e9), after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw
