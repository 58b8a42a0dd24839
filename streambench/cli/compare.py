"""`streambench compare`: two results side by side."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.cli.report_files import check_report, give_report, report_files
from streambench.compare.comparison import compare
from streambench.record import results
from streambench.record.result_files import one_result
from streambench.show.comparison import markdown, plain, terminal
from streambench.show.output import json_text


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Compare results of unlike machines or data, too: every line says so.")
@report_files
def command(base: Path, new: Path, force: bool, json_file: Path | None, markdown_file: Path | None) -> None:
    """Compare the result file NEW with BASE, both of one command (bench, sweep, perf, join-bench, topk-bench). A folder
    stands for the one result file in it.

    For throughput and every quantile of latency: the ratio of the medians with its interval, and a verdict, which is
    "cannot tell" where the interval holds 1 or there are too few runs (7 are enough). A point of which a run was wrong
    has no number. Whatever the verdicts, the exit code is 0.

    \b
    Examples:
      streambench compare results/20260101T120000Z-amd-epyc-2c-bench.json after.json
      streambench compare before.json after.json --markdown change.md
      streambench compare before.json after.json --json - | jq .verdicts
    """
    check_report(json_file, markdown_file)
    base, new = one_result(base), one_result(new)
    documents = results.read(base), results.read(new)
    found = compare(*documents, force=force)
    give_report(
        terminal(found),
        160,
        json_file,
        markdown_file,
        lambda: json_text(plain(found, *documents)),
        lambda: markdown(found),
    )
    for path, document in zip((base, new), documents, strict=True):
        for warning in document.get("warnings") or ():
            click.echo(f"note: {path.name} says: {warning}", err=True)
