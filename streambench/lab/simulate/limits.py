"""What stops an engine on so many cores: what each of its parts is taken for, and whether more credit would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import MOST_CREDIT, Options
from streambench.execution.settled import Settled, settle
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.profile import ProfileSource, Simulable, profile
from streambench.lab.simulate.simulate import Report, SimulatedRun, once, require_simulable


@dataclass(frozen=True)
class Limits:
    """A simulated run, and one with ``credit_times`` as much credit: both are fed with one profile, so that they differ
    by the credit alone. ``credit``: units in flight of the first; ``partitions``: of each keyed operator."""

    simulated: SimulatedRun
    more_credit: SimulatedRun
    credit: int
    credit_times: int
    partitions: int

    @property
    def gain(self) -> float:
        """By which part of its throughput the run is faster with more credit."""
        return self.more_credit.throughput / self.simulated.throughput - 1

    def to_dict(self) -> dict[str, Any]:
        """The run's plain values, and what more credit gave."""
        return {
            **self.simulated.to_dict(),
            "credit": self.credit,
            "partitions": self.partitions,
            "credit_times": self.credit_times,
            "throughput_with_more_credit": self.more_credit.throughput,
        }


def require_credit(options: Options, cores: Sequence[int], credit_times: int) -> None:
    """Raise OptionError for ``credit_times`` that make no credit on one of the numbers of ``cores``."""
    for each in cores:
        credit = _settled(options, each).credit
        assert credit is not None, "both engines have credit"
        more = credit * credit_times
        if more > MOST_CREDIT or more & (more - 1):
            raise OptionError(
                f"`credit_times` {credit_times} makes `credit` {more} on {each} cores, where it is {credit}: that must "
                f"be a power of two up to {MOST_CREDIT}."
            )


def _settled(options: Options, cores: int) -> Settled:
    return settle(Options.of(options, workers=cores, engine=options.named_engine, pin=False), cores)


def limits(
    workload: Simulable,
    options: Options,
    cores: Sequence[int],
    machine: Machine,
    *,
    credit_times: int = 4,
    report: Report | None = None,
    profiled: ProfileSource = profile,
) -> list[Limits]:
    """Simulate ``workload`` on each number of ``cores``, a worker on each, as it is and with more credit.

    That a unit waits for credit cannot be told from a line or a lock: its worker is idle, as one without work is. So it
    is asked by giving more. ``profiled`` as of ``simulate``. Raises OptionError for cores that the topology has not,
    and as ``require_credit``.
    """
    for each in cores:
        machine.topology.require(each)
    require_simulable(options)
    require_credit(options, cores, credit_times)
    by_cores = []
    for each in cores:
        settled = _settled(options, each)
        assert settled.credit is not None, "both engines have credit"
        if report:
            report(f"profile run for {each} cores", 0, 1)
        fed = profiled(workload, settled)

        def simulated(credit: int, settled: Any = settled, fed: Any = fed) -> SimulatedRun:
            with_credit = replace(settled, credit=credit)
            return once(workload, with_credit, fed, machine.topology, machine.times, machine.seed, report).simulated

        as_is, more = simulated(settled.credit), simulated(settled.credit * credit_times)
        by_cores.append(Limits(as_is, more, settled.credit, credit_times, settled.partitions))
    return by_cores
