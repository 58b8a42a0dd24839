"""A query or an own pipeline on simulated cores, by the engine `schemes` or `ordered`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from streambench.errors import DataError, OptionError, StreambenchError
from streambench.execution import marker_statistics
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import Settled, settle
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.profile import Profile, ProfileSource, Simulable, profile
from streambench.lab.simulate.times import Times, measure
from streambench.lab.simulate.topology import Topology
from streambench.pyx.tuples.operator import PartitionedStateful, Stateless

PICOSECONDS = 12  # decimals of seconds: what is behind them is the conversion's own
SATURATED = 0.9  # of the run's time
SEEDS = 1 << 63

Report = Callable[[str, int, int], None]
"""Called with (what is being done, done, in all)."""


@dataclass(frozen=True)
class SimulatedRun:
    """What a simulated run took. Nothing of it was measured on so many cores.

    ``cores``: as many as workers. ``seconds``, ``throughput`` (tuples a second) and ``latency`` (mean, seconds) are
    simulated. ``first``: what is taken for the largest part of the time, ``taken``: that part, 1 for all of it; it
    saturates where that is near 1. ``busy``, ``waited``, ``idle``: parts of the workers' time: at work with what the
    runtime takes for it, for cache lines that others have, without anything to do or asleep for the GIL. ``events``: of
    the simulation. ``digest``: of the output sequence, which is the serial engine's. ``profiled``: seconds of the real
    profile runs.
    ``plan``, ``unit``, ``changes``: of ``ordered``, what the controller chose last, and how many choices it had made.
    ``parts``: by name, the part of the time for which each of all that ``first`` is chosen from was taken.
    """

    cores: int
    tuples: int
    seconds: float
    throughput: float
    latency: float
    first: str
    taken: float
    busy: float
    waited: float
    idle: float
    events: int
    digest: str
    profiled: float
    plan: str | None = None
    unit: int | None = None
    changes: int = 0
    parts: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, and that they are simulated."""
        return {"simulated": True, **asdict(self)}


def simulate(
    workload: Simulable,
    options: Options,
    cores: Iterable[int],
    *,
    topology: Topology | None = None,
    times: Times | None = None,
    seed: int = 1,
    report: Report | None = None,
    profiled: ProfileSource = profile,
) -> list[SimulatedRun]:
    """Simulate ``workload`` on each number of ``cores``, as ``options`` say but for the workers, one for each core.

    Each is fed with a profile run of one worker, with as many partitions; of ``ordered`` with several where its
    controller may choose. ``times``: of the machine (None: measured now). ``profiled``: what gives the profiles, such
    as ``KeptProfiles.profile``; left out, they are measured. With the same profile and ``seed`` the result is the same.

    Raises OptionError for the engine ``serial``, for a rate, for cores that the ``topology`` has not, and for a seed
    that is not from 0 to 2**63 - 1; DataError for an empty stream; StreambenchError where a simulated run's output is
    not the serial engine's.
    """
    place, cores = topology or Topology(), list(cores)
    for each in cores:
        place.require(each)
    require_simulable(options)
    if workload.rows == 0:
        raise DataError(f"the stream of {workload.name} is empty: there is nothing to simulate.")
    if not 0 <= seed < SEEDS:
        raise OptionError(f"`seed` must be from 0 to 2**63 - 1, not {seed}.")
    known = times or measure()
    runs: list[SimulatedRun] = []
    profiles: dict[tuple[int, int | None, bool], Profile] = {}
    for each in cores:
        # Not pinned: there is one thread, which is to stay where it is.
        settled = settle(Options.of(options, workers=each, engine=options.named_engine, pin=False), each)
        key = settled.partitions, settled.credit, settled.at_work > 1
        if key not in profiles:
            if report:
                report(f"profile run for {each} cores", 0, 1)
            profiles[key] = profiled(workload, settled)
        runs.append(once(workload, settled, profiles[key], place, known, seed, report).simulated)
    return runs


def require_simulable(options: Options) -> None:
    """Raise OptionError for options of runs that are not simulated."""
    if options.named_engine == "serial":
        raise OptionError("`engine` serial has one thread: simulate schemes or ordered.")
    if options.rate:
        raise OptionError("streams are simulated as fast as they are taken: leave out `rate`.")


