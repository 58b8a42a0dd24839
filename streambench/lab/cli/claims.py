"""`streambench claims`: which of the paper's claims a sweep's result supports."""

from __future__ import annotations

import click

from streambench.lab.claims import judge
from streambench.lab.claims.table import Side, markdown, plain, terminal
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, group, option
from streambench.lab.cli.report_files import ReportFiles, report_files
from streambench.lab.cli.shared_options import RESULT
from streambench.lab.cli.simulate.simulated_result import simulated_beside
from streambench.lab.figures.selection import KIND, select
from streambench.lab.record import results
from streambench.lab.record.newest_result import result_path
from streambench.lab.show.output import json_text


@command_options
class ClaimsOptions:
    """What the claims are judged by."""

    source: str = argument(**RESULT)
    unit: int | None = option(
        "Of several unit sizes the one to judge by; left out: the smallest, which is nearest to the paper.",
        type=click.IntRange(min=1),
    )
    operator_cost: str | None = option(
        "Of several costs that were added to the queries' operators the one to judge by.  [default: the least]",
        metavar="TIME",
    )
    simulated: str | None = option(
        "A result of bench sweep --simulated, judged in a column of its own.  [default: the newest beside the sweep]",
        type=LocalPath(),
        metavar="FILE|none",
    )
    report: ReportFiles = group(report_files, ReportFiles)


@command_of(ClaimsOptions)
def command(options: ClaimsOptions) -> None:
    """Compare a sweep's result with the paper's claims: each holds, does not hold, or cannot be told.

    RESULT is the result file of a sweep, a folder of results, whose newest sweep counts, or latest, the newest sweep of
    results/. There are two columns: here, by what was measured, and simulated, by what was not, to the paper's 16
    cores. They are two verdicts, and never one.

    Verdicts follow from the numbers and their confidence intervals alone; whatever they are, the exit code is 0.

    \b
    Examples:
      streambench claims
      streambench claims results --markdown claims.md
      streambench claims --unit 256 --json claims.json
      streambench claims --json - | jq .
    """
    options.report.check()
    place = result_path(options.source, (KIND,))
    document = results.read(place)
    with results.whole(place, "claims cannot be judged by it"):
        here, own = Side(document, *judge(document, options.unit, options.operator_cost)), select(document).own
    beside = simulated_beside(place, options.simulated)
    there = None if beside is None else Side(beside, *judge(beside, options.unit))
    if own:
        click.echo(f"note: {', '.join(own)}: no claim of the paper is about an own pipeline", err=True)
    texts = (lambda: json_text(plain(here, there)), lambda: markdown(here, there))
    options.report.give(terminal(here, there), 100, *texts)
