"""Bytewax: a dataflow of Python functions over the tuples of the stream, keyed state in Python objects."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from streambench.lab.data import lookup
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Asked, Peer, Ran, Run, lacks
from streambench.queries import query as queries

BATCH = 4096  # tuples that the source gives at a time
ALL = "all"  # the key of what is counted over all keys
DAY, HOUR = 86_400, 3_600

Tuples = list[tuple[int, ...]]
Keyed = tuple[str, Any]


class Held:
    """What one key holds. ``take``: the outputs of some values, in order; ``flush``: those at the end of the stream."""

    def take(self, values: list[Any]) -> Iterable[Any]:
        """Nothing, unless said otherwise."""
        return ()

    def flush(self) -> Iterable[Any]:
        """Nothing, unless said otherwise."""
        return ()


class TicketPairs(Held):
    """Q1: the items of a ticket, which with each new one make pairs."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._items: list[int] = []

    def take(self, values: list[Any]) -> Iterator[Any]:
        """Pairs of (hour, a, b)."""
        for ts, item in values:
            if item not in self._items:
                for other in self._items:
                    yield ts // HOUR, min(item, other), max(item, other)
                self._items.append(item)


class SessionPairs(Held):
    """Q2: the items of a user's session, which are paired when it is over."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._gap, self._last = given["gap"], 0
        self._items: set[int] = set()

    def take(self, values: list[Any]) -> Iterator[Any]:
        """Pairs of (a, b)."""
        for ts, item in values:
            if ts - self._last > self._gap:
                yield from self.flush()
                self._items.clear()
            self._last = ts
            self._items.add(item)

    def flush(self) -> Iterator[Any]:
        """Those of the open session."""
        yield from combinations(sorted(self._items), 2)


class RecentViews(Held):
    """Q3: a user's last clicks."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._window = given["window"]
        self._clicks: deque[tuple[int, int]] = deque(maxlen=given["depth"])

    def take(self, values: list[Any]) -> Iterator[Any]:
        """Pairs of (purchased, viewed)."""
        for ts, item, sales in values:
            if sales >= 0:
                yield from ((item, viewed) for then, viewed in self._clicks if then >= ts - self._window)
            self._clicks.append((ts, item))


class CartSessions(Held):
    """Q4: a user's session: its pages, and when the last dynamic and the last order page were seen."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._gap, self._last = given["gap"], 0
        self._pages, self._dynamic, self._order = 0, -1, -1

    def take(self, values: list[Any]) -> Iterator[Any]:
        """The pages of each abandoned session."""
        for ts, kind in values:
            if ts - self._last > self._gap:
                yield from self.flush()
                self._pages, self._dynamic, self._order = 0, -1, -1
            self._last = ts
            self._pages += 1
            if kind == lookup.DYNAMIC_PAGE:
                self._dynamic = ts
            elif kind == lookup.ORDER_PAGE:
                self._order = ts

    def flush(self) -> Iterator[Any]:
        """Those of the open one."""
        if self._dynamic > self._order:
            yield self._pages


class SalesLine(Held):
    """Q15: a category's sales by day."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._days: defaultdict[int, int] = defaultdict(int)

    def take(self, values: list[Any]) -> Iterable[Any]:
        """Nothing before the end."""
        for category, day, cents in values:
            self._category = category
            self._days[day] += cents
        return ()

    def flush(self) -> Iterator[Any]:
        """The least-squares line, unless it rises; exact but for the two quotients."""
        days, n = self._days.items(), len(self._days)
        sx, sy = sum(x for x, _ in days), sum(y for _, y in days)
        sxy, sxx = sum(x * y for x, y in days), sum(x * x for x, _ in days)
        rise, base, spread = n * sxy - sx * sy, sy * sxx - sx * sxy, n * sxx - sx * sx
        if n >= 2 and rise <= 0:
            yield self._category, rise / spread / 100, base / spread / 100


class Counts(Held):
    """Of all keys together: how often each pair came; at the end the top ones, by group."""

    def __init__(self, top: int, group: int) -> None:
        self._top, self._group = top, group
        self._counts: Counter[tuple[int, ...]] = Counter()

    def take(self, values: list[Any]) -> Iterable[Any]:
        """Nothing before the end."""
        self._counts.update(values)
        return ()

    def flush(self) -> Iterator[Any]:
        """Of each value of the first ``group`` columns the top rows."""
        groups: defaultdict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
        for pair, n in self._counts.items():
            groups[pair[: self._group]].append((-n, *pair))
        for each in groups.values():
            yield from ((*pair, -less) for less, *pair in heapq.nsmallest(self._top, each))


class Totals(Held):
    """Q4: pages and sessions of all users."""

    def __init__(self) -> None:
        self._pages = self._sessions = 0

    def take(self, values: list[Any]) -> Iterable[Any]:
        """Nothing before the end."""
        self._pages += sum(values)
        self._sessions += len(values)
        return ()

    def flush(self) -> Iterator[Any]:
        """One row."""
        yield self._pages, self._sessions, self._pages / self._sessions if self._sessions else None


