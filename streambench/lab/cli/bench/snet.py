"""`streambench bench snet`: the benchmarks of paper 004, section 5, their table and their result file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.bench.paper_bench import PaperBench, paper_bench_options
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.shared_options import within as within_option
from streambench.lab.measure.snet.cases import CASES
from streambench.lab.measure.snet.measure import snet_bench
from streambench.lab.measure.snet.settings import PRESETS, Settings
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record.snet_summary import KIND, wrong
from streambench.lab.show.tables import snet as table


@click.command()
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    default="quick",
    show_default=True,
    help="paper: the sizes of section 5 that two cores can do. quick: smaller ones, in about a minute. big: the "
    "paper's matrices, on up to 16 workers.",
)
@click.option(
    "--cases", type=words(tuple(CASES)), metavar="NAME,..", help=f"Which of {','.join(CASES)}.  [default: all]"
)
@click.option(
    "--workers", type=numbers(int, 1), metavar="N,..", help="Threads of FRONT.  [default: 1,2; big: 1,2,4,8,16]"
)
@click.option(
    "--cholesky",
    type=words(),
    metavar="SIZE/TILE,..",
    help="Matrices and their tiles.  [default: 2048/64,4096/128; quick: 512/32; big: 4096/64,8192/128]",
)
@click.option(
    "--concurrency",
    type=numbers(int, 1),
    metavar="N,..",
    help="Calls of one box at a time, where there are several workers, of stap-like.  [default: 1,2,4,9; quick: 1,4]",
)
@click.option("--repeats", type=int, metavar="N", help="Runs of each point.  [default: 7; quick: 3]")
@within_option
@paper_bench_options
def command(
    preset: str,
    json_path: Path | None,
    folder: Path,
    require_idle: bool,
    draws: bool,
    within: float | None,
    restart: bool,
    **given: Any,
) -> None:
    """Measure FRONT beside a thread for each entity (S-RTS) as paper 004 does, and against what is wanted of it.

    The programs come with streambench; each answer is checked against arithmetic that knows nothing of nets. Runs are
    interleaved and repeated. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench snet
      streambench bench snet --preset paper --cases fibonacci,sieve-star --json rows.json
    """
    changed = {name: each for name, each in given.items() if each is not None}
    PaperBench(KIND, snet_bench, table, wrong).run(
        Settings(**{**PRESETS[preset], **changed}),
        json_path=json_path,
        folder=folder,
        require_idle=require_idle,
        limit=TimeLimit(within),
        restart=restart,
        draws=draws,
    )
