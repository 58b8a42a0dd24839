"""`streambench figures`: draw what a result file holds."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.errors import OptionError
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.cli.shared_options import RESULT
from streambench.lab.cli.simulate.simulated_result import measured_beside, validation_beside
from streambench.lab.figures import KINDS, draw
from streambench.lab.record import results
from streambench.lab.record.newest_result import result_path
from streambench.lab.record.simulation_summary import KIND as SIMULATION
from streambench.lab.show.escaped_output import one_line


@command_options
class FiguresOptions:
    """What is drawn."""

    source: str = argument(**RESULT)
    figures: tuple[str, ...] | None = option(
        "Some figures only, with commas between them: 8a, 8b, 9, 10, 11, 12a, 12b, 13a, 13b, 14; 8 means 8a and 8b. "
        "Of joins: 5a, 5b, 5c, 6a, 6c, 7a, 7b, 8a, 8b, 8c. "
        "Of snet: 8, 9, 11a, 11b. "
        "Of topk: 1, 2, 5, 6, 7, 8, 9a, 9b, 9c, 10a, 10b, 10c, updates.",
        type=words(),
    )
    out: Path | None = option(
        "Folder for the figures; existing ones of the same name are replaced.  [default: one of the result file's "
        "name, beside it]"
    )
    measured: str | None = option(
        "Of a simulated sweep: the measured one that is drawn beside it.  [default: the newest in its folder]",
        type=LocalPath(),
        metavar="FILE|none",
    )


@command_of(FiguresOptions)
def command(options: FiguresOptions) -> None:
    """Draw a result file's figures, as PNG and SVG, with the data behind them as CSV.

    RESULT is a result file, a folder of results, whose newest that can be drawn counts, or latest, the newest of
    results/. One of bench queries gives throughput and speed-up over workers; one of sweep the figures 8a to 14 of
    paper 000, a set for each unit size; one of perf how every measure stands to its target; one of joins the figures of
    paper 001, one of topk those of paper 002, one of snet those of paper 004; one of rate latency over load, one of
    cluster the cost over growing data. Only verified runs are drawn; what was simulated is hollow and dashed. The same
    result file always gives the same SVG.

    \b
    Examples:
      streambench figures
      streambench figures --figures 9,10
      streambench figures results/20260101T120000Z-amd-epyc-2c-bench.json --out figures
    """
    path = result_path(options.source, KINDS)
    document = results.read(path)
    of_simulation = document.get("kind") == SIMULATION
    if options.measured is not None and not of_simulation:
        raise OptionError("--measured belongs to a result of sweep --simulated: leave it out.")
    with results.whole(path, "it cannot be drawn"):
        drawn = draw(
            document,
            options.out or path.with_suffix(""),
            options.figures or (),
            lambda sentence: click.echo(one_line(f"note: {sentence}"), err=True),
            *(measured_beside(path, options.measured), validation_beside(path)) if of_simulation else (),
        )
    for written in drawn:
        click.echo(str(written))
