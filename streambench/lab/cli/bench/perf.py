"""`streambench bench perf`: what performance is judged by, side by side, its table, its result file and its figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import check_data_to_make, refuse_given
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import draw_figures, restart, results_folder
from streambench.lab.cli.shared_options import within as within_option
from streambench.lab.data import data_description
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.figures import draw, perf_figures
from streambench.lab.measure.perf import sections
from streambench.lab.measure.perf.measure import cases, perf
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, data_state, identity
from streambench.lab.record.journaled_document import begin
from streambench.lab.record.newest_result import newest, result_path
from streambench.lab.record.perf_summary import verdict
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.output import as_text, check_places, write_all
from streambench.lab.show.perf_table import MARK, markdown, terminal

DEFAULT_SCALE = 0.25
QUICK = Settings(seconds=0.05, repeats=3)
HOW = (
    *("names", "data", "scale_factor", "queries", "workers", "case", "repeats", "seconds", "quick", "require_idle"),
    *("draws", "within", "restart"),
)
"""The parameters that say how to measure."""


@click.command()
@click.option(
    "--section",
    "names",
    multiple=True,
    type=click.Choice(sections.NAMES),
    help="Only this section; may be given several times.  [default: all]",
)
@click.option(
    "--data", type=LocalPath(path_type=Path), help="Measure over this data directory instead of generating one."
)
@click.option(
    "--scale-factor",
    type=float,
    help="Size of the generated data; it is kept in data/ for the next time.  "
    f"[default: {DEFAULT_SCALE}, for sections that need data]",
)
@click.option(
    "--queries",
    type=words(),
    default=",".join(Settings.queries),
    show_default=True,
    help="Which queries, with commas.",
)
@click.option(
    "--workers",
    type=numbers(int, 1),
    metavar="N,..",
    help="Numbers of workers of the section scaling; the greatest is that of the section plans.  [default: 1, 2, 4 and "
    "so on to all cores; plans: 2]",
)
@click.option("--case", default="", metavar="TEXT", help="Only cases whose name holds this text.  [default: all]")
@click.option("--repeats", type=int, metavar="N", help=f"Runs of each thing.  [default: {Settings.repeats}]")
@click.option(
    "--run-time",
    "seconds",
    callback=parse_duration,
    metavar="TIME",
    help=f"About how long a run lasts.  [default: {Settings.seconds}s]",
)
@click.option(
    "--quick", is_flag=True, help=f"Runs of {QUICK.seconds} s, {QUICK.repeats} repeats: to see that it works."
)
@results_folder(
    "Where the dated result file goes, beside it a folder of the same name with its figure, and until it is finished "
    "the journal; with --from latest, where the newest result is looked for."
)
@click.option(
    "--from",
    "source",
    type=LocalPath(),
    metavar="FILE|latest",
    help="Measure nothing: show this result, or the newest of --results.",
)
@click.option(
    "--markdown",
    "page",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Also write the tables into this page, between its lines `<!-- perf: begin -->` and `<!-- perf: end -->`.",
)
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@draw_figures
@within_option
@restart
@click.pass_context
def command(
    ctx: click.Context,
    names: Sequence[str],
    data: Path | None,
    scale_factor: float | None,
    queries: tuple[str, ...],
    workers: tuple[int, ...] | None,
    case: str,
    repeats: int | None,
    seconds: float | None,
    quick: bool,
    folder: Path,
    source: str | None,
    page: Path | None,
    require_idle: bool,
    draws: bool,
    within: float | None,
    restart: bool,
) -> None:
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
    if source is not None:
        _refuse_to_measure(ctx, source)
    check_data_to_make("scale_factor")
    if page is not None:
        check_places({"--markdown": page})
        with_block(page, MARK, "")  # a page without the marks is told before anything is measured
    if source is not None:
        _show(_read(source, folder), page)
        return
    usual = QUICK if quick else Settings()
    settings = Settings(
        seconds=usual.seconds if seconds is None else seconds,
        repeats=usual.repeats if repeats is None else repeats,
        queries=queries,
        data=data,
        workers=workers or (),
        case=case,
        limit=TimeLimit(within),
    )
    results.check_folder(folder)
    chosen, left_out = _sections(names)
    if not {"scaling", "plans"}.intersection(chosen):
        refuse_given("is of the sections scaling and plans, and neither is measured", "workers")
    if not any(sections.SECTIONS[name].needs_data for name in chosen):
        refuse_given("is of sections over queries, and none is measured", "queries")
    if data is not None:  # what is missing is said before anything is measured
        data_state(Catalog.open(data), settings.streams, "paper")
    messages = Console(stderr=True)
    call = begin()
    if require_idle and call["busy"]:
        raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
    call["warnings"] += left_out
    tell_warnings(messages, call["warnings"])
    if data is None and (scale_factor is not None or any(sections.SECTIONS[name].needs_data for name in chosen)):
        with BenchProgress(messages, "perf") as progress:
            data = generated(
                DEFAULT_SCALE if scale_factor is None else scale_factor,
                progress=lambda step, done: progress.report(f"generating {step}", done),
            )
    settings = replace(settings, data=data)
    catalog = None if data is None else Catalog.open(data)
    state = data_state(catalog, settings.streams, "paper")
    key = identity({**settings.plain(), "sections": chosen}, state, call["machine"])
    with Journal(folder, "perf", key, restart=restart) as journal:
        document = _measured(settings, chosen, catalog, journal, call, messages)
        tell_warnings(messages, document["warnings"], told=call["warnings"])
        written = results.write(document, folder)
        journal.remove()
    _show(results.read(written), page)
    console = Console()
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    if not draws:
        return
    if not perf_figures(document):
        console.print("no figure: none is of these sections, and none of their rows has a target", highlight=False)
        return
    for figure in draw(document, written.with_suffix("")):
        console.print(f"figure: {figure}", soft_wrap=True, highlight=False, markup=False)


def _refuse_to_measure(ctx: click.Context, source: str) -> None:
    """Refuse what has no meaning beside ``--from``, though its value be the default or nothing."""
    typed = {name for name in ctx.params if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE}
    if typed.intersection(HOW):
        raise OptionError("--from measures nothing: leave out what says how to measure.")
    if source != "latest" and "folder" in typed:
        raise OptionError(f"--results is where --from latest looks: leave it out, as --from names {source}.")


def _read(source: str, folder: Path) -> dict[str, Any]:
    path = newest(folder, ("perf",)) if source == "latest" else result_path(source, ("perf",))
    document = results.read_of(path, "perf")
    with results.whole(path, "what was measured is not told"):  # before anything is printed
        markdown(document)
    return document


def _show(document: Mapping[str, Any], page: Path | None) -> None:
    """Print the table; write it into the page."""
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=160)
    console.print(terminal(document["summary"]))
    console.print(verdict(document["summary"]))
    if page is not None:
        write_all({page: as_text(with_block(page, MARK, markdown(document)))})


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


def _measured(
    settings: Settings,
    chosen: Sequence[str],
    data: Catalog | None,
    journal: Journal,
    call: Record,
    messages: Console,
) -> dict[str, Any]:
    """The result document, of which some cases may have been measured by earlier calls."""
    total = len(cases(settings, chosen))
    parameters = {} if data is None else data_description.describe(data)
    with BenchProgress(messages, "perf") as progress, settings.limit.stopped_by_signal():
        if kept := _cases(journal):
            progress.say(f"{kept} of {total} cases kept from before")
        try:
            return perf(settings, chosen, parameters, progress.report, journal=journal, call=call)
        except KeyboardInterrupt:
            count = _cases(journal)
            progress.say(f"interrupted; {count} of {total} cases are kept, the same command goes on from there")
            raise SystemExit(130) from None


def _cases(journal: Journal) -> int:
    return sum(record["step"] == "case" for record in journal.records)
