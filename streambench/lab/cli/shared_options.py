"""Single options that several commands have: one declaration of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.flags import Flag, flag
from streambench.lab.cli.local_path import LocalPath

ParameterSet = Literal["paper", "kit"]

parameter_set = flag(
    "--parameters",
    type=click.Choice(("paper", "kit")),
    default="paper",
    show_default=True,
    help="The queries' constants: those of the paper, or of the TPCx-BB kit.",
)
data_option = flag(
    "--data",
    type=LocalPath(path_type=Path),
    metavar="DIR|FILE",
    help="Of queries: the data directory. Of own pipelines: a Parquet file, or a folder of them, for the function.",
)
oracle = flag(
    "--oracle",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Of an own pipeline: a file of SQL that selects its output sequence from its stream, the table `stream`.",
)
restart = flag("--restart", is_flag=True, help="Discard what earlier calls of this command have measured.")
json_output = flag(
    "--json",
    "json_out",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the result (JSON).",
)
quiet = flag("--quiet", is_flag=True, help="No progress and no summary; errors only.")
draw_figures = flag("--no-figures", "draws", flag_value=False, default=True, help="Draw no figures beside the result.")
within = flag(
    "--within",
    metavar="TIME",
    callback=parse_duration,
    help="Measure no longer than so (8m, 90s); what is there by then becomes the result, after Ctrl-C, too.",
)

keep_journal = flag(
    "--keep-journal",
    "keeps_journal",
    is_flag=True,
    help="Keep the journal beside the result: a call that asks for more points or repeats goes on with it.",
)


def results_folder(help: str) -> Flag:
    """Of a command that measures: where its result goes."""
    folder = LocalPath(path_type=Path)
    return flag("--results", "folder", type=folder, default=Path("results"), show_default=True, help=help)


RESULT: dict[str, Any] = {"default": "latest", "type": LocalPath(), "metavar": "[RESULT]"}
"""The result that a command reads."""
