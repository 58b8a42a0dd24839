"""The published designs of paper 002 count every item once, with yields injected between the steps; what they answer
meanwhile holds, too."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from sanitized import size
from streambench.pyx.machine.yield_points import inject

from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.pyx.topk.designs import design_named
from tests.item_streams import STREAMS, check, exact

MERGING = ("independent", "hybrid")  # what one part has not met may be in its floor: counts sum up to more
PARALLEL = ["independent", "shared", "shared-blocking", "hybrid", "hashed", "cooperative"]
MOST_RUNS = 40  # whoever looks has all of them to count
ITEMS = size(5_000, 2_000)
LOSSY = "cooperative-lossy"  # holds more items than 1 / epsilon


def counted(design: str, stream: str, counters: int, threads: int, chance: int, **options: Any) -> Any:
    """A summary of a stream, dealt to threads, with yields at one of ``chance`` places: checked."""
    streams = [part.copy() for part in np.array_split(STREAMS[stream](ITEMS), threads)]
    summary: Any = design_named(design)(counters, threads, **options)
    inject(chance, threads)
    StreamCrew(summary, streams).run()
    inject(0)
    check(summary.snapshot(), exact(*streams), 1 / counters, most=None if design == LOSSY else counters)
    assert summary.snapshot()[4] == ITEMS
    return summary


@pytest.mark.parametrize(("counters", "threads", "chance"), [(1, 8, 20), (100, 2, 3), (100, 8, 20), (7, 32, 20)])
@pytest.mark.parametrize("stream", ["zipf 0.5", "zipf 1.5", "round robin", "bursts"])
@pytest.mark.parametrize("design", PARALLEL)
def test_no_request_is_lost(design: str, stream: str, counters: int, threads: int, chance: int) -> None:
    """Fulfillment Guarantee (4.1): after the last update nothing is in flight, and the counts sum up to all items."""
    summary = counted(design, stream, counters, threads, chance)
    if design not in (*MERGING, "hashed"):  # which gives a part of its rows
        assert summary.snapshot()[1].sum() == ITEMS


def test_auto_tuned_threads_sleep_and_lose_nothing() -> None:
    summary = counted("cooperative", "uniform", 10, 4, 3, rho=1)
    assert summary.snapshot()[1].sum() == ITEMS
    assert summary.statistics()["throttled"] > 0


@pytest.mark.parametrize(("counters", "threads", "chance"), [(1, 8, 20), (7, 32, 20), (100, 2, 20)])
@pytest.mark.parametrize("stream", ["zipf 0.5", "round robin", "bursts"])
def test_rounds_end_once_each_and_drop_what_is_infrequent_only(
    stream: str, counters: int, threads: int, chance: int
) -> None:
    summary = counted(LOSSY, stream, counters, threads, chance)
    items, counts, errors, floor, n, _ = summary.snapshot()
    assert floor == n // counters >= errors.max(initial=0)
    assert (counts > floor).all()
    assert len(items) <= counters * (math.log(n / counters) + 2)


@pytest.mark.parametrize(("threads", "chance"), [(2, 3), (8, 20), (32, 20)])
@pytest.mark.parametrize("stream", ["zipf 0.5", "zipf 1.5", "round robin", "bursts"])
def test_until_a_round_has_ended_nothing_is_dropped(stream: str, threads: int, chance: int) -> None:
    """As Fulfillment Guarantee 4.1 has it of the other cooperative design: the counts sum up to all items."""
    _, counts, errors, floor, _, _ = counted(LOSSY, stream, 6_000, threads, chance).snapshot()
    assert (counts.sum(), errors.max(), floor) == (ITEMS, 0, 0)


@pytest.mark.parametrize("design", [*PARALLEL, LOSSY])
def test_a_snapshot_holds_while_threads_count(design: str) -> None:
    streams = [part.copy() for part in np.array_split(STREAMS["zipf 1.0"](20_000), 4)]
    summary: Any = design_named(design)(50, 4)
    crews = [StreamCrew(summary, streams)]
    enough = threading.Event()

    def count() -> None:  # again and again, until there have been looks; on a busy machine these come late
        while not enough.is_set() and len(crews) < MOST_RUNS:
            crews[-1].run()
            crews.append(StreamCrew(summary, streams))

    def so_far(ahead: int) -> dict[int, int]:
        """What the threads say that they have counted, and so many more."""
        counted = [crew.counted for crew in list(crews)]
        return exact(*(stream[: n + ahead] for each in counted for stream, n in zip(streams, each, strict=True)))

    inject(200, 1)
    running = threading.Thread(target=count)
    running.start()
    try:
        for _ in range(6):
            before = so_far(0)
            items, counts, errors, floor, n, in_flight = summary.snapshot()
            # A thread says that it has counted a piece once the update has returned; one more may be under way.
            after = so_far(1024)
            assert sum(before.values()) - in_flight <= n <= sum(after.values())
            rows = dict(zip(items.tolist(), zip(counts.tolist(), errors.tolist(), strict=True), strict=True))
            assert all(count - error <= after.get(item, 0) for item, (count, error) in rows.items())
            assert all(often <= rows.get(item, (floor, 0))[0] + in_flight for item, often in before.items())
    finally:
        enough.set()
        running.join()
        inject(0)
    check(summary.snapshot(), so_far(0), 1 / 50, most=None if design == LOSSY else 50)


@pytest.mark.parametrize(("design", "most"), [("cooperative", 10), (LOSSY, None)])
def test_cooperation_takes_no_more_memory_however_long_it_runs(design: str, most: int | None) -> None:
    """One thread after the other: so it is certain how many elements are in use at a time."""
    summary: Any = design_named(design)(10, 2)
    fresh = summary.nbytes
    streams = [STREAMS["uniform"](100_000), STREAMS["round robin"](100_000)]
    for thread, stream in enumerate(streams):
        summary.add(stream, thread)
    assert summary.nbytes - fresh < 100_000  # half a byte for each item
    StreamCrew(summary, streams).run()
    check(summary.snapshot(), exact(*streams, *streams), 1 / 10, most=most)
