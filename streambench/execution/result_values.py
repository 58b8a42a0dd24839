"""What stands in the fields of a ``Result`` that hold several values, for type checkers."""

from __future__ import annotations

from typing import Literal, TypedDict

from streambench.execution.arrival_process import Arrivals
from streambench.execution.options import Engine, Partitioner, Routing
from streambench.host.placement import Place

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Verdict = Literal["steady", "too short", "too noisy", "too few markers"]


class OptionValues(TypedDict):
    """The options that a run had, see ``Options``: none is left open."""

    engine: Engine
    workers: int
    unit: int | None
    partitions: int
    partition_by: Partitioner
    plan: str
    latency_target: float
    heuristic: str | None
    reorder: str | None
    partitioning: str | None
    routing: Routing | None
    capacity: int | None
    rate: float
    arrivals: Arrivals
    arrival_seed: int
    laps: int
    preload: bool
    time_slice: float
    window: float
    credit: int | None
    fuse: bool
    markers: int
    pin: bool
    place: Place
    trace: bool
    sort: bool
    read_ahead: int


class SteadinessValues(TypedDict):
    """See ``streambench.execution.warm_up.Steadiness``."""

    verdict: Verdict
    warm_up_seconds: float | None
    warm_up_share: float | None
    throughput: float | None
    low: float | None
    high: float | None


class StageProfile(TypedDict):
    """Of an operator, or of the operators of a stage: what all workers did there."""

    operators: list[str]
    tuples_in: int
    tuples_out: int
    visits: int
    reorder: dict[str, int]
    seconds: float


class PlanChoice(TypedDict):
    """One choice of the controller of ``ordered``."""

    number: int
    seconds: float
    unit: int
    in_flight: int
    plan: str
    resting: int
    bound: bool


class EqualLaps(TypedDict):
    """Consecutive ``laps`` that gave each operator the same."""

    laps: int
    given: list[int]


class LapCountValues(TypedDict):
    """See ``streambench.execution.lap_counts.LapCounts``."""

    operators: list[str]
    by_lap: list[EqualLaps]
    flushed: list[int]


class CheckpointValues(TypedDict):
    """Of the checkpoints of a run: how many were made in pauses, which lasted so many ns, from admission's first wait
    on; the row of the stream at which the run ``begun_at``; and whether the stream had ended before it."""

    count: int
    pause_ns_median: int
    pause_ns_max: int
    begun_at: int
    was_finished: bool


class HostValues(TypedDict, total=False):
    """See ``streambench.host.disturbance``."""

    steal_seconds: float | None
    others_seconds: float | None
    cores: int
    voluntary_switches: int
    involuntary_switches: int
    load: float | None
    core_round_trip_ns_after: float | None
    disturbed: bool | None
    disturbed_by: list[str]
