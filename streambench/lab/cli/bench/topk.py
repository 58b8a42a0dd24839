"""`streambench bench topk`: the benchmark of paper 002, section 5, its table, its result file and its figures."""

from __future__ import annotations

from pathlib import Path

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import data_directory, preset_option, scale_factor, seconds, some_of
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.measure.topk.bench import PRESETS, RUN_SECONDS, TopkBench
from streambench.lab.measure.topk.data_streams import COLUMNS
from streambench.lab.measure.topk.designs import DESIGNS
from streambench.lab.measure.topk.points import FIGURES, SOURCES, chosen
from streambench.lab.record.topk_summary import KIND, wrong
from streambench.lab.show.tables import topk as table

READERS = {"store_sales": "q1", "web_clickstreams": "q2"}
"""By table a query that reads it, and nothing else."""


@command_options
class TopkBenchOptions:
    """A field that is None is as the preset says; ``only``: the points of these figures."""

    preset: str = preset_option(
        PRESETS,
        "paper: six values of α, up to 32 streams of a million items, as there. quick: fewer, in about two minutes.",
    )
    designs: tuple[str, ...] | None = some_of(
        DESIGNS, "Which designs.  [default: all of Space-Saving and many streams]"
    )
    sources: tuple[str, ...] | None = some_of(
        SOURCES,
        "Where streams are from. zipf: Zipf's law. lines: items of sold lines. items, pages: what is clicked. words: "
        "those of Python's help on its language, some 65,000, repeated.  [default: zipf]",
    )
    data: Path | None = data_directory("The data directory of the lines and clicks, instead of generating one.")
    scale_factor: float = scale_factor(0.25)
    alphas: tuple[float, ...] | None = option(
        "The streams' skew.  [default: 0.5,1,1.5,2,2.5,3; quick: 0.5,1,1.5,2.5]", type=numbers(float, 0)
    )
    streams: tuple[int, ...] | None = option(
        "Numbers of streams, a thread for each.  [default: 4,8,16,32; quick: 4,8]", type=numbers(int, 1)
    )
    items: int | None = option("Items of each stream.  [default: 1000000; quick: 100000]", metavar="N")
    epsilons: tuple[float, ...] | None = option(
        "What a count may be wrong by, as shares of all.  [default: 1e-4]", spelled="--epsilon", type=numbers(float, 0)
    )
    rhos: tuple[int, ...] | None = option(
        "Requests in a queue above which a thread of auto-tuned sleeps.  [default: 500]",
        spelled="--rho",
        type=numbers(int, 1),
    )
    sleep: float | None = seconds("How long it then sleeps, at most 1s.  [default: 50us]")
    repeats: int | None = option("Runs of each point.  [default: 7; quick: 3]", metavar="N")
    wait: float | None = seconds("How long a read takes that finds none, at most 1s.  [default: 0s]")
    seconds: float | None = seconds(f"How long a run lasts at least.  [default: {RUN_SECONDS}s]", spelled="--run-time")
    query_every: int | None = option(
        "Items between two queries, where a design is asked while it counts, 0 for none.  [default: 50000]", metavar="N"
    )
    failing: tuple[float, ...] | None = option(
        "Probabilities that a read finds none; where one may, shared, shared-blocking and cooperative are measured, at "
        "α from 1.5.  [default: 0,0.1,0.25,0.5; quick: 0,0.25]",
        type=numbers(float, 0),
    )
    only: tuple[str, ...] | None = option(
        f"What these figures need: {','.join(FIGURES)}.", spelled="--figures", type=words(), metavar="FIGURE,.."
    )
    seed: int | None = option("Of the streams' items.  [default: 1]", metavar="N")
    frame: FrameOptions = frame_options()


@command_of(TopkBenchOptions, name=KIND)
def command(options: TopkBenchOptions) -> None:
    """Measure updates per second of top-k summaries, and where their time goes, as paper 002 does.

    Zipf's law over 5 million items, generated in memory, what is sold or clicked in generated data or data of your
    own, or the words of a text; a thread for each stream, all into one summary. Runs are interleaved and repeated;
    each one's answer is checked against exact counts. Time by operation is taken in runs of their own. A call that was
    interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench topk
      streambench bench topk --preset paper --figures 5,6,8
      streambench bench topk --designs shared,cooperative --alphas 1.5 --streams 4 --json rows.json
    """
    figures = {"figures": chosen(options.only)} if options.only else {}
    bench = bench_of(TopkBench, options, PRESETS[options.preset] | figures)
    source = BenchSource()
    queries = tuple(dict.fromkeys(READERS[COLUMNS[name][0]] for name in bench.sources if name in COLUMNS))
    if queries:
        source = BenchSource.of(queries, options.data, "paper", {"scale_factor": options.scale_factor})
    else:
        refuse_given("is of lines and clicks, and --sources names neither", "data", "scale_factor")
    BenchFrame(options.frame, table, wrong, bench.drawn).run(bench, source)
