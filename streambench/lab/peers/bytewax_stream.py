"""Bytewax: a dataflow of Python functions over the tuples of the stream, keyed state in Python objects."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import pyarrow as pa

from streambench.lab.data import loader, lookup
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Peer, PeerJob, Ran, Run, lacks
from streambench.queries import query as queries

BATCH = 4096  # tuples that the source gives at a time
ALL = "all"  # the key of what is counted over all keys
HOUR = 3_600

Tuples = list[tuple[int, ...]]
Keyed = tuple[str, Any]
Parameters = Mapping[str, Any]
Held = tuple[Callable[[list[Any]], Iterable[Any]], Callable[[], Iterable[Any]]]
"""What one key holds, as two functions: what comes out for some values, in order, and at the end of the stream."""


def _nothing() -> Iterable[Any]:
    return ()


def _ticket_pairs(parameters: Parameters) -> Held:
    """Q1: the items of a ticket, which with each new one make pairs (hour, a, b)."""
    items: list[int] = []

    def take(values: list[Any]) -> Iterator[Any]:
        for ts, item in values:
            if item not in items:
                yield from ((ts // HOUR, min(item, other), max(item, other)) for other in items)
                items.append(item)

    return take, _nothing


def _session_pairs(parameters: Parameters) -> Held:
    """Q2: the items of a user's session, which are paired (a, b) when it is over."""
    gap, last, items = parameters["gap"], 0, set[int]()

    def take(values: list[Any]) -> Iterator[Any]:
        nonlocal last
        for ts, item in values:
            if ts - last > gap:
                yield from flush()
                items.clear()
            last = ts
            items.add(item)

    def flush() -> Iterable[Any]:
        return combinations(sorted(items), 2)

    return take, flush


def _recent_views(parameters: Parameters) -> Held:
    """Q3: a user's last clicks, of which a purchase makes pairs (purchased, viewed)."""
    window, clicks = parameters["window"], deque[tuple[int, int]](maxlen=parameters["depth"])

    def take(values: list[Any]) -> Iterator[Any]:
        for ts, item, sales in values:
            if sales >= 0:
                yield from ((item, viewed) for then, viewed in clicks if then >= ts - window)
            clicks.append((ts, item))

    return take, _nothing


def _cart_sessions(parameters: Parameters) -> Held:
    """Q4: a user's session: its pages, which come out if it is abandoned, and when the last dynamic and the last order
    page were seen.
    """
    gap, last = parameters["gap"], 0
    pages, dynamic, order = 0, -1, -1

    def take(values: list[Any]) -> Iterator[Any]:
        nonlocal last, pages, dynamic, order
        for ts, kind in values:
            if ts - last > gap:
                yield from flush()
                pages, dynamic, order = 0, -1, -1
            last = ts
            pages += 1
            if kind == lookup.DYNAMIC_PAGE:
                dynamic = ts
            elif kind == lookup.ORDER_PAGE:
                order = ts

    def flush() -> Iterable[Any]:
        return (pages,) if dynamic > order else ()

    return take, flush


def _sales_line(parameters: Parameters) -> Held:
    """Q15: a category's sales by day; at the end its least-squares line, unless it rises; exact but for quotients."""
    days: defaultdict[int, int] = defaultdict(int)
    categories: set[int] = set()

    def take(values: list[Any]) -> Iterable[Any]:
        for category, day, cents in values:
            categories.add(category)
            days[day] += cents
        return ()

    def flush() -> Iterator[Any]:
        sales, n = days.items(), len(days)
        sx, sy = sum(x for x, _ in sales), sum(y for _, y in sales)
        sxy, sxx = sum(x * y for x, y in sales), sum(x * x for x, _ in sales)
        rise, base, spread = n * sxy - sx * sy, sy * sxx - sx * sxy, n * sxx - sx * sx
        if n >= 2 and rise <= 0:
            yield from ((category, rise / spread / 100, base / spread / 100) for category in categories)

    return take, flush


def _counts(top: int, group: int) -> Held:
    """Of all keys together: how often each pair came; at the end the top ones of each value of the first columns."""
    counts: Counter[tuple[int, ...]] = Counter()

    def take(values: list[Any]) -> Iterable[Any]:
        counts.update(values)
        return ()

    def flush() -> Iterator[Any]:
        groups: defaultdict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
        for pair, n in counts.items():
            groups[pair[:group]].append((-n, *pair))
        for each in groups.values():
            yield from ((*pair, -less) for less, *pair in heapq.nsmallest(top, each))

    return take, flush


def _totals() -> Held:
    """Q4: pages and sessions of all users."""
    pages: list[int] = []

    def take(values: list[Any]) -> Iterable[Any]:
        pages.extend(values)
        return ()

    return take, lambda: [(sum(pages), len(pages), sum(pages) / len(pages) if pages else None)]


