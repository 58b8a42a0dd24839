"""What is wanted of `streambench bench peers`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.measure.named import require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.peers.columns import QUERIES
from streambench.lab.peers.peer import Peer


@dataclass(frozen=True)
class Settings:
    """``peers`` over ``queries`` of ``data``; ``workers``: threads of each peer that can use several.

    ``min_seconds``: about what the fastest of those that replay the stream takes for a run. Raises OptionError for
    what nobody could measure.
    """

    data: Path
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

    def plain(self) -> dict[str, Any]:
        """What a result file says of it and of the data."""
        return {
            **describe(Catalog.open(self.data)),
            "queries": list(self.queries),
            "repeats": self.repeats,
            "workers": self.workers,
            "min_seconds": self.min_seconds,
            "peers": [peer.name for peer in self.peers],
        }
