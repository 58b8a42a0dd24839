"""`streambench bench rate`: the highest rate that a query sustains within a latency bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.errors import OptionError
from streambench.execution.arrival_process import ARRIVALS
from streambench.execution.marker_statistics import QUANTILES
from streambench.execution.options import ENGINES
from streambench.host.limits import default_workers
from streambench.lab.cli.bench.over_data import OverData
from streambench.lab.cli.bench.paper_bench import PaperBench, paper_bench_options
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import check_data_to_make
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import parameter_set
from streambench.lab.measure.rate_search import RateSearch, rate_search
from streambench.lab.record.rate_search_summary import KIND, label, wrong
from streambench.lab.show.tables import rate_search as table

DEFAULT_SCALE = 0.05


def bounds(command: Any) -> Any:
    """An option for each quantile, of which one is given."""
    for name in reversed(QUANTILES):
        command = click.option(
            f"--{name}",
            callback=parse_duration,
            metavar="TIME",
            help=f"Bound on the latency's {label(name)}, with its unit, such as 5ms.",
        )(command)
    return command


@click.command(name=KIND)
@click.argument("queries", type=words())
@bounds
@click.option("--engines", type=words(ENGINES), default="serial,ordered", show_default=True, help="Which engines.")
@click.option("--workers", type=numbers(int, 1), help="Numbers of workers, with commas.  [default: 1 and all cores]")
@click.option(
    "--arrivals",
    type=click.Choice(ARRIVALS),
    default=RateSearch.arrivals,
    show_default=True,
    help="When tuples arrive: at equal intervals, at random, in bursts at four times the rate, or in steps.",
)
@click.option(
    "--arrival-seed", type=int, default=RateSearch.arrival_seed, show_default=True, help="Of the first run's arrivals."
)
@click.option(
    "--run-time",
    "seconds",
    default=f"{RateSearch.seconds:g}s",
    show_default=True,
    callback=parse_duration,
    metavar="TIME",
    help="What a run lasts, at least.",
)
@click.option(
    "--precision",
    type=float,
    default=RateSearch.precision,
    show_default=True,
    help="How near each other the rates that met and missed the bound shall be: 0.05 is 5 %.",
)
@click.option(
    "--data",
    type=LocalPath(path_type=Path),
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
@paper_bench_options
def command(
    queries: tuple[str, ...],
    workers: tuple[int, ...] | None,
    data: Path | None,
    scale_factor: float,
    parameters: str,
    json_path: Path | None,
    folder: Path,
    require_idle: bool,
    draws: bool,
    restart: bool,
    **given: Any,
) -> None:
    """Find the highest rate at which QUERIES (names, with commas) stay within a latency bound, by bisection.

    Exactly one bound is given: --p50, --p90, --p99, --p999 or --max.

    Tuples arrive in an open loop, whether or not the query keeps up, and latency is counted from the intended arrival
    until the sink has processed the tuple. At each rate runs are repeated until they tell whether the bound is met. The
    result is the highest rate that met the bound, with its interval, and the lowest that missed it. Every run is
    checked.

    Each query, engine and number of workers takes 20 to 50 runs: with the defaults half a minute on an idle machine, a
    minute or two where others disturb it. A run lasts --run-time, 100 bounds, and until 50 markers lie beyond the
    quantile. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench rate q2 --p99 5ms
      streambench bench rate q1,q4 --p999 20ms --workers 1,2 --arrivals poisson
      streambench bench rate q2 --p99 2ms --engines ordered --precision 0.02 --json rates.json
    """
    check_data_to_make("scale_factor")
    quantile, bound = _bound({name: given.pop(name) for name in QUANTILES})
    wanted = RateSearch(
        queries=queries,
        workers=workers or tuple(dict.fromkeys((1, default_workers()))),
        quantile=quantile,
        bound=bound,
        parameter_set=parameters,
        **given,
    )
    PaperBench(KIND, rate_search, table, wrong).run(
        wanted,
        json_path=json_path,
        folder=folder,
        require_idle=require_idle,
        restart=restart,
        draws=draws,
        over=OverData(data, scale_factor, wanted.queries, parameters),
    )


def _bound(given: dict[str, float | None]) -> tuple[str, float]:
    """The quantile that has a bound, and its seconds."""
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in QUANTILES)
        raise OptionError(f"bench rate takes one bound: give one of {options}, such as --p99 5ms.")
    return named[0]
