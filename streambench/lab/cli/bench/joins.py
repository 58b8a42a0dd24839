"""`streambench bench joins`: the benchmark of paper 001, section VI, its table, its result file and its figures."""

from __future__ import annotations

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import preset_option, seconds, some_of
from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.measure.joins.bench import PRESETS, JoinBench
from streambench.lab.measure.joins.case_studies import CASE_STUDIES
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.record.join_summary import KIND, wrong
from streambench.lab.show.tables import joins as table


@command_options
class JoinBenchOptions:
    """A field that is None is as the preset says."""

    preset: str = preset_option(
        PRESETS,
        "paper: windows of 5, 10 and 15 minutes, as there. quick: of 1, 2 and 3 seconds, all in a minute or two.",
    )
    joins: tuple[str, ...] | None = some_of(JOINS, "Which joins, with commas.  [default: scale,handshake]", "--join")
    tiers: tuple[str, ...] | None = some_of(TIERS, f"Ways of computing.  [default: {','.join(TIERS)}]")
    threads: tuple[int, ...] | None = option(
        "Numbers of threads, with commas.  [default: 1 and all cores]", spelled="--workers", type=numbers(int, 1)
    )
    windows: tuple[float, ...] | None = option(
        "Seconds of event time in a window.  [default: 300,600,900; quick: 1,2,3]", type=numbers(float), metavar="S,.."
    )
    repeats: int | None = option("Runs of each point.  [default: 7; quick: 3]", metavar="N")
    seconds: float | None = seconds("About how long a run compares.  [default: 2s; quick: 100ms]", spelled="--run-time")
    load: float | None = option(
        "Share of the sustainable rate at which latency is measured.  [default: 0.8]", metavar="X"
    )
    most_tuples: int | None = option(
        "In a window: rates that need more are not tried.  [default: 2**25; quick: 2**21]", metavar="N"
    )
    studies: tuple[str, ...] | None = some_of(CASE_STUDIES, f"Which case studies.  [default: {','.join(CASE_STUDIES)}]")
    study_seconds: float | None = option("How long a case study lasts.  [default: 300; quick: 3]", metavar="S")
    gates: bool | None = option("Also measure gates by themselves.  [default: --gates]", spelled="--gates/--no-gates")
    seed: int | None = option("Of the tuples' values.  [default: 1]", metavar="N")
    frame: FrameOptions = frame_options()


@command_of(JoinBenchOptions, name=KIND)
def command(options: JoinBenchOptions) -> None:
    """Measure comparisons and tuples per second, balance and latency of joins, as paper 001 does.

    Two streams of the paper's tuples, generated in memory, with bands over integers and floats. Windows are filled
    before anything is measured. For each window the rate is searched that is sustained; runs at it are interleaved,
    repeated, and each one's output is checked. A call that was interrupted goes on where it stopped when it is given
    again.

    \b
    Examples:
      streambench bench joins
      streambench bench joins --preset paper --tiers index,codes
      streambench bench joins --tiers scan --workers 1,2 --windows 2 --json rows.json
    """
    BenchFrame(options.frame, table, wrong).run(bench_of(JoinBench, options, PRESETS[options.preset]))
