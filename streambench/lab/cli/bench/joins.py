"""`streambench bench joins`: the benchmark of paper 001, section VI, its table, its result file and its figures."""

from __future__ import annotations

from typing import Any

import click

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, frame_options, of_preset
from streambench.lab.cli.bench.bench_options import TIME, option, preset_option, some_of
from streambench.lab.cli.comma_list import numbers
from streambench.lab.measure.joins.bench import PRESETS, JoinBench
from streambench.lab.measure.joins.case_studies import CASE_STUDIES
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.record.join_summary import KIND, wrong
from streambench.lab.show.tables import joins as table


@click.command(name=KIND)
@preset_option(
    PRESETS, "paper: windows of 5, 10 and 15 minutes, as there. quick: of 1, 2 and 3 seconds, all in a minute or two."
)
@some_of("--join", JOINS, "Which joins, with commas.  [default: scale,handshake]", "joins")
@some_of("--tiers", TIERS, f"Ways of computing.  [default: {','.join(TIERS)}]")
@option("--workers", numbers(int, 1), "Numbers of threads, with commas.  [default: 1 and all cores]", "threads")
@option(
    "--windows",
    numbers(float),
    "Seconds of event time in a window.  [default: 300,600,900; quick: 1,2,3]",
    metavar="S,..",
)
@option("--repeats", int, "Runs of each point.  [default: 7; quick: 3]")
@option("--run-time", TIME, "About how long a run compares.  [default: 2s; quick: 100ms]", "seconds")
@option("--load", float, "Share of the sustainable rate at which latency is measured.  [default: 0.8]")
@option("--most-tuples", int, "In a window: rates that need more are not tried.  [default: 2**25; quick: 2**21]")
@some_of("--studies", CASE_STUDIES, f"Which case studies.  [default: {','.join(CASE_STUDIES)}]")
@option("--study-seconds", float, "How long a case study lasts.  [default: 300; quick: 3]", metavar="S")
@click.option("--gates/--no-gates", default=None, help="Also measure gates by themselves.  [default: --gates]")
@option("--seed", int, "Of the tuples' values.  [default: 1]")
@frame_options()
def command(frame: FrameOptions, preset: str, **given: Any) -> None:
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
    BenchFrame(frame, table, wrong).run(of_preset(JoinBench, PRESETS[preset], given))
