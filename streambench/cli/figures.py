"""`streambench figures`: draw what a result file holds."""

from __future__ import annotations

from pathlib import Path

import click

from streambench import results
from streambench.figures import draw


@click.command(short_help="Draw the figures of a result file.")
@click.option(
    "--results",
    "source",
    default="latest",
    show_default=True,
    metavar="FILE|latest",
    help="A result file, a folder of them (its newest is taken), or the newest of results/.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results/figures"),
    show_default=True,
    help="Folder for the figures; existing ones of the same name are replaced.",
)
def command(source: str, out: Path) -> None:
    """Draw throughput and speed-up over workers, as PNG and SVG, with the data behind them as CSV.

    Only measured and verified runs are drawn. The same result file always gives the same SVG.

    \b
    Examples:
      streambench figures
      streambench figures --results results/20260101T120000Z-amd-epyc-2c-bench.json --out figures
    """
    path = Path("results") if source == "latest" else Path(source)
    if path.is_dir() or source == "latest":
        path = results.latest(path)
    for written in draw(results.read(path), out):
        click.echo(str(written))