HELD: dict[str, Callable[[Parameters], Held]] = {
    "q1": _ticket_pairs,
    "q2": _session_pairs,
    "q3": _recent_views,
    "q4": _cart_sessions,
    "q15": _sales_line,
}
OVER_ALL: dict[str, Callable[[Parameters], Held]] = {
    "q1": lambda parameters: _counts(parameters["top"], 1),
    "q2": lambda parameters: _counts(parameters["top"], 0),
    "q3": lambda parameters: _counts(parameters["top"], 1),
    "q4": lambda parameters: _totals(),
}


def _keys(query: str, data: Catalog) -> Callable[[Tuples], Iterator[Keyed]]:
    """What takes tuples of the stream's columns to (key, value), without those that the query drops."""
    if query == "q1":
        return lambda rows: ((str(ticket), (ts, item)) for ts, ticket, item in rows)
    if query == "q2":
        return lambda rows: ((str(user), (ts, item)) for ts, user, item in rows if user >= 0 and item >= 0)
    if query == "q3":
        return lambda rows: (
            (str(user), (ts, item, sales)) for ts, user, item, sales in rows if user >= 0 and item >= 0
        )
    if query == "q4":
        kinds = dict(enumerate(lookup.page_types(data).tolist()))
        return lambda rows: (
            (str(user), (ts, kind))
            for ts, user, sales, page in rows
            if user >= 0 and sales < 0 and (kind := kinds.get(page, lookup.UNKNOWN)) != lookup.UNKNOWN
        )
    categories = dict(enumerate(lookup.categories(data).tolist()))
    return lambda rows: (
        (str(category), (category, day, cents))
        for day, item, cents in rows
        if (category := categories.get(item, lookup.UNKNOWN)) != lookup.UNKNOWN
    )


def prepare(job: PeerJob) -> Run:
    """The stream's columns in memory, as ours has them."""
    from bytewax import operators as op
    from bytewax.dataflow import Dataflow
    from bytewax.inputs import DynamicSource, StatelessSourcePartition
    from bytewax.testing import TestingSink, run_main

    data = Catalog.open(job.data)
    query = queries.find(job.query)
    parameters = query.parameters[columns.PARAMETERS]
    stream = loader.load(data, query.table, query.columns(parameters))
    keys = _keys(job.query, data)

    class Rows(StatelessSourcePartition):  # type: ignore[misc]  # mypy does not see Bytewax
        def __init__(self) -> None:
            self._begin = 0

        def next_batch(self) -> Tuples:
            if self._begin >= stream.rows:
                raise StopIteration
            batch = [each[self._begin : self._begin + BATCH].tolist() for each in stream.columns]
            self._begin += BATCH
            return list(zip(*batch, strict=True))

    class Stream(DynamicSource):  # type: ignore[misc]
        def build(self, step_id: str, worker_index: int, worker_count: int) -> Rows:
            return Rows()

    class Logic(op.StatefulBatchLogic):  # type: ignore[misc]
        def __init__(self, held: Held) -> None:
            self._take, self._flush = held

        def on_batch(self, values: list[Any]) -> tuple[Iterable[Any], bool]:
            return list(self._take(values)), self.RETAIN

        def on_eof(self) -> tuple[Iterable[Any], bool]:
            return list(self._flush()), self.DISCARD

        def snapshot(self) -> None:
            """There is no recovery."""

    def run() -> Ran:
        rows: list[Keyed] = []
        flow = Dataflow(job.query)
        keyed = op.flat_map_batch("keys", op.input("stream", flow, Stream()), keys)
        out = op.stateful_batch("by_key", keyed, lambda resumed: Logic(HELD[job.query](parameters)))
        if job.query in OVER_ALL:
            whole = op.flat_map_batch("all", out, lambda pairs: ((ALL, value) for _, value in pairs))
            out = op.stateful_batch("over_all", whole, lambda resumed: Logic(OVER_ALL[job.query](parameters)))
        op.output("answer", out, TestingSink(rows))
        run_main(flow)
        totals = [row for _, row in rows] or [(0, 0, None)] * (job.query == "q4")  # no click, no state
        schema = columns.answer_schema(query.answer_columns)
        return Ran(pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in totals], schema))

    return run


PEER = Peer(
    name="bytewax",
    package="bytewax",
    streams=True,
    order="per key",
    guarantees="each key's tuples come to it in order; none between keys",
    configure=lambda job: (
        f"1 worker, as its functions are Python's and would share one lock, batches of {BATCH} tuples from memory"
    ),
    prepare=prepare,
    missing=lambda: lacks("bytewax"),
    parallel=False,
)