@dataclass(frozen=True)
class WholeSimulatedRun:
    """A simulated run with all that a measured one has. ``latency``, ``latency_operators``: the mean and quantiles as
    of ``Measurement``. ``stages``: as its ``profile``, seconds of simulated workers."""

    simulated: SimulatedRun
    latency: dict[str, float]
    latency_operators: dict[str, float]
    stages: list[dict[str, Any]]


def once(
    workload: Simulable,
    settled: Settled,
    fed: Profile,
    place: Topology,
    times: Times,
    seed: int,
    report: Report | None = None,
) -> WholeSimulatedRun:
    """Simulate one run, fed with a profile. Raises StreambenchError where its output is not the serial engine's, and
    where the profile does not say what it takes."""
    machine = Machine(times, place, seed).cores(fed.costs)
    total = workload.rows * settled.laps

    def watch(tuples: int) -> None:
        if report:
            report(f"simulating {settled.workers} cores", tuples, total)

    allowed = os.sched_getaffinity(0)
    try:
        with machine:
            measured, pipeline = workload.run(settled, watch, keep=False)
    finally:
        os.sched_setaffinity(0, allowed)  # all workers were this thread, and whoever sat down last kept it on its core
    if pipeline.sink.digest != workload.serial_digest(settled.laps):
        raise StreambenchError(
            f"the output simulated with {settled.workers} workers is not the serial engine's: "
            + ("its function must build the same stream in every call; if it does, " if ":" in workload.name else "")
            + "report this."
        )
    assert machine.markers is not None, "an engine has an egress"
    index, entered, operated, left = machine.markers
    latency = marker_statistics.latency(entered, left)
    where = machine.where()
    parts = parts_taken(pipeline, where)
    first, share = saturates(pipeline, where)
    simulated = SimulatedRun(
        cores=settled.workers,
        tuples=measured.tuples,
        seconds=machine.seconds,
        throughput=marker_statistics.throughput(index, left, measured.tuples, machine.seconds),
        latency=latency["mean"],
        first=first,
        taken=share,
        busy=where["workers"],
        waited=where["waited"],
        idle=where["idle"],
        events=machine.events,
        digest=pipeline.sink.digest,
        profiled=fed.seconds,
        parts=parts,
        **_chosen(measured.choices),
    )
    # Ticks became seconds by how long the simulation took: the markers, which are both, say by how much that is wrong.
    scale = left[-1] / measured.markers[2][-1] if len(left) and measured.markers[2][-1] > 0 else 1.0
    stages = [{**each, "seconds": round(each["seconds"] * scale, PICOSECONDS)} for each in measured.profile]
    return WholeSimulatedRun(simulated, latency, marker_statistics.latency(entered, operated), stages)


def _chosen(choices: list[dict[str, Any]]) -> dict[str, Any]:
    if not choices:
        return {}
    last = choices[-1]
    return {"plan": last["plan"], "unit": last["unit"], "changes": last["number"]}


def saturates(pipeline: Pipeline, where: dict[str, Any]) -> tuple[str, float]:
    """What is taken for the largest part of the time, and for which part: ``where`` as ``SimulatedCores`` says."""
    return max(parts_taken(pipeline, where).items(), key=lambda item: item[1])


def parts_taken(pipeline: Pipeline, where: dict[str, Any]) -> dict[str, float]:
    """Of all that can saturate, by name: the part of the time for which it was taken. Of one core neither the lock nor
    turns: nobody else wants them."""
    waits: dict[str, float] = where["waits"]
    waited = sum(waits.values())
    mostly = f", mostly of {max(waits, key=lambda name: waits[name])}" if waited > 0 else ""
    parts: dict[str, float] = {"the cores": where["workers"], f"lines between cores{mostly}": waited}
    for place, each in enumerate(pipeline.operators):
        if place and isinstance(each, PartitionedStateful):
            parts[f"a partition of {each.name}"] = where["partition"].get(place, 0.0)
        elif place and not isinstance(each, Stateless):
            parts[f"operator {each.name}"] = where["operators"][place]
    for place, part in sorted(where["turns"].items()) if where["cores"] > 1 else ():
        parts[f"a turn at {pipeline.operators[place].name}" if place else "the one worker of the plan whole"] = part
    parts["the lock of admission"] = where["lock"] if where["cores"] > 1 else 0.0
    if where["gil"] > 0 and where["cores"] > 1:
        parts["the GIL"] = where["gil"]
    parts |= {f"a line of {name}": part for name, part in sorted(where["lines"].items())}
    if where["memory"] is not None:
        parts["memory"] = where["memory"]
    return parts
