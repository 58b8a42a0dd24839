"""How a pipeline is executed: the options of a run, with their defaults and limits."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from streambench.errors import OptionError

ENGINES = ("serial", "ordered")
SCHEDULERS = ("qst", "lp", "et", "ct", "front")
REORDERS = ("nonblocking", "lock", "ticket")
PARTITIONINGS = ("hybrid", "partitioned", "shared")
PARTITIONERS = ("hash", "range")
MOST_WORKERS = 1024
MOST_PARTITIONS = 4096
LARGEST_UNIT = 1 << 16
IN_FLIGHT = 1 << 14  # tuples between admission and sink that the default credit aims at


@dataclass(frozen=True)
class Options:
    """Everything that may be chosen for one execution. Raises OptionError for what cannot be met.

    ``engine``: ``serial`` or ``ordered``. ``workers``: threads (None: one per allowed core). ``unit``: tuples per work
    unit. ``partitions``: of each partitioned operator (None: by workers). ``partition_by``: ``hash`` or ``range``.
    ``scheduler``: the heuristic. ``reorder``: the reordering scheme. ``partitioning``: the worklist of partitioned
    operators. ``capacity``: of QST, in tuples (None: half of what the credit admits). ``rate``: tuples per second that
    arrive, 0 for as fast as possible. ``laps``: how often the preloaded stream is replayed. ``preload``: hold the
    stream in memory. ``time_slice``, ``window``: of the scheduler, seconds. ``credit``: units in flight, a power of two
    (None: chosen). ``segments``: fuse stateless operators to the stage before. ``markers``: how many markers a run
    carries. ``pin``: bind workers to cores. ``trace``: digest the ordered output of every stage. ``sort``: put an
    unsorted stream into replay order first. ``read_ahead``: batches held in memory when the stream is not preloaded.
    """

    engine: str = "ordered"
    workers: int | None = None
    unit: int = 1024
    partitions: int | None = None
    partition_by: str = "hash"
    scheduler: str = "ct"
    reorder: str = "nonblocking"
    partitioning: str = "hybrid"
    capacity: int | None = None
    rate: float = 0.0
    laps: int = 1
    preload: bool = False
    time_slice: float = 1e-4
    window: float = 1e-2
    credit: int | None = None
    segments: bool = True
    markers: int = 10_000
    pin: bool = True
    trace: bool = False
    sort: bool = False
    read_ahead: int = 4

    def __post_init__(self) -> None:
        _one_of("engine", self.engine, ENGINES)
        _one_of("scheduler", self.scheduler, SCHEDULERS)
        _one_of("reorder", self.reorder, REORDERS)
        _one_of("partitioning", self.partitioning, PARTITIONINGS)
        _one_of("partition-by", self.partition_by, PARTITIONERS)
        if self.workers is not None:
            _between("workers", self.workers, 1, MOST_WORKERS)
        _between("unit", self.unit, 1, LARGEST_UNIT)
        if self.partitions is not None:
            _between("partitions", self.partitions, 1, MOST_PARTITIONS)
        if self.capacity is not None:
            _between("capacity", self.capacity, 1, 1 << 40)
        _between("laps", self.laps, 1, 1 << 20)
        _between("markers", self.markers, 10, 1_000_000)
        _between("read-ahead", self.read_ahead, 1, 1024)
        credit = 2 if self.credit is None else self.credit
        if not 2 <= credit <= 1 << 14 or credit & (credit - 1):
            raise OptionError(f"credit must be a power of two from 2 to 16384, not {credit}.")
        if not (math.isfinite(self.rate) and self.rate >= 0):
            raise OptionError(f"rate must be a number of tuples per second, or max, not {self.rate}.")
        for name in ("time_slice", "window"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 1e-6 <= value <= 10):
                raise OptionError(f"{name.replace('_', '-')} must be from 1e-6 to 10 seconds, not {value}.")
        if self.laps > 1 and not self.preload:
            raise OptionError(f"{self.laps} laps replay a stream that is held in memory: add preload.")
        if self.sort and not self.preload:
            raise OptionError("sorting needs the stream in memory: add preload, or sort the data once with ingest.")

    def resolved_workers(self) -> int:
        """The number of threads: 1 for ``serial``; one per core that this process may use by default."""
        if self.engine == "serial":
            return 1
        if self.workers is not None:
            return self.workers
        from streambench.limits import default_workers

        return default_workers()

    def resolved_partitions(self) -> int:
        """Partitions of each partitioned operator: 8 per worker, so that few wait; one for one worker.

        With partitioned queues one per worker: more of them hold each other's outputs up (paper 000, figure 6).
        """
        if self.engine == "serial":
            return 1
        workers = self.resolved_workers()
        if self.partitions is not None or workers == 1:
            return self.partitions or 1
        return min(workers if self.partitioning == "partitioned" else 8 * workers, MOST_PARTITIONS)

    def resolved_credit(self) -> int:
        """Units in flight: enough that every worker has several, yet about 16 Ki tuples where units are small."""
        if self.credit is not None:
            return self.credit
        wanted = max(16, 4 * self.resolved_workers(), min(1024, IN_FLIGHT // self.unit))
        return 1 << (wanted - 1).bit_length()

    def resolved_capacity(self) -> int:
        """QST's capacity (equation 1), in tuples: half of what the credit admits, so that its thresholds bind first."""
        return self.capacity or max(1, self.resolved_credit() * self.unit // 2)

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, with what was chosen where None was given."""
        chosen = {"workers": self.resolved_workers(), "partitions": self.resolved_partitions()}
        bounds = {"credit": self.resolved_credit(), "capacity": self.resolved_capacity()}
        return {**asdict(self), **chosen, **bounds}

    @classmethod
    def of(cls, options: Options | None = None, **changes: Any) -> Options:
        """``options`` (or the defaults) with some changed. Raises OptionError for a name that is no option."""
        known = {each.name for each in fields(cls)}
        for name in changes:
            if name not in known:
                raise OptionError(f"there is no option {name}: choose from {', '.join(sorted(known))}.")
        current = {each.name: getattr(options or cls(), each.name) for each in fields(cls)}
        return cls(**{**current, **changes})


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


def _between(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionError(f"{name} must be a whole number from {low} to {high}, not {value!r}.")
