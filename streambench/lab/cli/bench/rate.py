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
from streambench.lab.cli.bench import bench_options
from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, frame_options
from streambench.lab.cli.bench.bench_options import TIME, data_directory, option
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.shared_options import parameter_set
from streambench.lab.measure.rate_search import RateSearch
from streambench.lab.record.rate_search_summary import KIND, label, wrong
from streambench.lab.show.tables import rate_search as table


def bounds(command: Any) -> Any:
    """An option for each quantile, of which one is given."""
    for name in reversed(QUANTILES):
        help = f"Bound on the latency's {label(name)}, with its unit, such as 5ms."
        command = option(f"--{name}", TIME, help)(command)
    return command


@click.command(name=KIND)
@click.argument("queries", type=words())
@bounds
@option("--engines", words(ENGINES), "Which engines.", default="serial,ordered")
@option("--workers", numbers(int, 1), "Numbers of workers, with commas.  [default: 1 and all cores]")
@option(
    "--arrivals",
    click.Choice(ARRIVALS),
    "When tuples arrive: at equal intervals, at random, in bursts at four times the rate, or in steps.",
    default=RateSearch.arrivals,
)
@option("--arrival-seed", int, "Of the first run's arrivals.", default=RateSearch.arrival_seed)
@option("--run-time", TIME, "What a run lasts, at least.", "seconds", default=f"{RateSearch.seconds:g}s")
@option(
    "--precision",
    float,
    "How near each other the rates that met and missed the bound shall be: 0.05 is 5 %.",
    default=RateSearch.precision,
)
@data_directory("Search over this data directory, not generated data.")
@bench_options.scale_factor(0.05)
@parameter_set
@frame_options("json_path", "require_idle", "draws", "restart")
def command(
    frame: FrameOptions,
    queries: tuple[str, ...],
    workers: tuple[int, ...] | None,
    data: Path | None,
    scale_factor: float,
    parameters: str,
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
    quantile, bound = _bound({name: given.pop(name) for name in QUANTILES})
    wanted = RateSearch(
        queries=queries,
        workers=workers or tuple(dict.fromkeys((1, default_workers()))),
        quantile=quantile,
        bound=bound,
        parameter_set=parameters,
        **given,
    )
    source = BenchSource.of(wanted.queries, data, parameters, {"scale_factor": scale_factor})
    BenchFrame(frame, table, wrong).run(wanted, source)


def _bound(given: dict[str, float | None]) -> tuple[str, float]:
    """The quantile that has a bound, and its seconds."""
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in QUANTILES)
        raise OptionError(f"bench rate takes one bound: give one of {options}, such as --p99 5ms.")
    return named[0]
