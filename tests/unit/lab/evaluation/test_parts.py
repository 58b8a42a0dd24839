"""The parts of an evaluation: each is a command line that its command takes, whatever cores and time there are."""

from __future__ import annotations

import itertools
from pathlib import Path

import click
import pytest

from streambench.lab.cli import cli
from streambench.lab.evaluation.parts import PARTS, EvaluationPart, Share

CORES = (1, 2, 3, 16, 64, 96, 128, 300)
MOST = {"snet": 64, "topk": 256}  # threads that the commands take

SECONDS = (1.0, 5.0, 30.0, 120.0, 3600.0)


def parsed(words: list[str]) -> click.Context:
    """The context of the innermost command, its options parsed."""
    context = cli.make_context("streambench", list(words))
    while isinstance(context.command, click.Group):
        _, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(command.name, rest, parent=context)
    return context


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_command_lines_parse_for_any_cores_and_time(part: EvaluationPart) -> None:
    for cores, seconds in itertools.product(CORES, SECONDS):
        context = parsed(part.words(Share(cores, seconds, Path("queries"), Path("sweep"))))
        counts = [context.params.get(name) for name in ("workers", "threads", "streams")]
        most = max(max(each) for each in counts if each)
        assert most == max(min(cores, MOST.get(part.name, cores)), 2 if part.name == "topk" else 1)


def test_more_time_means_more_queries_up_to_all() -> None:
    bench = next(part for part in PARTS if part.name == "bench")
    counts = [len(parsed(bench.words(Share(16, seconds))).params["queries"]) for seconds in SECONDS]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (1, 6)
