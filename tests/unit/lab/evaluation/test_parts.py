"""The parts of an evaluation: command lines that their commands take, and plans that hold their budget."""

from __future__ import annotations

import click
import pytest

from streambench.lab.cli import cli
from streambench.lab.evaluation.estimates import RUN
from streambench.lab.evaluation.parts import PARTS, EvaluatedMachine, EvaluationPart
from streambench.lab.evaluation.plan import plan

MACHINES = (
    *(EvaluatedMachine(cores, cores, 1) for cores in (1, 2, 3, 16, 128)),
    EvaluatedMachine(64, 128, 2),
)
MOST = {"snet": 64, "topk": 256}  # threads that the commands take


def parsed(words: list[str]) -> click.Context:
    """The context of the innermost command, its options parsed."""
    context = cli.make_context("streambench", list(words))
    while isinstance(context.command, click.Group):
        _, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(command.name, rest, parent=context)
    return context


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_command_lines_parse_and_use_all_cores_on_any_machine(part: EvaluationPart) -> None:
    for machine in MACHINES:
        for level in part.levels(machine):
            context = parsed([*level.words, "--within", "60s", "--keep-journal", "--results", "r"])
            counts = [context.params.get(name) for name in ("workers", "threads", "streams")]
            most = max(max(each) for each in counts if each)
            usual = max(min(machine.cores, MOST.get(part.name, machine.cores)), 2 if part.name == "topk" else 1)
            assert most == (machine.threads if part.name == "siblings" else usual)
            assert context.params.get("seconds", RUN) >= 0.25
            assert context.params.get("min_seconds", RUN) >= RUN


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_each_level_takes_longer_than_the_one_below(part: EvaluationPart) -> None:
    for machine in MACHINES:
        seconds = [level.seconds for level in part.levels(machine)]
        assert seconds == sorted(seconds)
        assert all(each > 0 for each in seconds)


def test_siblings_and_nodes_are_measured_only_where_there_are_any() -> None:
    names = {each.part.name for each in plan(PARTS, EvaluatedMachine(64, 64, 1), 3600.0)}
    assert {each.part.name for each in plan(PARTS, EvaluatedMachine(64, 128, 2), 3600.0)} - names == {
        "siblings",
        "nodes",
    }


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("budget", [30.0, 120.0, 600.0, 7200.0])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_a_plan_holds_its_budget_and_more_time_means_no_less(
    machine: EvaluatedMachine, budget: float, scale: float
) -> None:
    planned = plan(PARTS, machine, budget, scale)
    assert sum(each.seconds for each in planned) <= budget
    assert all((each.level is None) == (each.seconds == 0) for each in planned)
    more = plan(PARTS, machine, 2 * budget, scale)
    assert sum(each.level is not None for each in more) >= sum(each.level is not None for each in planned)


def test_as_published_every_part_has_all_that_the_paper_has() -> None:
    planned = plan(PARTS, EvaluatedMachine(16, 16, 1), None)
    assert [each.part.name for each in planned] == [
        part.name for part in PARTS if part.name not in ("siblings", "nodes")
    ]
    assert all(each.level is not None and parsed(list(each.level.words)) for each in planned)
    assert sum(each.seconds for each in planned) > 8 * 3600
