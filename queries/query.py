"""What a query's folder offers to the harness, and how a query is found by its name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from streambench.queries.cut import Cut

PAPER_QUERIES = ("q1", "q2", "q3", "q4", "q15")
"""Those that paper 000 measures."""

Parameters = Mapping[str, Any]
"""One of a query's parameter sets, ``paper`` or ``kit``."""


@dataclass(frozen=True)
class Inputs:
    """What a pipeline may look up while it runs.

    ``facts``: of the stream (``tickets_ascend``). ``bound``: above every value of a stream column, for range
    partitioning. ``categories``, ``page_types``, ``campaigns``: give an int64 array by key, -1 for none.
    """

    facts: Mapping[str, bool]
    bound: Callable[[str], int]
    categories: Callable[[], Any]
    page_types: Callable[[], Any]
    campaigns: Callable[[], Any]


@dataclass(frozen=True)
class Query:
    """A query: its table, the stream columns that it reads, its operators, and its answer.

    ``columns(parameters)`` names the logical stream columns, in the order that the first operator expects.
    ``operators(parameters, inputs)`` builds the pipeline without source and sink.
    ``answer(operators, emitted, parameters)`` is what is left after the stream is drained: ``emitted`` is the sink's
    output sequence, or None where ``answer_from_state`` says that the operators' state is enough.
    ``most_laps(stream)``: how many laps of a loaded stream the operators can take, and what more would do; None where
    they can take whatever fits into the stream's columns.
    ``join(stream, parameters)``, of a query over two streams of its table: the source with which the pipeline begins
    instead, made of the stream's columns by name. They are in memory, and there is one lap.
    ``approximates``: with the parameter ``epsilon`` the last two operators are `PairEstimates` and `TopEstimates`,
    which emit ``lower`` and ``guaranteed`` besides; ``counts.sql`` has what is counted.
    ``cut(parameters)``: how the query is cut to run on many machines.
    """

    name: str
    title: str
    table: str
    parameters: Mapping[str, Parameters]
    dimensions: Mapping[str, tuple[str, ...]]
    emitted: tuple[str, ...]
    answer_columns: tuple[str, ...]
    columns: Callable[[Parameters], tuple[str, ...]]
    operators: Callable[[Parameters, Inputs], list[Any]]
    answer: Callable[[Sequence[Any], pa.Table | None, Parameters], pa.Table]
    answer_from_state: bool = False
    item_columns: tuple[str, ...] = ()
    most_laps: Callable[[Any], tuple[int, str]] | None = None
    join: Callable[[Mapping[str, Any], Parameters], Any] | None = None
    approximates: bool = False
    cut: Callable[[Parameters], Cut] | None = None

    @classmethod
    def of(cls, rules: ModuleType, **rest: Any) -> Query:
        """A query whose table, parameters and columns stand in its folder's ``parameters.py``, the module ``rules``."""
        return cls(
            name=rules.__name__.split(".")[-2],
            table=rules.TABLE,
            parameters=rules.PARAMETERS,
            dimensions=rules.DIMENSIONS,
            emitted=rules.EMITTED,
            answer_columns=rules.ANSWER,
            **rest,
        )


def emitted_answer(operators: Sequence[Any], emitted: pa.Table | None, parameters: Parameters) -> pa.Table:
    """The ``answer`` of a query whose output sequence is the answer itself."""
    assert emitted is not None
    return emitted


def names() -> list[str]:
    """The queries there are: each folder with a ``pipeline.py``."""
    folder = Path(__file__).resolve().parent
    return sorted((each.parent.name for each in folder.glob("*/pipeline.py")), key=lambda name: (len(name), name))


def find(name: str) -> Query:
    """Return the query called ``name``, in any case. Raises KeyError where there is none."""
    name = name.lower()
    if name not in names():
        raise KeyError(name)
    query: Query = importlib.import_module(f"streambench.queries.{name}.pipeline").QUERY
    return query
