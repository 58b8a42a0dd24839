"""Python classes with methods that the runtime would never call are refused; those that complete an operator run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.operator import PartitionedStateful, Sink, Source, Stateful, Stateless
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

BASES = (Stateless, PartitionedStateful, Stateful, Source, Sink)


def source() -> TableSource:
    return TableSource([[5, 6, 7]], ("user",))


def placed(cls: Any) -> tuple[list[Any], int]:
    """A pipeline with an operator of the class, and its place."""
    operator = cls([[1]], ("a",)) if issubclass(cls, TableSource) else cls()
    if isinstance(operator, Source):
        return [operator, TableSink()], 0
    if isinstance(operator, Sink):
        return [source(), operator], 1
    return [source(), operator, TableSink()], 1


@pytest.mark.parametrize(
    ("base", "name"),
    [
        *((base, "process") for base in (Stateless, PartitionedStateful, Stateful, Sink, TableSink)),
        (PartitionedStateful, "select_keys"),
        (PartitionedStateful, "share"),
        (Stateful, "flush"),
        (Source, "claim"),
        (TableSource, "fill"),
    ],
)
def test_a_method_in_python_that_nobody_calls_is_refused(base: Any, name: str) -> None:
    written = type("Written", (base,), {name: lambda self, *given: -1})
    inherited = type("Inherited", (written,), {})
    mixed_in = type("MixedIn", (base, type("Mixin", (), {name: lambda self, *given: -1})), {})
    for cls in (written, inherited, mixed_in):
        operators, place = placed(cls)
        sentence = (
            f"operator {place} of the pipeline is a {cls.__name__} with {name} in Python, which the runtime never"
        )
        with pytest.raises(OptionError, match=re.escape(sentence)):
            Pipeline(operators)


@pytest.mark.parametrize("base", BASES)
def test_a_class_that_processes_nothing_is_refused(base: Any) -> None:
    for cls in (base, type("Empty", (base,), {"note": 1})):
        operators, place = placed(cls)
        sentence = (
            f"operator {place} of the pipeline is a {cls.__name__}, which processes nothing: extend {base.__name__}"
        )
        with pytest.raises(OptionError, match=re.escape(sentence)):
            Pipeline(operators)


def test_a_python_class_may_add_to_an_operator_that_is_compiled() -> None:
    class Noted(TableSink):
        def __init__(self, note: str) -> None:
            super().__init__(keep=True)
            self.note = note
            self.name = "noted"

    class Counted(TableSource):
        opened = 0

        def open(self, partitions: int = 1) -> None:
            super().open(partitions)
            self.opened += 1

    pipeline = Pipeline([Counted([np.arange(9)], ("a",)), Noted("mine")])
    execute(pipeline, Options(engine="serial"))
    assert pipeline.sink.rows()[0].tolist() == list(range(9))
    assert (pipeline.source.opened, pipeline.sink.note) == (1, "mine")
