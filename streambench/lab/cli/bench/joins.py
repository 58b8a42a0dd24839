"""`streambench bench joins`: the benchmark of paper 001, section VI, its table, its result file and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.bench.paper_bench import PaperBench, paper_bench_options
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.shared_options import within as within_option
from streambench.lab.measure.joins.case_studies import CASE_STUDIES
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.measure.joins.measure import join_bench
from streambench.lab.measure.joins.settings import PRESETS, Settings
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record.join_summary import KIND, wrong
from streambench.lab.show.tables import joins as table


@click.command(name=KIND)
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    default="quick",
    show_default=True,
    help="paper: windows of 5, 10 and 15 minutes, as there. quick: of 1, 2 and 3 seconds, all in a minute or two.",
)
@click.option("--join", "joins", type=words(tuple(JOINS)), help="Which joins, with commas.  [default: scale,handshake]")
@click.option("--tiers", type=words(TIERS), metavar="NAME,..", help=f"Ways of computing.  [default: {','.join(TIERS)}]")
@click.option(
    "--workers", "threads", type=numbers(int, 1), help="Numbers of threads, with commas.  [default: 1 and all cores]"
)
@click.option(
    "--windows",
    type=numbers(float),
    metavar="S,..",
    help="Seconds of event time in a window.  [default: 300,600,900; quick: 1,2,3]",
)
@click.option("--repeats", type=int, metavar="N", help="Runs of each point.  [default: 7; quick: 3]")
@click.option(
    "--run-time",
    "seconds",
    callback=parse_duration,
    metavar="TIME",
    help="About how long a run compares.  [default: 2s; quick: 100ms]",
)
@click.option(
    "--load",
    type=float,
    metavar="X",
    help="Share of the sustainable rate at which latency is measured.  [default: 0.8]",
)
@click.option(
    "--most-tuples",
    type=int,
    metavar="N",
    help="In a window: rates that need more are not tried.  [default: 2**25; quick: 2**21]",
)
@click.option(
    "--studies", type=words(tuple(CASE_STUDIES)), help=f"Which case studies.  [default: {','.join(CASE_STUDIES)}]"
)
@click.option("--study-seconds", type=float, metavar="S", help="How long a case study lasts.  [default: 300; quick: 3]")
@click.option("--gates/--no-gates", default=None, help="Also measure gates by themselves.  [default: --gates]")
@click.option("--seed", type=int, metavar="N", help="Of the tuples' values.  [default: 1]")
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
    wanted = Settings(**{**PRESETS[preset], **{name: each for name, each in given.items() if each is not None}})
    PaperBench(KIND, join_bench, table, wrong).run(
        wanted,
        json_path=json_path,
        folder=folder,
        require_idle=require_idle,
        restart=restart,
        draws=draws,
        limit=TimeLimit(within),
    )
