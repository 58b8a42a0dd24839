"""`streambench data check`: does a directory hold what its manifest promises?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from streambench.datagen import check, manifest
from streambench.datagen.errors import DatagenError
from streambench.lab.cli.data.steps import told_by_step
from streambench.lab.cli.local_path import LocalPath

if TYPE_CHECKING:
    from streambench.datagen.checking.check import DataReport


@click.command()
@click.argument("directory", type=LocalPath(path_type=Path), metavar="DIR")
def command(directory: Path) -> None:
    """Compare DIR with its manifest (rows and hashes), with the replay order, and with the distributions and the edges
    that its parameters promise. Exit code 1 if anything does not match.

    \b
    Example:
      streambench data check data/sf0.1
    """
    manifest.read(directory)  # refused before anything is shown
    with told_by_step("check", "reading the manifest") as reporter:
        report = check(directory, progress=reporter)
    Console().print(_report_table(directory, report))
    failed = report.failed
    if failed:
        raise DatagenError(
            f"{len(failed)} of {len(report.findings)} checks of {directory} failed, first: "
            f"{failed[0].name} is {failed[0].measured}, expected {failed[0].expected}."
        )


def _report_table(directory: Path, report: DataReport) -> Table:
    table = Table(title=f"{escape(str(directory))}: {len(report.findings)} checks")
    table.add_column("what", overflow="fold")
    for name in ("measured", "expected", "tolerance"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("")
    for finding in report.findings:
        mark = "[green]ok[/green]" if finding.ok else "[bold red]FAIL[/bold red]"
        table.add_row(finding.name, finding.measured, finding.expected, finding.tolerance, mark)
    return table
