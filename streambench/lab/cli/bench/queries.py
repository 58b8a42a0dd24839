"""`streambench bench queries`: queries and own pipelines on all cores: table, result file and figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.datagen.model import PROFILES
from streambench.errors import StreambenchError
from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import check_data_to_make
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.shared_options import draw_figures, parameter_set, restart, results_folder
from streambench.lab.cli.shared_options import oracle as oracle_option
from streambench.lab.cli.shared_options import within as within_option
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.data.generated import generated
from streambench.lab.figures import draw
from streambench.lab.measure.bench import Bench, bench, worker_counts
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, data_state, identity
from streambench.lab.record.journaled_document import begin
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.tables import bench as table
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own

DEFAULT_SCALE = 0.25
OF_QUERIES = ("scale_factor", "days", "seed", "profile", "parameters")


@click.command()
@click.option(
    "--scale-factor",
    type=float,
    default=DEFAULT_SCALE,
    show_default=True,
    help="Size of the generated data; it is kept in data/ for the next time.",
)
@click.option(
    "--data",
    type=LocalPath(path_type=Path),
    metavar="DIR|FILE",
    help="Measure over this data directory instead of generating one. Of own pipelines alone: a Parquet file, or a "
    "folder of them, for the functions.",
)
@click.option("--days", type=int, default=30, show_default=True, help="Event time that the generated stream covers.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the generated data.")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="session",
    show_default=True,
    help="Of the generated data: the clicks of a visit within minutes of each other, or (pdgf) at random within a day; "
    "heavy: tickets as long as a real shop's.",
)
@click.option(
    "--queries",
    type=words(),
    default="q1,q2,q3,q4,q15,ysb",
    show_default=True,
    help="Which queries, and own pipelines as module:function, with commas.",
)
@oracle_option
@click.option(
    "--workers",
    type=numbers(int, 1),
    help="Numbers of workers, with commas.  [default: 1 to as many as there are cores]",
)
@click.option(
    "--units",
    type=numbers(int, 1),
    help="Unit sizes to try, the best of which is measured.  [default: some for serial; the ordered engine chooses "
    "while it runs]",
)
@click.option("--repeats", type=int, default=Bench.repeats, show_default=True, help="Runs of each configuration.")
@click.option(
    "--run-time",
    "min_seconds",
    default=f"{Bench.min_seconds:g}s",
    show_default=True,
    callback=parse_duration,
    metavar="TIME",
    help="What the fastest configuration's run lasts at least; the laps are chosen for it.",
)
@results_folder(
    "Where the dated result file goes, beside it a folder of the same name with its figure, and until it is "
    "finished the journal."
)
@parameter_set
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@draw_figures
@within_option
@restart
def command(
    scale_factor: float,
    data: Path | None,
    days: int,
    seed: int,
    profile: str,
    queries: tuple[str, ...],
    oracle: Path | None,
    workers: tuple[int, ...] | None,
    units: tuple[int, ...] | None,
    repeats: int,
    min_seconds: float,
    folder: Path,
    parameters: str,
    require_idle: bool,
    draws: bool,
    within: float | None,
    restart: bool,
) -> None:
    """Measure throughput and latency of the queries with one good thread (serial) and with the ordered engine.

    Runs are interleaved, warmed up, repeated, and every one is checked. The serial engine is calibrated to its best
    unit size first; the ordered engine chooses unit and plan while it runs. Prints a table; writes a dated JSON file
    and a figure. A call that was interrupted goes on where it stopped when it is given again.

    Own pipelines are measured likewise: module:function returns a new Pipeline in every call and is called once for
    each run, which lasts as long as its stream, whatever --run-time says; what --data names is given to it as a
    pyarrow Table.

    \b
    Examples:
      streambench bench queries
      streambench bench queries --scale-factor 1 --repeats 12
      streambench bench queries --data data/mine --queries q1 --workers 1,2,4
      streambench bench queries --queries readings:build --oracle records.sql
    """
    wanted = Bench(
        queries=list(queries),
        workers=list(workers) if workers else worker_counts(),
        repeats=repeats,
        min_seconds=min_seconds,
        units=units or (),
        parameter_set=parameters,
    )
    results.check_folder(folder)
    over_data = [name for name in wanted.queries if not is_own(name)]
    own = own_workloads(wanted.queries, oracle, OF_QUERIES, None if over_data else data)
    if over_data:
        check_data_to_make("scale_factor", "days", "seed", "profile")
    if data is not None and over_data:  # what is missing is said before anything is measured
        data_state(Catalog.open(data), over_data, parameters)
    console, messages = Console(), Console(stderr=True)
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=120)
    call = begin()
    if require_idle and call["busy"]:
        raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
    tell_warnings(messages, call["warnings"])
    with BenchProgress(messages) as progress:
        if data is None and over_data:
            data = generated(
                scale_factor, days, seed, profile, lambda step, done: progress.report(f"generating {step}", done)
            )
    catalog = Catalog.open(data) if data is not None and over_data else None
    state = [*data_state(catalog, over_data, parameters), *(each.state() for each in own.values())]
    described = {
        **({} if data is None else {"data": data.resolve().name}),
        **({} if catalog is None else describe(catalog)),
        **({} if oracle is None else {"oracle": oracle.name}),
    }
    key = identity(wanted.settings(), state, call["machine"])
    with Journal(folder, "bench", key, restart=restart) as journal:
        document = _measured(catalog, wanted, own, described, journal, call, messages, TimeLimit(within))
        console.print(table(document["summary"]))
        tell_warnings(messages, document["warnings"], told=call["warnings"])
        written = results.write(document, folder)
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    wrong = [row for row in document["summary"] if not row["verified"]]
    if wrong:
        names = ", ".join(sorted({f"{row['query']} {row['engine']} with {row['workers']} workers" for row in wrong}))
        raise StreambenchError(f"wrong results, which have no number: {names}.")
    for figure in draw(document, written.with_suffix("")) if draws else ():
        console.print(f"figure: {figure}", soft_wrap=True, highlight=False, markup=False)


def _measured(
    data: Catalog | None,
    wanted: Bench,
    own: dict[str, OwnWorkload],
    described: dict[str, Any],
    journal: Journal,
    call: Record,
    messages: Console,
    limit: TimeLimit,
) -> dict[str, Any]:
    """The result document of a bench, of which some may have been measured by earlier calls."""
    total = len(wanted.queries) * (1 + len(wanted.workers)) * wanted.repeats
    with BenchProgress(messages) as progress, limit.stopped_by_signal():
        if kept := _runs(journal):
            progress.say(f"{kept} of {total} runs kept from before")
        try:
            return bench(data, wanted, described, progress.report, journal=journal, call=call, own=own, limit=limit)
        except KeyboardInterrupt:
            progress.say(f"interrupted; {_runs(journal)} of {total} runs are kept, the same command goes on from there")
            raise SystemExit(130) from None


def _runs(journal: Journal) -> int:
    return sum(record["step"] == "run" for record in journal.records)
