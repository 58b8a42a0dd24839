"""A run that is stopped amid a unit of many pieces makes no more of them; the sink has a beginning of the sequence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from everywhere import EVERYWHERE

from streambench.execution import engines
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import settle
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

FOLD = 1000  # outputs of each tuple, as of the probes
HOW: dict[str, dict[str, Any]] = {
    **EVERYWHERE,
    "serial, traced": {"engine": "serial", "trace": True},
    "in the sink's segment": {"plan": "1"},
}
# A stateless operator begins no segment.
CASES = [(where, "ThousandfoldByKey") for where in HOW]
CASES += [(where, "Thousandfold") for where in HOW if where != "in the sink's segment"]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("where", "expanding"), CASES)
def test_no_piece_is_begun_once_a_run_is_stopped(
    probes: SimpleNamespace, where: str, expanding: str, workers: int
) -> None:
    """The first unit alone has 16 pieces at least; the third one stops the run."""
    values = np.arange(3000)
    stops = probes.StopsAt(3)
    expands = getattr(probes, expanding)()
    if expanding == "ThousandfoldByKey":
        expands.low_key, expands.high_key = 0, len(values)
    pipeline = Pipeline([TableSource([values], ["value"]), expands, stops, TableSink(keep=True)])
    options = Options(unit=1024, workers=1 if where.startswith("serial") else workers, pin=False, **HOW[where])
    engine = engines.make(pipeline, settle(options), profiled=False)
    stops.watch(engine)
    engine.run()
    assert stops.calls == 3
    assert engine.egress.tuples_left() == 0
    assert engine.egress.failure() is None
    kept = pipeline.sink.rows()
    assert np.array_equal(kept[0], np.repeat(values, FOLD)[: len(kept[0])])
    if where in ("serial", "whole", "in the sink's segment"):
        assert len(kept[0]) > 0
