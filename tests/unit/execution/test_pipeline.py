"""What makes a pipeline."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.tuples.unit import MAX_OPERATORS


@pytest.mark.parametrize("engine", [{"engine": "serial"}, {"engine": "ordered", "workers": 2}])
def test_a_pipeline_has_at_most_as_many_operators_as_the_runtime_has_room_for(
    probes: SimpleNamespace, engine: dict[str, object]
) -> None:
    scene = probes.Scene()
    between = [probes.FreeCue(scene) for _ in range(MAX_OPERATORS - 1)]
    with pytest.raises(OptionError, match=rf"at most {MAX_OPERATORS} operators, not {MAX_OPERATORS + 1}\."):
        Pipeline([probes.Counting(10), *between, probes.Recorder()])
    sink = probes.Recorder()
    execute(Pipeline([probes.Counting(10), *between[1:], sink]), Options(**engine, pin=False))
    assert sink.tuples == 10


@pytest.mark.parametrize(
    "refused",
    [
        {"plan": "7"},
        {"plan": "1**"},
        {"engine": "schemes", "partition_by": "range"},
        {"plan": "cut", "partition_by": "range"},
    ],
)
def test_a_pipeline_that_an_option_was_refused_for_can_be_executed_with_others(
    probes: SimpleNamespace, refused: dict[str, object]
) -> None:
    sink = probes.Recorder()
    pipeline = Pipeline([probes.Counting(10), probes.KeyedCount(2), sink])
    with pytest.raises(OptionError):
        execute(pipeline, Options(**refused, workers=2, pin=False))
    execute(pipeline, Options(workers=2, pin=False))
    assert sink.tuples == 10
    with pytest.raises(OptionError, match="has been executed"):
        execute(pipeline, Options(workers=2, pin=False))
