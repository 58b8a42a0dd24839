"""`streambench bench perf`: what performance is judged by, side by side, its table, its result file and its figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group

from streambench.errors import OptionError
from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, Rows, frame_options
from streambench.lab.cli.bench.bench_options import seconds
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import check_data_to_make, refuse_given, typed
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.figures import perf_figures
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.bench import PerfBench
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.record import results
from streambench.lab.record.newest_result import newest, result_path
from streambench.lab.record.perf_summary import verdict
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.output import as_text, check_places, write_all
from streambench.lab.show.perf_table import MARK, markdown, terminal

DEFAULT_SCALE = 0.25
QUICK = PerfSettings(seconds=0.05, repeats=3)
HOW = (
    *("names", "data", "scale_factor", "queries", "workers", "case", "repeats", "seconds", "quick", "require_idle"),
    *("draws", "within", "restart", "json_path", "keeps_journal"),
)
"""The parameters that say how to measure."""


@command_options
class PerfBenchOptions:
    """What is measured, over which data; ``source``: the result that is shown instead, ``page``: where it goes, too."""

    names: tuple[str, ...] = option(
        "Only this section; may be given several times.  [default: all]",
        spelled="--section",
        multiple=True,
        type=click.Choice(sections.NAMES),
    )
    data: Path | None = option("Measure over this data directory instead of generating one.")
    scale_factor: float | None = option(
        "Size of the generated data; it is kept in data/ for the next time.  "
        f"[default: {DEFAULT_SCALE}, for sections that need data]"
    )
    queries: tuple[str, ...] = option("Which queries, with commas.", ",".join(PerfSettings.queries), type=words())
    workers: tuple[int, ...] | None = option(
        "Numbers of workers of the section scaling; the greatest is that of the section plans.  [default: 1, 2, 4 and "
        "so on to all cores; plans: 2]",
        type=numbers(int, 1),
        metavar="N,..",
    )
    case: tuple[str, ...] = option(
        "Only cases whose name holds this text; may be given several times.  [default: all]",
        multiple=True,
        metavar="TEXT",
    )
    repeats: int | None = option(f"Runs of each thing.  [default: {PerfSettings.repeats}]", metavar="N")
    seconds: float | None = seconds(
        f"About how long a run lasts.  [default: {PerfSettings.seconds}s]", spelled="--run-time"
    )
    quick: bool = option(f"Runs of {QUICK.seconds} s, {QUICK.repeats} repeats: to see that it works.")
    source: str | None = option(
        "Measure nothing: show this result, or the newest of --results.",
        spelled="--from",
        type=LocalPath(),
        metavar="FILE|latest",
    )
    page: Path | None = option(
        "Also write the tables into this page, between its lines `<!-- perf: begin -->` and `<!-- perf: end -->`.",
        spelled="--markdown",
        metavar="FILE",
    )
    frame: FrameOptions = frame_options()


@command_of(PerfBenchOptions, name=PerfBench.kind)
def command(options: PerfBenchOptions) -> None:
    """Measure the runtime against what one good thread does without it, oneTBB and DuckDB, and say what is met.

    Things that are compared are measured side by side, interleaved, repeated, and every run is checked. Prints a table
    of the targets; writes a dated JSON file and a figure. A call that was interrupted goes on where it stopped when it
    is given again.

    \b
    Examples:
      streambench bench perf
      streambench bench perf --data data/sf1 --markdown docs/performance.md
      streambench bench perf --section micro --section idle --quick
      streambench bench perf --from latest --markdown docs/performance.md
    """
    source, page = options.source, options.page
    if source is not None:
        _refuse_to_measure(source)
    check_data_to_make("scale_factor")
    if page is not None:
        check_places({"--markdown": page})
        with_block(page, MARK, "")  # a page without the marks is refused before anything is measured
    document = _measured(options) if source is None else _read(source, options.frame.folder)
    if source is not None:
        console = Console()
        if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
            console = Console(width=160)
        console.print(_shown(document["summary"]))
    if page is not None:
        write_all({page: as_text(with_block(page, MARK, markdown(document)))})


def _measured(options: PerfBenchOptions) -> dict[str, Any]:
    usual = QUICK if options.quick else PerfSettings()
    chosen, left_out = _sections(options.names)
    needs_data = any(sections.SECTIONS[name].needs_data for name in chosen)
    has_data = options.data is not None or options.scale_factor is not None or needs_data
    bench = PerfBench(
        sections=chosen,
        seconds=usual.seconds if options.seconds is None else options.seconds,
        repeats=usual.repeats if options.repeats is None else options.repeats,
        queries=options.queries,
        workers=options.workers or (),
        case=options.case,
    )
    if not {"scaling", "plans"}.intersection(chosen):
        refuse_given("is of the sections scaling and plans, and neither is measured", "workers")
    if not needs_data:
        refuse_given("is of sections over queries, and none is measured", "queries")
    scale = {"scale_factor": DEFAULT_SCALE if options.scale_factor is None else options.scale_factor}
    over = BenchSource.of(bench.queries, options.data, "paper", scale) if has_data else BenchSource()
    return PerfFrame(options.frame, _shown, drawable=perf_figures, warnings=left_out).run(bench, over)


class PerfFrame(BenchFrame):
    """Its table is a wide one."""

    width = 160


def _shown(rows: Rows) -> Group:
    return Group(terminal(rows), verdict(rows))


def _refuse_to_measure(source: str) -> None:
    """Refuse what has no meaning beside ``--from``, though its value be the default or nothing."""
    if typed(click.get_current_context(), HOW):
        raise OptionError("--from measures nothing: leave out what says how to measure.")
    if source != "latest" and typed(click.get_current_context(), ("folder",)):
        raise OptionError(f"--results is where --from latest looks: leave it out, as --from names {source}.")


def _read(source: str, folder: Path) -> dict[str, Any]:
    path = newest(folder, (PerfBench.kind,)) if source == "latest" else result_path(source, (PerfBench.kind,))
    document = results.read_of(path, PerfBench.kind)
    with results.whole(path, "what was measured is not told"):  # before anything is printed
        markdown(document)
    return document


def _sections(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The sections to measure, and a warning for each that is left out, as nobody has named it."""
    lacking = {name: words for name in sections.NAMES if (words := sections.missing(name)) is not None}
    for name in names:
        if name in lacking:
            raise OptionError(f"{lacking[name]}, or name other sections than {name}.")
    if names:
        return [name for name in sections.NAMES if name in names], []
    left = [f"the section {name} is left out: {words}" for name, words in lacking.items()]
    return [name for name in sections.NAMES if name not in lacking], left
