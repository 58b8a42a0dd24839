"""`streambench compare`: results side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType

from streambench.errors import StreambenchError
from streambench.lab.cli.options import argument, command_of, command_options, group, option
from streambench.lab.cli.report_files import ReportFiles, report_files
from streambench.lab.compare.comparison import Step, compare, steps
from streambench.lab.record import results
from streambench.lab.record.result_files import one_result, result_files
from streambench.lab.show.comparison import markdown, plain, terminal
from streambench.lab.show.escaped_output import one_line
from streambench.lab.show.output import json_text

WIDTH = 160


@command_options
class CompareOptions:
    """What is compared with what."""

    base: Path = argument()
    new: Path | None = argument(required=False)
    force: bool = option("Compare results of unlike machines or data, too: every line says so.")
    report: ReportFiles = group(report_files, ReportFiles)


@command_of(CompareOptions)
def command(options: CompareOptions) -> None:
    """Compare the result file NEW with BASE, both of one command (bench, sweep, perf, join-bench, topk-bench, peers,
    rate-search, sweep --simulated). A folder stands for the one result file in it. Without NEW, BASE is a folder: each
    of its results is compared with the one before of its kind.

    For throughput and every quantile of latency: the ratio of the medians with its interval, and a verdict, which is
    "cannot tell" where the interval holds 1, where there are too few runs (7 are enough), or where a run of one has no
    such number. A point of which a run was wrong has no number. Whatever the verdicts, the exit code is 0.

    \b
    Examples:
      streambench compare results/20260101T120000Z-amd-epyc-2c-bench.json after.json
      streambench compare before.json after.json --markdown change.md
      streambench compare before.json after.json --json - | jq .verdicts
      streambench compare results
    """
    options.report.check()
    if options.new is None:
        _folder(options.base, options.force, options.report)
        return
    paths = one_result(options.base), one_result(options.new)
    documents = results.read(paths[0]), results.read(paths[1])
    with results.whole(f"{paths[0]} or {paths[1]}", "they cannot be compared"):
        comparison = compare(*documents, force=options.force)
        texts = (lambda: json_text(plain(comparison, *documents)), lambda: markdown(comparison))
        options.report.give(terminal(comparison), WIDTH, *texts)
    for path, document in zip(paths, documents, strict=True):
        for warning in document.get("warnings") or ():
            click.echo(one_line(f"note: {path.name} says: {warning}"), err=True)


def _folder(folder: Path, force: bool, report: ReportFiles) -> None:
    documents = {path.name: results.read(path) for path in result_files(folder)}
    with results.whole(f"one of {folder}", "they cannot be compared"):
        compared = list(steps(sorted(documents.items(), key=lambda each: str(each[1]["created"])), force=force))
    if not compared:
        raise StreambenchError(f"{folder} holds no two results of one kind: name two files, or another folder")
    report.give(
        Group(*(part for step in compared for part in _shown(step))),
        WIDTH,
        lambda: json_text([_plain(step, documents) for step in compared]),
        lambda: "\n".join(_markdown(step) for step in compared),
    )


def _title(step: Step) -> str:
    return f"{step.new} against {step.base}"


def _refusal(reason: StreambenchError) -> str:
    return f"Not compared: {reason}.\n"


def _shown(step: Step) -> Sequence[RenderableType]:
    return _title(step), _refusal(step.comparison) if isinstance(step.comparison, StreambenchError) else terminal(
        step.comparison
    )


def _markdown(step: Step) -> str:
    text = _refusal(step.comparison) if isinstance(step.comparison, StreambenchError) else markdown(step.comparison)
    return f"## {_title(step)}\n\n{text}"


def _plain(step: Step, documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    files = {"base_file": step.base, "new_file": step.new}
    if isinstance(step.comparison, StreambenchError):
        return {**files, "not_compared": str(step.comparison)}
    return {**files, **plain(step.comparison, documents[step.base], documents[step.new])}
