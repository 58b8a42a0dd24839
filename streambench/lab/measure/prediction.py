"""What more cores would give: a curve from a profile run here, with the band that comparisons with real runs leave.

>>> from streambench.lab.measure.prediction import predict
>>> for each in predict(workload, Options(engine="schemes"), 16, validation):     # doctest: +SKIP
...     print(each.cores, each.throughput, each.throughput_band, each.first)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.record.run import Row
from streambench.lab.record.validation_summary import band, compared
from streambench.lab.simulate.profile import ProfileSource, Simulable, profile
from streambench.lab.simulate.simulate import Report, SimulatedRun, simulate
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology

Band = tuple[float, float]


@dataclass(frozen=True)
class Prediction:
    """A simulated run, and the bands in which nine of ten real runs lay where both were had; None: nothing was
    compared. ``compared``: configurations that the bands rest on; ``compared_to``: the most cores that any was compared
    on. Of a number of cores that was not compared the bands are as wide as those of all that were, laid together."""

    simulated: SimulatedRun
    throughput_band: Band | None
    latency_band: Band | None
    compared: int
    compared_to: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **self.simulated.to_dict(),
            **{name: value for name, value in asdict(self).items() if name != "simulated"},
        }


def doublings(most: int) -> list[int]:
    """1, 2, 4, ... and ``most``. Raises OptionError for fewer than 1."""
    if most < 1:
        raise OptionError(f"`cores` must be at least 1, not {most}.")
    return sorted({*(1 << k for k in range(most.bit_length())), most})


def predict(
    workload: Simulable,
    options: Options,
    cores: int,
    validation: Sequence[Row] = (),
    *,
    topology: Topology | None = None,
    times: Times | None = None,
    seed: int = 1,
    report: Report | None = None,
    profiled: ProfileSource = profile,
) -> list[Prediction]:
    """The curve to ``cores``, by doublings. ``validation``: the summary of a result of `streambench simulate validate`.

    ``profiled`` and all else as of ``simulate``, which says what is raised, too.
    """
    runs = simulate(
        workload,
        options,
        doublings(cores),
        topology=topology,
        times=times,
        seed=seed,
        report=report,
        profiled=profiled,
    )
    return [with_band(each, options.named_engine, validation) for each in runs]


def with_band(simulated: SimulatedRun, engine: str, validation: Sequence[Row]) -> Prediction:
    """A simulated run with the bands of what was compared."""
    throughput = band(validation, "throughput", engine, simulated.cores)
    latency = band(validation, "latency", engine, simulated.cores)
    most = max(compared(validation, "throughput", engine), default=0)
    return Prediction(
        simulated,
        None if throughput is None else (simulated.throughput * throughput[0], simulated.throughput * throughput[1]),
        None if latency is None else (simulated.latency * latency[0], simulated.latency * latency[1]),
        0 if throughput is None else throughput[2],
        most,
    )
