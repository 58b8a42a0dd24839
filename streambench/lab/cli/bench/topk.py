"""`streambench bench topk`: the benchmark of paper 002, section 5, its table, its result file and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.bench.paper_bench import PaperBench, paper_bench_options
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.shared_options import within as within_option
from streambench.lab.measure.heavy_hitters.designs import DESIGNS
from streambench.lab.measure.heavy_hitters.measure import topk_bench
from streambench.lab.measure.heavy_hitters.points import FIGURES, chosen
from streambench.lab.measure.heavy_hitters.settings import PRESETS, Settings
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record.topk_summary import KIND, wrong
from streambench.lab.show.tables import topk as table


@click.command(name=KIND)
@click.option(
    "--preset",
    type=click.Choice(tuple(PRESETS)),
    default="quick",
    show_default=True,
    help="paper: six values of α, up to 32 streams of a million items, as there. quick: fewer, in about two minutes.",
)
@click.option(
    "--designs",
    type=words(tuple(DESIGNS)),
    metavar="NAME,..",
    help="Which designs.  [default: all of Space-Saving and many streams]",
)
@click.option(
    "--alphas",
    type=numbers(float, 0),
    metavar="X,..",
    help="The streams' skew.  [default: 0.5,1,1.5,2,2.5,3; quick: 0.5,1,1.5,2.5]",
)
@click.option(
    "--streams",
    type=numbers(int, 1),
    metavar="N,..",
    help="Numbers of streams, a thread for each.  [default: 4,8,16,32; quick: 4,8]",
)
@click.option("--items", type=int, metavar="N", help="Items of each stream.  [default: 1000000; quick: 100000]")
@click.option(
    "--epsilon", type=float, metavar="X", help="What a count may be wrong by, as a share of all.  [default: 1e-4]"
)
@click.option("--repeats", type=int, metavar="N", help="Runs of each point.  [default: 7; quick: 3]")
@click.option(
    "--query-every",
    type=int,
    metavar="N",
    help="Items between two queries of a design that merges to answer, 0 for none.  [default: 50000]",
)
@click.option(
    "--failing",
    type=numbers(float, 0),
    metavar="X,..",
    help="Probabilities that a read finds no item; where one may, shared and cooperative are measured at α from 1.5.  "
    "[default: 0,0.1,0.25,0.5; quick: 0,0.25]",
)
@click.option(
    "--figures", "only", type=words(), metavar="FIGURE,..", help=f"What these figures need: {','.join(FIGURES)}."
)
@click.option("--seed", type=int, metavar="N", help="Of the streams' items.  [default: 1]")
@within_option
@paper_bench_options
def command(
    preset: str,
    only: tuple[str, ...] | None,
    json_path: Path | None,
    folder: Path,
    require_idle: bool,
    draws: bool,
    within: float | None,
    restart: bool,
    **given: Any,
) -> None:
    """Measure updates per second of summaries of heavy hitters, and where their time goes, as paper 002 does.

    Zipf's law over 5 million items, generated in memory, a thread for each stream, all into one summary. Runs are
    interleaved and repeated; each one's answer is checked against exact counts. Time by operation is taken in runs of
    their own. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench topk
      streambench bench topk --preset paper --figures 5,6,8
      streambench bench topk --designs shared,cooperative --alphas 1.5 --streams 4 --json rows.json
    """
    changed = {name: each for name, each in given.items() if each is not None}
    wanted = Settings(**{**PRESETS[preset], **({"figures": chosen(only)} if only else {}), **changed})
    PaperBench(KIND, topk_bench, table, wrong).run(
        wanted,
        json_path=json_path,
        folder=folder,
        require_idle=require_idle,
        limit=TimeLimit(within),
        restart=restart,
        draws=draws,
        figures=wanted.drawn,
    )
