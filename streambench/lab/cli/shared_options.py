"""Single options that several commands have: one declaration of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

parameter_set: Decorator = click.option(
    "--parameters",
    type=click.Choice(("paper", "kit")),
    default="paper",
    show_default=True,
    help="The queries' constants: those of the paper, or of the TPCx-BB kit.",
)
data_option: Decorator = click.option(
    "--data",
    type=LocalPath(path_type=Path),
    metavar="DIR|FILE",
    help="Of queries: the data directory. Of own pipelines: a Parquet file, or a folder of them, for the function.",
)
oracle: Decorator = click.option(
    "--oracle",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Of an own pipeline: a file of SQL that selects its output sequence from its stream, the table `stream`.",
)
restart: Decorator = click.option(
    "--restart", is_flag=True, help="Discard what earlier calls of this command have measured."
)

draw_figures: Decorator = click.option(
    "--no-figures", "draws", flag_value=False, default=True, help="Draw no figures beside the result."
)
within: Decorator = click.option(
    "--within",
    metavar="TIME",
    callback=parse_duration,
    help="Measure no longer than so (8m, 90s); what is there by then becomes the result, after Ctrl-C, too.",
)


def results_folder(told: str) -> Decorator:
    """Of a command that measures: where its result goes."""
    return click.option(
        "--results",
        "folder",
        type=LocalPath(path_type=Path),
        default=Path("results"),
        show_default=True,
        help=told,
    )


result_file = click.argument("source", default="latest", type=LocalPath(), metavar="[RESULT]")
"""The result that a command reads."""
