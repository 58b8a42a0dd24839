"""`streambench rate-search`: the highest rate that a query sustains within a latency bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.cli.bench_progress import BenchProgress
from streambench.cli.comma_list import numbers, words
from streambench.cli.duration import parse_duration
from streambench.cli.shared_options import parameter_set, restart, results_folder
from streambench.data.catalog import Catalog
from streambench.data.data_description import describe
from streambench.data.generated import generated
from streambench.errors import OptionError, StreambenchError
from streambench.execution.arrival_process import ARRIVALS
from streambench.execution.marker_statistics import QUANTILES
from streambench.execution.options import ENGINES
from streambench.figures import draw
from streambench.host.limits import default_workers
from streambench.measure.rate_search import RateSearch, rate_search
from streambench.record import results
from streambench.record.journal import Journal, Record, data_state, identity
from streambench.record.journaled_document import begin
from streambench.record.rate_search_summary import KIND, label, table, wrong
from streambench.show.console import tell_warnings
from streambench.show.output import STDOUT, as_json, check_places, json_text, write_all

DEFAULT_SCALE = 0.05


def bounds(command: Any) -> Any:
    """An option for each quantile, of which one is given."""
    for name in reversed(QUANTILES):
        command = click.option(
            f"--{name}", callback=parse_duration, metavar="TIME", help=f"Bound on the latency's {label(name)}, as 5ms."
        )(command)
    return command


@click.command(name=KIND, short_help="Find the highest rate that stays within a latency bound.")
@click.argument("queries", type=words())
@bounds
@click.option("--engines", type=words(ENGINES), default="serial,ordered", show_default=True, help="Which engines.")
@click.option("--workers", type=numbers(int, 1), help="Numbers of workers, with commas.  [default: 1 and all cores]")
@click.option(
    "--arrivals",
    type=click.Choice(ARRIVALS),
    default=RateSearch.arrivals,
    show_default=True,
    help="When tuples arrive: at equal intervals, at random, or in bursts at four times the rate.",
)
@click.option(
    "--arrival-seed", type=int, default=RateSearch.arrival_seed, show_default=True, help="Of the first run's arrivals."
)
@click.option(
    "--seconds", type=float, default=RateSearch.seconds, show_default=True, help="What a run lasts, at least."
)
@click.option(
    "--precision",
    type=float,
    default=RateSearch.precision,
    show_default=True,
    help="How near each other the rates that met and missed the bound shall be.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Search over this data directory, not generated data.",
)
@click.option(
    "--scale-factor",
    type=float,
    default=DEFAULT_SCALE,
    show_default=True,
    help="Size of the generated data; it is kept in data/ for the next time.",
)
@parameter_set
@click.option("--json", "json_path", type=click.Path(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder(
    "Where the dated result file goes, beside it a folder of the same name with its figure, and until it is finished "
    "the journal."
)
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@restart
def command(
    queries: tuple[str, ...],
    engines: tuple[str, ...],
    workers: tuple[int, ...] | None,
    arrivals: str,
    arrival_seed: int,
    seconds: float,
    precision: float,
    data: Path | None,
    scale_factor: float,
    parameters: str,
    json_path: Path | None,
    folder: Path,
    require_idle: bool,
    restart: bool,
    **given: float | None,
) -> None:
    """Find the highest rate at which QUERIES (names, with commas) stay within a latency bound, by bisection.

    Tuples arrive in an open loop, whether or not the query keeps up, and latency is counted from the intended arrival
    until the sink has processed the tuple. At each rate runs are repeated until they tell whether the bound is met;
    runs that the host disturbed do not count against a rate. The result is the highest rate that met the bound, and the
    lowest that missed it. Every run is checked. A call that was interrupted goes on where it stopped.

    \b
    Examples:
      streambench rate-search q2 --p99 5ms
      streambench rate-search q1,q4 --p999 20ms --workers 1,2 --arrivals poisson
      streambench rate-search q2 --p99 2ms --engines ordered --precision 0.02 --json rates.json
    """
    quantile, bound = _bound(given)
    wanted = RateSearch(
        queries=queries,
        workers=workers or tuple(dict.fromkeys((1, default_workers()))),
        quantile=quantile,
        bound=bound,
        engines=engines,
        arrivals=arrivals,
        arrival_seed=arrival_seed,
        seconds=seconds,
        precision=precision,
        parameter_set=parameters,
    )
    results.check_folder(folder)
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    if data is not None:  # what is missing is said before anything is measured
        data_state(Catalog.open(data), wanted.queries, parameters)
    messages = Console(stderr=True)
    console = messages if json_path == STDOUT else Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=130, stderr=json_path == STDOUT)
    call = begin()
    if require_idle and call["busy"]:
        raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
    tell_warnings(messages, call["warnings"])
    if data is None:
        with BenchProgress(messages, KIND) as progress:
            data = generated(scale_factor, progress=lambda step, done: progress.report(f"generating {step}", done))
    catalog = Catalog.open(data)
    described = {"data": data.resolve().name, **describe(catalog)}
    key = identity(wanted.settings(), data_state(catalog, wanted.queries, parameters), call["machine"])
    with Journal(folder, KIND, key, restart=restart) as journal:
        document = _measured(catalog, wanted, described, journal, call, messages)
        console.print(table(document["summary"]))
        tell_warnings(messages, document["warnings"], told=call["warnings"])
        written = results.write(document, folder)
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False)
    if bad := wrong(document["summary"]):
        raise StreambenchError(f"wrong results, which have no number: {', '.join(bad)}.")
    for figure in draw(document, written.with_suffix("")):
        console.print(f"figure: {figure}", soft_wrap=True, highlight=False)
    if json_path == STDOUT:
        click.echo(json_text(document["summary"]), nl=False)
    elif json_path is not None:
        write_all({json_path: as_json(document["summary"])})


def _bound(given: dict[str, float | None]) -> tuple[str, float]:
    """The quantile that has a bound, and its seconds."""
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in QUANTILES)
        raise OptionError(f"rate-search takes one bound: give one of {options}, such as --p99 5ms.")
    return named[0]


def _measured(
    data: Catalog, wanted: RateSearch, described: dict[str, Any], journal: Journal, call: Record, messages: Console
) -> dict[str, Any]:
    """The result document, of which some runs may have been measured by earlier calls."""
    with BenchProgress(messages, KIND) as progress:
        if kept := _runs(journal):
            progress.say(f"{kept} runs kept from before")
        try:
            return rate_search(data, wanted, described, progress.report, journal=journal, call=call)
        except KeyboardInterrupt:
            progress.say(f"interrupted; {_runs(journal)} runs are kept, the same command goes on from there")
            raise SystemExit(130) from None


def _runs(journal: Journal) -> int:
    return sum(record["step"] == "run" for record in journal.records)
