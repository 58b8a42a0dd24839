"""`streambench bench snet`: the benchmarks of paper 004, section 5, their table and their result file."""

from __future__ import annotations

from typing import Any

import click

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, frame_options, of_preset
from streambench.lab.cli.bench.bench_options import option, preset_option, some_of
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.measure.snet.bench import PRESETS, SnetBench
from streambench.lab.measure.snet.cases import CASES
from streambench.lab.record.snet_summary import wrong
from streambench.lab.show.tables import snet as table


@click.command()
@preset_option(
    PRESETS,
    "paper: the sizes of section 5 that two cores can do. quick: smaller ones, in about a minute. big: the paper's "
    "matrices, on up to 16 workers.",
)
@some_of("--cases", CASES, f"Which of {','.join(CASES)}.  [default: all]")
@option("--workers", numbers(int, 1), "Threads of FRONT.  [default: 1,2; big: 1,2,4,8,16]")
@option(
    "--cholesky",
    words(),
    "Matrices and their tiles.  [default: 2048/64,4096/128; quick: 512/32; big: 4096/64,8192/128]",
    metavar="SIZE/TILE,..",
)
@option(
    "--concurrency",
    numbers(int, 1),
    "Calls of one box at a time, where there are several workers, of stap-like.  [default: 1,2,4,9; quick: 1,4]",
)
@option("--repeats", int, "Runs of each point.  [default: 7; quick: 3]")
@frame_options()
def command(frame: FrameOptions, preset: str, **given: Any) -> None:
    """Measure FRONT beside a thread for each entity (S-RTS) as paper 004 does, and against what is wanted of it.

    The programs come with streambench; each answer is checked against arithmetic that knows nothing of nets. Runs are
    interleaved and repeated. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench snet
      streambench bench snet --preset paper --cases fibonacci,sieve-star --json rows.json
    """
    BenchFrame(frame, table, wrong).run(of_preset(SnetBench, PRESETS[preset], given))
