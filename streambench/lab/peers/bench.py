"""`streambench bench peers`: query by query, each peer in its own process, interleaved and repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.named import require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.peers.columns import QUERIES
from streambench.lab.peers.contender import Start
from streambench.lab.peers.peer import Peer
from streambench.lab.peers.process import PeerProcess
from streambench.lab.peers.side_by_side import SideBySide
from streambench.lab.record.journal import Record
from streambench.lab.record.peers_summary import KIND


@dataclass(frozen=True)
class PeersBench(Bench):
    """``peers`` over ``queries``; ``workers``: threads of each peer that can use several.

    ``min_seconds``: about what the fastest of those that replay the stream takes for a run. Raises OptionError for
    what nobody could measure.
    """

    kind = KIND

    peers: Sequence[Peer] = ()
    queries: Sequence[str] = QUERIES
    repeats: int = 7
    workers: int = 1
    min_seconds: float = 1.0

    def __post_init__(self) -> None:
        for name in self.queries:
            if name not in QUERIES:
                raise OptionError(f"peers have no query {name!r}: choose from {', '.join(QUERIES)}.")
        require_once("query", self.queries)
        require_repeats(self.repeats)
        Options(workers=self.workers)
        if not (math.isfinite(self.min_seconds) and 0 < self.min_seconds <= 3600):
            raise OptionError(f"`min_seconds` must be more than 0 and at most 3600, not {self.min_seconds}.")

    @property
    def start(self) -> Start:
        """How a peer is started."""
        return PeerProcess

    @property
    def total(self) -> int:
        """Runs, if every peer answers rightly."""
        return len(self.queries) * len(self.peers) * self.repeats

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """What a result file says of it."""
        return {
            "queries": list(self.queries),
            "repeats": self.repeats,
            "workers": self.workers,
            "min_seconds": self.min_seconds,
            "peers": [peer.name for peer in self.peers],
        }

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: of a peer its name and version."""
        return {**super().plain(), "peers": [[peer.name, peer.version] for peer in self.peers]}

    def runs(self, call: BenchCall) -> list[Record]:
        """A peer that fails or answers wrongly has records that say so, without numbers."""
        assert call.data.catalog is not None, "queries have data"
        runs: list[Record] = []
        for number, query in enumerate(self.queries):
            with SideBySide(query, call.data.catalog, self, call) as side:
                runs += side.runs(
                    lambda what, part, query=query, number=number: call.tell(  # type: ignore[misc]
                        f"{query}: {what}", (number + part) / len(self.queries)
                    )
                )
        return runs
