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
