"""Q3 as a stream: the last clicks by user, and the counts of views before purchases that each run adds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streambench.queries.common.top_of_each import top_of_each
from streambench.queries.q3.pipeline import QUERY
from streambench.queries.query import Parameters
from streambench.queries.stream_query import State, StreamQuery, integers, summed

PAIR = ("purchased", "viewed", "n")


def _answer(added: pa.Table, parameters: Parameters) -> pa.Table:
    purchased, viewed, n = summed(added, PAIR)
    return pa.table(dict(zip(PAIR, top_of_each(purchased, viewed, n, parameters["top"]), strict=True)))


def _over(state: State, frontier: int, parameters: Parameters) -> np.typing.NDArray[np.bool_]:
    """Rings whose youngest click is too old for every purchase to come."""
    youngest = np.max([state[f"ts_{place}"] for place in range(parameters["depth"])], axis=0)
    return np.asarray(youngest < frontier - parameters["window"])


STREAM = StreamQuery(
    QUERY,
    key="wcs_user_sk",
    keyed=1,
    used=3,
    schema=integers(*PAIR),
    added=lambda operators, emitted: dict(zip(PAIR, operators[2].totals(), strict=True)),
    answer=_answer,
    split=PAIR[:1],
    over=_over,
)
