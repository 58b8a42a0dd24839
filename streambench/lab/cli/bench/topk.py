"""`streambench bench topk`: the benchmark of paper 002, section 5, its table, its result file and its figures."""

from __future__ import annotations

from typing import Any

import click

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, frame_options, of_preset
from streambench.lab.cli.bench.bench_options import option, preset_option, some_of
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.measure.topk.bench import PRESETS, TopkBench
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.measure.topk.points import FIGURES, chosen
from streambench.lab.record.topk_summary import KIND, wrong
from streambench.lab.show.tables import topk as table


@click.command(name=KIND)
@preset_option(
    PRESETS,
    "paper: six values of α, up to 32 streams of a million items, as there. quick: fewer, in about two minutes.",
)
@some_of("--designs", DESIGNS, "Which designs.  [default: all of Space-Saving and many streams]")
@option("--alphas", numbers(float, 0), "The streams' skew.  [default: 0.5,1,1.5,2,2.5,3; quick: 0.5,1,1.5,2.5]")
@option("--streams", numbers(int, 1), "Numbers of streams, a thread for each.  [default: 4,8,16,32; quick: 4,8]")
@option("--items", int, "Items of each stream.  [default: 1000000; quick: 100000]")
@option("--epsilon", float, "What a count may be wrong by, as a share of all.  [default: 1e-4]")
@option("--repeats", int, "Runs of each point.  [default: 7; quick: 3]")
@option(
    "--query-every", int, "Items between two queries of a design that merges to answer, 0 for none.  [default: 50000]"
)
@option(
    "--failing",
    numbers(float, 0),
    "Probabilities that a read finds no item; where one may, shared and cooperative are measured at α from 1.5.  "
    "[default: 0,0.1,0.25,0.5; quick: 0,0.25]",
)
@option("--figures", words(), f"What these figures need: {','.join(FIGURES)}.", "only", metavar="FIGURE,..")
@option("--seed", int, "Of the streams' items.  [default: 1]")
@frame_options()
def command(frame: FrameOptions, preset: str, only: tuple[str, ...] | None, **given: Any) -> None:
    """Measure updates per second of top-k summaries, and where their time goes, as paper 002 does.

    Zipf's law over 5 million items, generated in memory, a thread for each stream, all into one summary. Runs are
    interleaved and repeated; each one's answer is checked against exact counts. Time by operation is taken in runs of
    their own. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench topk
      streambench bench topk --preset paper --figures 5,6,8
      streambench bench topk --designs shared,cooperative --alphas 1.5 --streams 4 --json rows.json
    """
    wanted = of_preset(TopkBench, PRESETS[preset] | ({"figures": chosen(only)} if only else {}), given)
    BenchFrame(frame, table, wrong, wanted.drawn).run(wanted)
