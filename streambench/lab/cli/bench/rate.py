"""`streambench bench rate`: the highest rate that a query sustains within a latency bound."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.errors import OptionError
from streambench.execution.arrival_process import ARRIVALS, Arrivals
from streambench.execution.marker_statistics import QUANTILES
from streambench.execution.options import ENGINES, HEURISTICS, Engine
from streambench.host.limits import default_workers
from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import data_directory, scale_factor, seconds
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.options import argument, command_of, command_options, group, option, shared
from streambench.lab.cli.shared_options import ParameterSet, parameter_set
from streambench.lab.measure.rate_search import RateSearch
from streambench.lab.record.rate_search_summary import KIND, label, wrong
from streambench.lab.show.tables import rate_search as table

BOUNDS = Flags(
    *(
        flag(
            f"--{name}",
            callback=parse_duration,
            metavar="TIME",
            help=f"Bound on the latency's {label(name)}, with its unit, such as 5ms.",
        )
        for name in QUANTILES
    )
)


def _bound(**bounds: float | None) -> tuple[str, float]:
    """The quantile that has a bound, and its seconds."""
    named = [(name, value) for name, value in bounds.items() if value is not None]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in QUANTILES)
        raise OptionError(f"bench rate takes one bound: give one of {options}, such as --p99 5ms.")
    return named[0]


@command_options
class RateBenchOptions:
    """Fields as those of ``RateSearch``, and the data. ``target``: the bounded quantile, and its bound."""

    queries: tuple[str, ...] = argument(type=words())
    target: tuple[str, float] = group(BOUNDS, _bound)
    engines: tuple[Engine, ...] | None = option(
        "Which engines.  [default: serial,ordered; with --heuristics serial,schemes]", type=words(ENGINES)
    )
    heuristics: tuple[str, ...] | None = option(
        f"Of the engine schemes: {','.join(HEURISTICS)}, lp:8, or your own: module:Class.  [default: ct]",
        type=words(HEURISTICS, own=True),
    )
    work_unit: int | None = option("Tuples per work unit.  [default: as with run]", spelled="--unit", metavar="N")
    workers: tuple[int, ...] | None = option(
        "Numbers of workers, with commas.  [default: 1 and all cores]", type=numbers(int, 1)
    )
    arrivals: Arrivals = option(
        "When tuples arrive: at equal intervals, at random, in bursts at four times the rate, or in steps.",
        RateSearch.arrivals,
        type=click.Choice(ARRIVALS),
    )
    arrival_seed: int = option("Of the first run's arrivals.", RateSearch.arrival_seed)
    seconds: float = seconds("What a run lasts, at least.", f"{RateSearch.seconds:g}s", "--run-time")
    precision: float = option(
        "How near each other the rates that met and missed the bound shall be: 0.05 is 5 %.", RateSearch.precision
    )
    data: Path | None = data_directory("Search over this data directory, not generated data.")
    scale_factor: float = scale_factor(0.05)
    parameters: ParameterSet = shared(parameter_set)
    frame: FrameOptions = frame_options("json_path", "require_idle", "draws", "restart")


@command_of(RateBenchOptions, name=KIND)
def command(options: RateBenchOptions) -> None:
    """Find the highest rate at which QUERIES (names, with commas) stay within a latency bound, by bisection.

    Exactly one bound is given: --p50, --p90, --p99, --p999 or --max.

    Tuples arrive in an open loop, whether or not the query keeps up, and latency is counted from the intended arrival
    until the sink has processed the tuple. At each rate runs are repeated until they tell whether the bound is met. The
    result is the highest rate that met the bound, with its interval, and the lowest that missed it. Every run is
    checked.

    Each query, engine, heuristic and number of workers takes 20 to 50 runs: with the defaults half a minute on an idle
    machine, a minute or two where others disturb it. A run lasts --run-time, 100 bounds, and until 50 markers lie
    beyond the quantile. A call that was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench rate q2 --p99 5ms
      streambench bench rate q1,q4 --p999 20ms --workers 1,2 --arrivals poisson
      streambench bench rate q2 --p99 20ms --heuristics qst,lp,et,ct --unit 1
      streambench bench rate q2 --p99 2ms --engines ordered --precision 0.02 --json rates.json
    """
    quantile, bound = options.target
    workers = tuple(dict.fromkeys((1, default_workers())))
    engines = ("serial", "schemes" if options.heuristics else "ordered")
    usual = {
        "engines": engines,
        "quantile": quantile,
        "bound": bound,
        "workers": workers,
        "parameter_set": options.parameters,
    }
    search = bench_of(RateSearch, options, usual)
    source = BenchSource.of(search.queries, options.data, options.parameters, {"scale_factor": options.scale_factor})
    BenchFrame(options.frame, table, wrong).run(search, source)
