"""All runs of `streambench bench peers`: query by query, each peer in its own process, interleaved and repeated."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import Any

from streambench.lab.measure import kept_records
from streambench.lab.measure.kept_records import KeptRecords
from streambench.lab.peers.contender import Start
from streambench.lab.peers.process import PeerProcess
from streambench.lab.peers.settings import Settings
from streambench.lab.peers.side_by_side import SideBySide
from streambench.lab.record.journal import Journal, Memory, Record
from streambench.lab.record.peers_summary import KIND

Report = Callable[[str, int, float | None], None]
"""Called with what is being done, how many runs are done, and the seconds left, None while nobody knows."""


def measure(
    settings: Settings,
    report: Report = lambda what, done, left: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    start: Start = PeerProcess,
) -> dict[str, Any]:
    """Measure and return a result document (see ``streambench.lab.record.results``).

    ``journal``: what is measured goes there at once, and what is there already is not measured again. ``call``: the
    record with which this call begins; left out, the machine is looked at now. Raises DataError for data that does not
    fit. A peer that fails or answers wrongly has records that say so, without numbers.
    """

    def runs(kept: KeptRecords) -> list[Record]:
        whole: list[float] = []  # of each query that was measured in this call
        return [
            run
            for number in range(len(settings.queries))
            for run in _query(settings, number, kept, report, start, whole)
        ]

    return kept_records.measured(KIND, settings, runs, journal, call)


def _query(
    settings: Settings, number: int, kept: KeptRecords, report: Report, start: Start, whole: list[float]
) -> list[Record]:
    """The runs of one query. What the queries before took stands for those to come."""
    query, after = settings.queries[number], len(settings.queries) - number - 1
    before = number * len(settings.peers) * settings.repeats
    with SideBySide(query, settings, kept, start) as side:

        def tell(what: str, done: int) -> None:
            left = None
            if side.ready:
                left = side.seconds_left(done) + after * mean([*whole, side.whole_seconds()])
            elif whole:
                left = (1 + after) * mean(whole)
            report(f"{query}: {what}", before + done, left)

        found = side.runs(tell)
        if side.ready:
            whole.append(side.whole_seconds())
    return found
