"""Q2's pairs of a large session go on in pieces: the sequence stays, and no piece is too large."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import numpy as np
import pytest
from everywhere import EVERYWHERE
from streambench.queries.q2.operators import SessionPairs, Sessions

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.pyx.tuples.unit import FAR_PIECE, NEAR_PIECE

GAP = 100
LARGEST = 900  # items of a session: 404,550 pairs, more than six of the largest pieces
Click = tuple[int, int, int]  # ts, user, item


def clicks() -> list[Click]:
    """Users' sessions, small and large, which end with a gap, amid others' clicks, or with the stream."""
    made: list[Click] = []
    for round_, sizes in enumerate([(1, 3, 200, 2), (400, 1, 2, 5), (2, LARGEST, 0, 182), (0, 2, 7, 1)]):
        for step in range(max(sizes)):
            for user, size in enumerate(sizes):
                if step < size:
                    made.append((round_ * 10_000 + step // 10, user, (step * 7919 + user) % 1009))
    return made


def pairs_of(sessions: Iterable[set[int]]) -> list[np.ndarray]:
    found = []
    for session in sessions:
        items = np.array(sorted(session))
        first, second = np.triu_indices(len(items), 1)
        found.append(np.stack([items[first], items[second]]))
    return list(np.concatenate(found, axis=1))


def naive_sessions(stream: list[Click]) -> list[set[int]]:
    """As they are closed, and those that are left by user."""
    opened: dict[int, tuple[int, set[int]]] = {}
    closed = []
    for ts, user, item in stream:
        last, items = opened.get(user, (ts, set()))
        if ts - last > GAP:
            closed.append(items)
            items = set()
        opened[user] = (ts, items | {item})
    return closed + [items for _, (_, items) in sorted(opened.items())]


@pytest.mark.parametrize("where", EVERYWHERE)
def test_a_large_session_goes_on_in_pieces(probes: SimpleNamespace, where: str) -> None:
    stream = clicks()
    wanted = pairs_of(naive_sessions(stream))
    columns = [np.array(each, dtype=np.int64) for each in zip(*stream, strict=True)]
    most = (NEAR_PIECE if where in ("serial", "whole") else FAR_PIECE) + LARGEST
    for unit, workers in ((1, 1), (64, 2), (1024, 3)):
        sessions, peak = Sessions(GAP), probes.Passing("item_a", "int32")
        sessions.low_key, sessions.high_key = 0, 4
        source = TableSource(columns, ["ts", "wcs_user_sk", "wcs_item_sk"])
        pipeline = Pipeline([source, sessions, SessionPairs(), peak, TableSink(keep=True)])
        execute(pipeline, Options(unit=unit, workers=workers, pin=False, **EVERYWHERE[where]))
        assert all(np.array_equal(got, each) for got, each in zip(pipeline.sink.rows(), wanted, strict=True))
        assert NEAR_PIECE <= peak.most < most
