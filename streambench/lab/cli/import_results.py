"""`streambench import-results`: the results of an evaluation's archive, put where other commands find them."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.lab.cli.evaluate import show
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import results_folder
from streambench.lab.evaluation import archive as archives
from streambench.lab.record import results


@click.command(name="import-results")
@click.argument("archive", type=LocalPath(path_type=Path))
@results_folder("Where the results go.")
def command(archive: Path, folder: Path) -> None:
    """Put the results of ARCHIVE, which `streambench evaluate` or a pack's run.sh has written, into a folder.

    figures, claims, compare and report find them there. Files that are there stay as they are.

    \b
    Example:
      streambench import-results streambench-evaluation-20261127T120000Z-amd-epyc-16c.tar.gz
    """
    results.check_folder(folder)
    paths, parts = archives.take_in(archive, folder)
    show(parts)
    for path in paths:
        click.echo(f"result: {path}")
