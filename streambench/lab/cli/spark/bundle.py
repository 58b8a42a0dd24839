"""`streambench spark bundle`: what a Spark cluster's executors need, as one archive."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from streambench.lab.cli.local_path import LocalPath
from streambench.lab.show.output import check_places, write_all


@click.command()
@click.option(
    "--out",
    type=LocalPath(path_type=Path),
    default=Path("streambench-bundle.tar.gz"),
    show_default=True,
    help="The archive to write.",
)
def command(out: Path) -> None:
    """Pack this installation for executors that have Python and nothing else: the package and what its tasks import.

    It is for the same minor version of Python and the same kind of processor. docs/cluster.md says where it goes.

    \b
    Examples:
      streambench spark bundle --out bundle.tar.gz
      spark-submit --archives bundle.tar.gz#streambench --conf spark.executorEnv.PYTHONPATH=streambench ...
    """
    from streambench.lab.cluster import bundle

    check_places({"--out": out})
    packed: list[str] = []
    write_all({out: lambda file: packed.extend(bundle.write(file))})
    size = out.stat().st_size / 1e6
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    click.echo(f"written: {out}, {size:.0f} MB for Python {python}: streambench, {', '.join(packed)}")
