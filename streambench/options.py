"""How a pipeline is executed: the options of a run, with their defaults and limits."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, TypedDict, Unpack

from streambench import plans
from streambench.errors import OptionError
from streambench.placement import PLACES

ENGINES = ("serial", "ordered")
SCHEDULERS = ("qst", "lp", "et", "ct", "front")
REORDERS = ("nonblocking", "lock", "ticket")
PARTITIONINGS = ("hybrid", "partitioned", "shared")
SHARDED = "sharded"
PARTITIONERS = ("hash", "range")
MOST_WORKERS = 1024
MOST_PARTITIONS = 4096
LARGEST_UNIT = 1 << 16
MOST_LAPS = 1 << 20
IN_FLIGHT = 1 << 14  # tuples between admission and sink that the default credit aims at
SERIAL_UNIT = 4096  # columns of a unit stay in the cache
SCHEMES_UNIT = 1024
FIRST_UNIT = 16  # where the unit is chosen, it begins with this: see pyx/controller.pyx
MOST_RATE = 1e12  # tuples per second: more would not fit into a counter for long
LARGEST_CHOSEN = 4096


class OptionChanges(TypedDict, total=False):
    """The fields of ``Options`` as keywords, for type checkers: a test keeps the two alike."""

    engine: str
    workers: int | None
    unit: int | None
    partitions: int | None
    partition_by: str
    plan: str
    latency_target: float
    scheduler: str | None
    reorder: str | None
    partitioning: str | None
    capacity: int | None
    rate: float
    laps: int
    preload: bool
    time_slice: float
    window: float
    credit: int | None
    segments: bool
    markers: int
    pin: bool
    place: str
    trace: bool
    sort: bool
    read_ahead: int


@dataclass(frozen=True, repr=False)
class Options:
    """Everything that may be chosen for one execution. Raises OptionError for what cannot be met.

    ``engine``: ``serial`` or ``ordered``. ``workers``: threads (None: one per allowed core). ``unit``: tuples per
    work unit (None: chosen while it runs, by what the operators cost). ``partitions``: of each partitioned operator
    (None: by workers). ``partition_by``: ``hash`` or ``range``. ``plan``: where the pipeline is cut into segments,
    and which run by partition: ``auto`` (chosen while it runs), ``fused``, ``serial``, ``sharded`` or one's own, see
    ``streambench.plans``. ``latency_target``: seconds that the chosen unit aims at.

    ``scheduler`` (the heuristic), ``reorder`` and ``partitioning``: naming any of them runs the paper's schemes
    instead, tuples or units through worklists, with the others at ct, nonblocking and hybrid.
    ``partitioning="sharded"`` is what runs otherwise. Of the paper's schemes only: ``capacity``: of QST, in tuples
    (None: half of what the credit admits; other heuristics have none); ``time_slice``, ``window``: of the scheduler,
    seconds; ``segments``: fuse stateless operators to the stage before; ``trace``: digest the ordered output of every
    stage.

    ``rate``: tuples per second that arrive, 0 for as fast as possible. ``laps``: how often the preloaded stream is
    replayed. ``preload``: hold the stream in memory. ``credit``: units in flight, a power of two (None: chosen).
    ``markers``: how many markers a run carries. ``pin``: bind workers to cores. ``place``: which cores they take
    first: ``compact``, ``spread`` or ``none``. ``sort``: put an unsorted stream into replay order first.
    ``read_ahead``: batches held in memory when the stream is not preloaded.
    """

    engine: str = "ordered"
    workers: int | None = None
    unit: int | None = None
    partitions: int | None = None
    partition_by: str = "hash"
    plan: str = "auto"
    latency_target: float = 1e-3
    scheduler: str | None = None
    reorder: str | None = None
    partitioning: str | None = None
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
    place: str = "compact"
    trace: bool = False
    sort: bool = False
    read_ahead: int = 4

    def __repr__(self) -> str:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        shown = (f"{name}={value!r}" for name, value in given.items() if value != getattr(Options, name))
        return f"Options({', '.join(shown)})"

    def __post_init__(self) -> None:
        _one_of("engine", self.engine, ENGINES)
        _one_of("scheduler", self.scheduler, (*SCHEDULERS, None))
        _one_of("reorder", self.reorder, (*REORDERS, None))
        _one_of("partitioning", self.partitioning, (*PARTITIONINGS, SHARDED, None))
        _one_of("place", self.place, PLACES)
        _one_of("partition-by", self.partition_by, PARTITIONERS)
        if self.workers is not None:
            _between("workers", self.workers, 1, MOST_WORKERS)
        if self.unit is not None:
            _between("unit", self.unit, 1, LARGEST_UNIT)
        plans.check(self.plan)
        if self.partitions is not None:
            _between("partitions", self.partitions, 1, MOST_PARTITIONS)
        if self.capacity is not None:
            _between("capacity", self.capacity, 1, 1 << 40)
        _between("laps", self.laps, 1, MOST_LAPS)
        _between("markers", self.markers, 10, 1_000_000)
        _between("read-ahead", self.read_ahead, 1, 1024)
        if self.credit is not None:
            _between("credit", self.credit, 2, 1 << 14, "power of two")
            if self.credit & (self.credit - 1):
                raise OptionError(f"credit must be a power of two from 2 to 16384, not {self.credit}.")
        if not (_is_number(self.rate) and 0 <= self.rate <= MOST_RATE):
            raise OptionError(f"rate must be tuples per second up to {MOST_RATE:g}, or max, not {self.rate!r}.")
        for name in ("time_slice", "window", "latency_target"):
            value = getattr(self, name)
            if not (_is_number(value) and 1e-6 <= value <= 10):
                raise OptionError(f"{name.replace('_', '-')} must be from 1e-6 to 10 seconds, not {value!r}.")
        if self.partitioning == SHARDED and self.engine == "ordered" and self._papers():
            raise OptionError(
                f"partitioning sharded schedules and orders by itself: leave out {self._papers()}, or choose one of "
                f"{', '.join(PARTITIONINGS)}."
            )
        if self.plan != "auto" and self.engine == "ordered" and not self.sharded:
            raise OptionError(f"plan {self.plan} belongs to partitioning sharded: leave out {self._papers()}.")
        if self.laps > 1 and not self.preload:
            raise OptionError(f"{self.laps} laps replay a stream that is held in memory: add preload.")
        if self.sort and not self.preload:
            raise OptionError("sorting needs the stream in memory: add preload, or sort the data once with ingest.")

    @property
    def sharded(self) -> bool:
        """Whether the ordered engine runs whole units by plan, not the paper's schemes."""
        return self.engine == "ordered" and not self._papers()

    def _papers(self) -> str:
        """The options given that only the paper's schemes know."""
        given = {
            "scheduler": self.scheduler,
            "reorder": self.reorder,
            "partitioning": self.partitioning not in (None, SHARDED),
            "no-segments": not self.segments,
            "trace": self.trace,
        }
        return ", ".join(name for name, value in given.items() if value)

    def resolved_unit(self) -> int:
        """Tuples per unit; 0 where that is chosen while it runs."""
        if self.unit is not None:
            return self.unit
        return 0 if self.sharded else SERIAL_UNIT if self.engine == "serial" else SCHEMES_UNIT

    def largest_unit(self) -> int:
        """The largest unit that there can be."""
        return self.resolved_unit() or LARGEST_CHOSEN

    def resolved_schemes(self) -> dict[str, str]:
        """Heuristic, reordering and partitioning scheme (``serial`` ignores them); dashes where units are sharded."""
        if self.sharded:
            return {"scheduler": "-", "reorder": "-", "partitioning": SHARDED}
        return {
            "scheduler": self.scheduler or "ct",
            "reorder": self.reorder or "nonblocking",
            "partitioning": self.partitioning or "hybrid",
        }

    def resolved_workers(self) -> int:
        """The number of threads: 1 for ``serial``; one per core that this process may use by default."""
        if self.engine == "serial":
            return 1
        if self.workers is not None:
            return self.workers
        from streambench.limits import default_workers

        return default_workers()

    def working_workers(self) -> int:
        """How many of the workers take part: where the plan is chosen, no more than can run at once."""
        return self._at_once() if self.sharded and self.plan == "auto" else self.resolved_workers()

    def _at_once(self) -> int:
        from streambench.limits import default_workers

        return min(self.resolved_workers(), default_workers())

    def resolved_partitions(self) -> int:
        """Partitions of each partitioned operator; one for one worker.

        2 per worker where units are sharded (not counting workers that have no core: each partition costs something),
        8 with the paper's schemes, so that few wait, but with partitioned queues one per worker: more of them hold each
        other's outputs up (paper 000, figure 6).
        """
        if self.engine == "serial":
            return 1
        workers = self.working_workers()
        if self.partitions is not None or workers == 1:
            return self.partitions or 1
        if self.sharded:
            return 2 * self._at_once()
        each = 1 if self.partitioning == "partitioned" else 8
        return min(each * workers, MOST_PARTITIONS)

    def resolved_credit(self) -> int:
        """Units in flight: enough that every worker has several, yet about 16 Ki tuples where units are small."""
        if self.credit is not None:
            return self.credit
        few = max(16, 4 * self.working_workers())
        wanted = few if self.sharded and not self.unit else max(few, min(1024, IN_FLIGHT // self.resolved_unit()))
        return 1 << (wanted - 1).bit_length()

    def resolved_capacity(self) -> int:
        """QST's capacity (equation 1), in tuples: half of what the credit admits, so that its thresholds bind first."""
        return self.capacity or max(1, self.resolved_credit() * self.largest_unit() // 2)

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, with what was chosen where None was given."""
        chosen = {"workers": self.resolved_workers(), "partitions": self.resolved_partitions()}
        bounds = {"credit": self.resolved_credit(), "capacity": self.resolved_capacity()}
        unit = {"unit": self.resolved_unit() or None}
        return {**asdict(self), **self.resolved_schemes(), **chosen, **bounds, **unit}

    @classmethod
    def of(cls, options: Options | None = None, **changes: Unpack[OptionChanges]) -> Options:
        """``options`` (or the defaults) with some changed. Raises OptionError for a name that is no option."""
        known = {each.name for each in fields(cls)}
        for name in changes:
            if name not in known:
                raise OptionError(f"there is no option {name}: choose from {', '.join(sorted(known))}.")
        current = {each.name: getattr(options or cls(), each.name) for each in fields(cls)}
        return cls(**{**current, **changes})


def _one_of(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(each for each in choices if each)}, not {value!r}.")


def _between(name: str, value: int, low: int, high: int, kind: str = "whole number") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionError(f"{name} must be a {kind} from {low} to {high}, not {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
