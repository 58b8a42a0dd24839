"""`streambench import-results`: the results of an evaluation's archive, put where other commands find them."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.lab.cli.evaluate import show
from streambench.lab.cli.options import argument, command_of, command_options, shared
from streambench.lab.cli.shared_options import results_folder
from streambench.lab.evaluation import archive as archives
from streambench.lab.record import results


@command_options
class ImportOptions:
    """What is taken in, and where it goes."""

    archive: Path = argument()
    folder: Path = shared(results_folder("Where the results go."))


@command_of(ImportOptions, name="import-results")
def command(options: ImportOptions) -> None:
    """Put the results of ARCHIVE, which `streambench evaluate` or a pack's run.sh has written, into a folder.

    figures, claims, compare and report find them there. Files that are there stay as they are.

    \b
    Example:
      streambench import-results streambench-evaluation-20261127T120000Z-amd-epyc-16c.tar.gz
    """
    results.check_folder(options.folder)
    paths, parts = archives.take_in(options.archive, options.folder)
    show(parts)
    for path in paths:
        click.echo(f"result: {path}")
