"""What a measured run's record keeps of the run."""

from __future__ import annotations

import pytest

from streambench.execution.options import Options
from streambench.host import core_costs
from streambench.lab.measure.checked_run import checked_run
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (Options(engine="ordered", workers=2), {"line": 123.0, "byte": 0.25}),
        (Options(engine="ordered", workers=2, plan="cut"), None),
        (Options(engine="serial"), None),
    ],
)
def test_a_record_has_what_the_controller_was_told_of_cores(
    options: Options, told: dict[str, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None where no plan is chosen."""
    monkeypatch.setattr(core_costs, "known", lambda cores: {"line": 123.0, "byte": 0.25})
    workload = MicroWorkload(MicroSpec((OperatorSpec("ps", 0.0),), tuples=1000))
    assert checked_run(workload, options, 0, None, None)["core_costs"] == told
