"""`streambench pack`: this checkout as a folder that measures on a machine without a network."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.lab.cli.local_path import LocalPath


@click.command()
@click.option(
    "--python", metavar="VERSION|PATH", help="For which Python: 3.12, or an interpreter.  [default: the one that runs]"
)
@click.option(
    "--out",
    type=LocalPath(path_type=Path),
    default=Path("build/pack"),
    show_default=True,
    help="The folder; a pack that is there is replaced, and nothing else.",
)
def command(python: str | None, out: Path) -> None:
    """Pack this checkout for a machine without network, compiler, Spark or Java: wheels, data with answers, run.sh.

    Carry the folder there and call its run.sh, which leaves an archive; import-results takes it in. docs/pack.md is
    the how-to.

    \b
    Examples:
      streambench pack
      streambench pack --python 3.12
    """
    from streambench.lab.evaluation.pack import pack

    size = pack(out, python, lambda what: click.echo(f"streambench pack: {what}", err=True))
    click.echo(f"written: {out}, {size / 1e6:.0f} MB; there: {out.name}/run.sh --budget 8m --out FOLDER")
