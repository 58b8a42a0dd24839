"""Small joins to draw, and how the tests of joins in pipelines run one: both engines' plans, and the schemes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from naive_join import Stream

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.plans import NAMED
from streambench.pyx.table_sink import TableSink

RULES = ("exact", "three-step", "count")
ENGINES: list[dict[str, Any]] = [
    {"engine": "serial"},
    *({"engine": "ordered", "workers": workers, "plan": plan} for workers, plan in enumerate(NAMED, start=1)),
    {"engine": "schemes", "workers": 3},
]


def through(source: Any, **options: Any) -> TableSink:
    """The sink that a run of the source alone has filled."""
    pipeline = Pipeline([source, TableSink()])
    execute(pipeline, Options(**{"pin": False, "engine": "serial", **options}))
    sink: TableSink = pipeline.sink
    return sink


@st.composite
def problems(draw: st.DrawFn) -> tuple[Stream, Stream, list[int | None], int, str]:
    """Left and right, the key's width, None for equality, the window and its rule. Ties are everywhere."""
    sides = []
    for _ in range(2):
        n = draw(st.integers(0, 40))
        ts = np.sort(np.array(draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)), np.int64))
        keys = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int64)
        sides.append(Stream(ts, (keys,)))
    width = draw(st.sampled_from([None, 0, 1]))
    return sides[0], sides[1], [width], draw(st.integers(0, 12)), draw(st.sampled_from(RULES))
