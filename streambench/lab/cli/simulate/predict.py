"""`streambench simulate predict`: what more cores would give a pipeline, and how far off that may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import ParameterSet, data_option, parameter_set
from streambench.lab.cli.simulate.error_band import bands_told, validation_of
from streambench.lab.cli.simulate.simulation_frame import (
    Column,
    NamedWorkload,
    SimulationCall,
    SimulationOptions,
    few_units,
    rows_output,
    simulation_options,
    table,
)
from streambench.lab.measure.prediction import Band, Prediction, doublings, predict
from streambench.lab.record.summary import duration, human


def _band(band: Band | None, write: Callable[[float], str]) -> str:
    return "-" if band is None else f"{write(band[0])} to {write(band[1])}"


COLUMNS: list[Column[Prediction]] = [
    ("cores", lambda each: str(each.simulated.cores)),
    ("tuples/s", lambda each: human(each.simulated.throughput)),
    ("nine of ten", lambda each: _band(each.throughput_band, human)),
    ("latency", lambda each: duration(each.simulated.latency)),
    ("nine of ten", lambda each: _band(each.latency_band, duration)),
]


@command_options
class PredictOptions:
    """What is predicted, up to how many cores; ``validation``: the result whose errors make the band."""

    pipeline: str = argument()
    data: Path | None = shared(data_option)
    cores: int = option("Of the simulated machine: the most; the curve goes there by doublings.", 16)
    validation: str | None = option(
        "The result of `streambench simulate validate` that the band is of.  [default: the newest in results/]",
        type=LocalPath(),
        metavar="FILE|latest",
    )
    simulation: SimulationOptions = simulation_options()
    laps: int = count("Replay a query's stream that often.", 1, metavar=None)
    parameters: ParameterSet = shared(parameter_set)
    json_out: Path | None = shared(rows_output)


@command_of(PredictOptions)
def command(options: PredictOptions) -> None:
    """Predict what PIPELINE (module:function, or a query) would do on more cores, by the engine schemes or ordered.

    Profile runs here feed the simulator for each number of cores. Each number comes with the band in which nine of ten
    real runs lay where both were had, and with what saturates first. Nothing that is printed was measured on so many
    cores. The engine is chosen as `run` chooses it.

    \b
    Examples:
      streambench simulate predict readings:build --cores 16
      streambench simulate predict readings:build --data readings.parquet --cores 64 --topology 2x32
      streambench simulate predict q1 --data data/sf0.05 --cores 16 --engine ordered
      streambench simulate predict q1 --data data/sf0.05 --cores 16 --unit 256 --json -
    """
    called = SimulationCall.of(options.simulation, doublings(options.cores), options.json_out, options.laps)
    validation = validation_of(options.validation)
    name, named = options.pipeline, NamedWorkload.of(options.pipeline, options.data)
    called.check_rows_out([options.data, None if validation is None else validation.path], named.data)
    predictions, feed = called.simulated(
        lambda line: named.workload(options.parameters, line),
        lambda workload, feed, report: predict(
            workload,
            called.options,
            options.cores,
            [] if validation is None else validation.rows,
            topology=called.topology,
            times=feed.times,
            seed=called.seed,
            report=report,
            profiled=feed.profiled,
        ),
    )
    engine, simulated = called.options.named_engine, [each.simulated for each in predictions]
    called.give(
        {"pipeline": name, "validation": None if validation is None else validation.about},
        feed,
        predictions,
        [table(f"{name} by {engine}, simulated", COLUMNS, predictions, lambda each: each.simulated)],
        more=bands_told(validation, engine, [each.cores for each in simulated]),
        warnings=[
            *few_units(simulated, called.options.unit),
            *([] if validation is None else validation.warnings),
        ],
    )
