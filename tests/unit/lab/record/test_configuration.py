"""Runs that differ in any option that can change their numbers are told apart, by whoever sums them up."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from made_up_sweep import runs

from streambench.execution.options import OptionChanges, Options
from streambench.execution.settled import settle
from streambench.lab.figures.selection import FIELDS, select
from streambench.lab.measure.checked_run import configuration
from streambench.lab.record.configuration import CONFIGURATION, NO_NUMBER
from streambench.lab.record.summary import summarise
from streambench.lab.record.sweep_summary import rows
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

OTHERS: dict[str, Any] = {
    **{"engine": "schemes", "workers": 3, "unit": 7, "partitions": 5, "partition_by": "range", "plan": "cut"},
    **{"latency_target": 0.5, "heuristic": "lp", "reorder": "lock", "partitioning": "shared", "capacity": 9},
    "routing": "in-order",
    **{"arrivals": "poisson", "arrival_seed": 9},
    **{"rate": 1e6, "laps": 4, "preload": False, "time_slice": 1e-3, "window": 0.1, "credit": 4, "fuse": True},
    **{"markers": 10, "pin": False, "place": "spread", "trace": True, "read_ahead": 9},
}


def test_every_option_is_of_the_configuration_or_cannot_change_a_number() -> None:
    names = {each.name for each in fields(Options)}
    assert {*CONFIGURATION, *NO_NUMBER} == names == set(OptionChanges.__annotations__)
    assert not {*CONFIGURATION} & {*NO_NUMBER}
    assert all(NO_NUMBER.values()), "each with the reason"


def test_a_measured_run_records_the_whole_configuration_settled() -> None:
    workload = MicroWorkload(MicroSpec((OperatorSpec("sl", 0.0),), tuples=10))
    options = Options(workers=2, preload=True)
    found = configuration(workload, options)
    assert {name: found[name] for name in CONFIGURATION} == {
        name: getattr(settle(options), name) for name in CONFIGURATION
    }
    assert (found["engine"], found["partitions"]) == ("ordered", settle(options).partitions)


@pytest.mark.parametrize("name", CONFIGURATION)
def test_runs_that_differ_in_one_option_are_never_merged(name: str) -> None:
    ones = runs(engine="ordered", query="q1")
    others = [run | {name: OTHERS[name]} for run in ones]
    assert ones[0][name] != OTHERS[name]
    both = [*ones, *others]
    assert len(summarise(both)) == 2
    assert len(rows(both)) == 2
    schemes = [run | ({} if name == "engine" else {"engine": "schemes"}) for run in both]
    document = {"runs": schemes, "parameters": {}, "machine": {"cpu": {"allowed": [0]}}}
    assert len(select(document).schemes) == (1 if name == "engine" else 2)  # figures are of one engine
    assert name in FIELDS


def test_sorting_before_a_run_makes_no_other_configuration() -> None:
    workload = MicroWorkload(MicroSpec((OperatorSpec("sl", 0.0),), tuples=10))
    options = Options(preload=True)
    assert configuration(workload, options) == configuration(workload, replace(options, sort=True))