HELD: dict[str, Callable[[Mapping[str, Any]], Held]] = {
    "q1": TicketPairs,
    "q2": SessionPairs,
    "q3": RecentViews,
    "q4": CartSessions,
    "q15": SalesLine,
}
OVER_ALL: dict[str, Callable[[Mapping[str, Any]], Held]] = {
    "q1": lambda given: Counts(given["top"], 1),
    "q2": lambda given: Counts(given["top"], 0),
    "q3": lambda given: Counts(given["top"], 1),
    "q4": lambda given: Totals(),
}


def _keys(query: str, data: Catalog) -> Callable[[Tuples], Iterator[Keyed]]:
    """What takes tuples of the stream's columns to (key, value), without those that the query drops."""
    if query == "q1":
        return lambda rows: ((str(ticket), (date * DAY + time, item)) for date, time, ticket, item in rows)
    if query == "q2":
        return lambda rows: (
            (str(user), (date * DAY + time, item)) for date, time, user, item in rows if user >= 0 and item >= 0
        )
    if query == "q3":
        return lambda rows: (
            (str(user), (date * DAY + time, item, sales))
            for date, time, user, item, sales in rows
            if user >= 0 and item >= 0
        )
    if query == "q4":
        kinds = dict(enumerate(lookup.page_types(data).tolist()))
        return lambda rows: (
            (str(user), (date * DAY + time, kind))
            for date, time, user, sales, page in rows
            if user >= 0 and sales < 0 and (kind := kinds.get(page, lookup.UNKNOWN)) != lookup.UNKNOWN
        )
    categories = dict(enumerate(lookup.categories(data).tolist()))
    return lambda rows: (
        (str(category), (category, day, cents))
        for day, item, cents in rows
        if (category := categories.get(item, lookup.UNKNOWN)) != lookup.UNKNOWN
    )


def prepare(asked: Asked) -> Run:
    """The stream's columns in memory as integers, nulls as -1 and money in cents."""
    from bytewax import operators as op
    from bytewax.dataflow import Dataflow
    from bytewax.inputs import DynamicSource, StatelessSourcePartition
    from bytewax.testing import TestingSink, run_main

    data = Catalog.open(asked.data)
    query = queries.find(asked.query)
    given = query.parameters[columns.PARAMETERS]
    files, read = next(iter(columns.tables(data, asked.query).values()))
    table = pa.concat_tables([pq.read_table(file, columns=list(read)) for file in files.files])
    arrays = [_integers(column) for column in table.columns]
    keys = _keys(asked.query, data)

    class Rows(StatelessSourcePartition):  # type: ignore[misc]  # mypy does not see Bytewax
        def __init__(self) -> None:
            self._begin = 0

        def next_batch(self) -> Tuples:
            if self._begin >= table.num_rows:
                raise StopIteration
            batch = [each[self._begin : self._begin + BATCH].tolist() for each in arrays]
            self._begin += BATCH
            return list(zip(*batch, strict=True))

    class Stream(DynamicSource):  # type: ignore[misc]
        def build(self, step_id: str, worker_index: int, worker_count: int) -> Rows:
            return Rows()

    class Logic(op.StatefulBatchLogic):  # type: ignore[misc]
        def __init__(self, held: Held) -> None:
            self._held = held

        def on_batch(self, values: list[Any]) -> tuple[Iterable[Any], bool]:
            return list(self._held.take(values)), self.RETAIN

        def on_eof(self) -> tuple[Iterable[Any], bool]:
            return list(self._held.flush()), self.DISCARD

        def snapshot(self) -> None:
            """There is no recovery."""

    def run() -> Ran:
        rows: list[Keyed] = []
        flow = Dataflow(asked.query)
        keyed = op.flat_map_batch("keys", op.input("stream", flow, Stream()), keys)
        out = op.stateful_batch("by_key", keyed, lambda resumed: Logic(HELD[asked.query](given)))
        if asked.query in OVER_ALL:
            whole = op.flat_map_batch("all", out, lambda pairs: ((ALL, value) for _, value in pairs))
            out = op.stateful_batch("over_all", whole, lambda resumed: Logic(OVER_ALL[asked.query](given)))
        op.output("answer", out, TestingSink(rows))
        run_main(flow)
        found = [row for _, row in rows] or [(0, 0, None)] * (asked.query == "q4")  # no click, no state
        names = query.answer_columns
        types = [pa.float64() if name in ("slope", "intercept", "pages_per_session") else pa.int64() for name in names]
        cells = zip(*found, strict=True) if found else ([] for _ in names)
        arrays = [pa.array(list(column), kind) for column, kind in zip(cells, types, strict=True)]
        return Ran(pa.table(dict(zip(names, arrays, strict=True))))

    return run


def _integers(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64]
    if pa.types.is_integer(column.type):
        found = np.asarray(column.fill_null(-1).to_numpy(), dtype=np.int64)
    else:
        found = np.round(column.cast(pa.float64()).to_numpy() * 100).astype(np.int64)
    return found


PEER = Peer(
    name="bytewax",
    package="bytewax",
    streams=True,
    order="per key",
    guarantees="each key's tuples come to it in order; none between keys",
    configure=lambda asked: (
        f"1 worker, as its functions are Python's and would share one lock, batches of {BATCH} tuples from memory"
    ),
    prepare=prepare,
    missing=lambda: lacks("bytewax"),
    parallel=False,
)
