"""All runs of `streambench peers`: query by query, each peer in its own process, interleaved and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.data import data_description
from streambench.data.catalog import Catalog
from streambench.errors import OptionError
from streambench.host.core_distance import round_trips
from streambench.measure.checked_run import interleaved
from streambench.measure.named import require_once
from streambench.peers.columns import STREAM
from streambench.peers.contender import Contender, Start
from streambench.peers.peer import Asked, Peer
from streambench.peers.process import PeerProcess
from streambench.peers.reference import Reference
from streambench.record import journaled_document
from streambench.record.journal import Record
from streambench.record.peers_summary import KIND

QUERIES = tuple(STREAM)

Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the whole that is done."""


@dataclass(frozen=True)
class Settings:
    """``workers``: threads of each peer that can use several. Raises OptionError for what nobody could measure."""

    data: Path
    queries: Sequence[str] = QUERIES
    repeats: int = 7
    workers: int = 1

    def __post_init__(self) -> None:
        for name in self.queries:
            if name not in QUERIES:
                raise OptionError(f"peers have no query {name!r}: choose from {', '.join(QUERIES)}.")
        require_once("query", self.queries)
        for name, value in (("repeats", self.repeats), ("workers", self.workers)):
            if value < 1:
                raise OptionError(f"{name} must be at least 1, not {value}.")

    def plain(self) -> dict[str, Any]:
        """What a result file says of it."""
        return {"queries": list(self.queries), "repeats": self.repeats, "workers": self.workers}


def measure(
    settings: Settings,
    peers: Sequence[Peer],
    report: Report = lambda what, fraction: None,
    *,
    call: Record | None = None,
    start: Start = PeerProcess,
) -> dict[str, Any]:
    """Measure and return a result document (see ``streambench.record.results``).

    ``call``: the record with which this call begins; left out, the machine is looked at now. Raises DataError for data
    that does not fit. A peer that fails or answers wrongly has records that say so, without numbers.
    """
    data = Catalog.open(settings.data)
    records = [call or journaled_document.begin()]
    runs: list[Record] = []
    for done, query in enumerate(settings.queries):
        report(f"{query}: SQL's answer", done / len(settings.queries))
        reference = Reference.of(query, data)
        contenders = [Contender(peer, Asked(query, settings.data, settings.workers), reference) for peer in peers]
        steps = len(peers) * (settings.repeats + 1)

        def tell(what: str, step: int, query: str = query, done: int = done, steps: int = steps) -> None:
            report(f"{query}: {what}", (done + step / steps) / len(settings.queries))

        runs += _side_by_side(contenders, settings.repeats, start, tell)
    records.append(journaled_document.end())
    told = {**data_description.describe(data), **settings.plain(), "peers": [peer.name for peer in peers]}
    return journaled_document.document(KIND, told, runs, records)


def _side_by_side(
    contenders: Sequence[Contender], repeats: int, start: Start, tell: Callable[[str, int], None]
) -> list[Record]:
    """The records of one query: all are started and warmed up, then those that were right run in turn."""
    runs: list[Record] = []
    with ExitStack() as stack:
        for step, each in enumerate(contenders):
            tell(f"{each.peer.name}, starting", step)
            stack.callback(each.end)
            each.begin(start)
        fit = [each for each in contenders if each.problem is None]
        runs += [each.record(0, each.problem) for each in contenders if each.problem is not None]
        begun, distance = -1, None
        for step, (repeat, place) in enumerate(interleaved(len(fit), repeats), start=len(contenders)):
            if repeat != begun:
                begun, distance = repeat, max(round_trips().values(), default=None)
            tell(f"{fit[place].peer.name}, repeat {repeat + 1} of {repeats}", step)
            if fit[place].problem is None:  # whose process has ended since runs no more
                runs.append(fit[place].run(repeat, distance))
    return runs
