"""Q1 over heavy baskets made in memory: the tickets of datagen's profile `heavy`, without a data directory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Barrier
from typing import Any

import numpy as np

from streambench.datagen import baskets
from streambench.errors import StreambenchError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf.micro_pipeline import pinned
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.queries.common.top_counted import top_counted
from streambench.queries.q1.dealt_pairs import DealtPairs
from streambench.queries.q1.operators import KeepLines, TicketPairs

SEED, ITEMS = 1, 10_000
POPULAR, SPREAD = 0.4, 60.0  # this share of the items is normal around the middle
TICKETS_AN_HOUR = 125  # as at scale factor 1
TOP = 100
NAMES = ["ts", "ss_ticket_number", "ss_item_sk"]

Columns = list[Any]
"""Those called ``NAMES``."""


class BasketStream:
    """Tickets with about ``lines`` lines in all, the same for the same number."""

    def __init__(self, lines: int) -> None:
        random = np.random.default_rng(SEED)
        shares = baskets.tail().shares
        tickets = max(1, round(lines / baskets.tail().mean))
        lengths = random.choice(len(shares), tickets, p=shares)
        items = np.concatenate([_items(random, length) for length in lengths])
        tickets_of = np.repeat(np.arange(tickets), lengths)
        times = tickets_of * 3600 // TICKETS_AN_HOUR
        self._columns = [times.astype(np.uint32), tickets_of.astype(np.int32), items.astype(np.int32)]

    @property
    def tuples(self) -> int:
        """The lines."""
        return len(self._columns[0])

    def run(self, **how: Any) -> Callable[[], float]:
        """What measures ns per line with these options. Raises StreambenchError for a wrong output sequence."""
        options = Options(**how)

        def measure() -> float:
            measured, digest = self._executed(options)
            if digest != self._digest:
                raise StreambenchError("baskets: the output sequence is not the serial engine's.")
            return float(measured.seconds) / self.tuples * 1e9

        return measure

    def halves(self) -> Callable[[], float]:
        """What measures, in ns per line, two serial runs at the same time, each on a core of its own, over the stream's
        two halves: all of the work, but for what is counted in the hour in the middle, and nothing that is shared but
        the machine. Raises StreambenchError for a wrong output sequence.
        """
        ready = Barrier(len(self._apart))

        def one(core: int) -> float:
            with pinned(core):
                ready.wait()
                measured, digest = _executed(self._apart[core], Options(engine="serial", pin=False))
            if digest != self._digests[core]:
                raise StreambenchError("baskets: the output sequence of a half is not what it was.")
            return float(measured.seconds)

        def measure() -> float:
            with ThreadPoolExecutor(len(self._apart)) as pool:
                return max(pool.map(one, range(len(self._apart)))) / self.tuples * 1e9

        return measure

    @cached_property
    def _apart(self) -> list[Columns]:
        """Two halves, of whole tickets."""
        tickets = self._columns[1]
        middle = int(np.searchsorted(tickets, tickets[self.tuples // 2]))
        return [[column[part] for column in self._columns] for part in (slice(middle), slice(middle, None))]

    @cached_property
    def _digest(self) -> Any:
        return _alone(self._columns)

    @cached_property
    def _digests(self) -> list[Any]:
        return [_alone(half) for half in self._apart]

    def _executed(self, options: Options) -> tuple[Any, Any]:
        return _executed(self._columns, options)


def _alone(columns: Columns) -> Any:
    """The digest of a serial run with units of another size."""
    return _executed(columns, Options(engine="serial", unit=64))[1]


def _executed(columns: Columns, options: Options) -> tuple[Any, Any]:
    counted = top_counted(("hour", "item_a", "item_b"), {"top": TOP}, ITEMS)
    source, sink = TableSource(columns, NAMES), TableSink()
    pipeline = Pipeline([source, KeepLines(), TicketPairs(True, dealt=DealtPairs), *counted, sink])
    return execute(pipeline, options), sink.digest


def _items(random: np.random.Generator, length: int) -> np.ndarray:
    """Of twice as many draws, and a few, the first ones that differ: what datagen does."""
    drawn = random.integers(0, ITEMS, 2 * length + 30)
    popular = np.clip(random.normal(ITEMS / 2, SPREAD, len(drawn)), 0, ITEMS - 1).astype(np.int64)
    drawn = np.where(random.random(len(drawn)) < POPULAR, popular, drawn)
    return np.sort(drawn[np.sort(np.unique(drawn, return_index=True)[1])[:length]])
