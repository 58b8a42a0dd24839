"""`streambench bench snet`: the benchmarks of paper 004, section 5, their table and their result file."""

from __future__ import annotations

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import preset_option, seconds, some_of
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.measure.snet.bench import PRESETS, RUN_SECONDS, SnetBench
from streambench.lab.measure.snet.cases import CASES
from streambench.lab.record.snet_summary import wrong
from streambench.lab.show.tables import snet as table


@command_options
class SnetBenchOptions:
    """A field that is None is as the preset says."""

    preset: str = preset_option(
        PRESETS,
        "paper: the sizes of section 5 that two cores can do. quick: smaller ones, in about a minute. big: the "
        "paper's matrices, on up to 16 workers.",
    )
    cases: tuple[str, ...] | None = some_of(CASES, f"Which of {','.join(CASES)}.  [default: all]")
    workers: tuple[int, ...] | None = option("Threads of FRONT.  [default: 1,2; big: 1,2,4,8,16]", type=numbers(int, 1))
    cholesky: tuple[str, ...] | None = option(
        "Matrices and their tiles.  [default: 2048/64,4096/128; quick: 512/32; big: 4096/64,8192/128]",
        type=words(),
        metavar="SIZE/TILE,..",
    )
    concurrency: tuple[int, ...] | None = option(
        "Calls of one box at a time, where there are several workers, of stap-like.  [default: 1,2,4,9; quick: 1,4]",
        type=numbers(int, 1),
    )
    repeats: int | None = option("Runs of each point.  [default: 7; quick: 3]", metavar="N")
    seconds: float | None = seconds(f"How long a run lasts at least.  [default: {RUN_SECONDS}s]", spelled="--run-time")
    frame: FrameOptions = frame_options()


@command_of(SnetBenchOptions)
def command(options: SnetBenchOptions) -> None:
    """Measure FRONT beside a thread for each entity (S-RTS) as paper 004 does, and against what is wanted of it.

    The programs come with streambench; each answer is checked against arithmetic that knows nothing of nets. Runs are
    interleaved and repeated. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench snet
      streambench bench snet --preset paper --cases fibonacci,sieve-star --json rows.json
    """
    BenchFrame(options.frame, table, wrong).run(bench_of(SnetBench, options, PRESETS[options.preset]))
