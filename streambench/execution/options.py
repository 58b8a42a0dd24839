"""How a pipeline is executed: the options of a run, with their defaults and limits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import Literal, TypedDict, Unpack, get_args

from streambench.errors import OptionError
from streambench.execution import plans
from streambench.execution.arrival_process import ARRIVALS, Arrivals
from streambench.host.placement import PLACES, Place
from streambench.pyx.ordered.controller_constants import standard

Engine = Literal["serial", "ordered", "schemes"]
Heuristic = Literal["qst", "lp", "et", "ct", "walk"]
Reorder = Literal["nonblocking", "lock", "ticket"]
Partitioning = Literal["hybrid", "partitioned", "shared"]
Routing = Literal["early", "in-order"]
Partitioner = Literal["hash", "range", "quantile"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
HEURISTICS: tuple[Heuristic, ...] = get_args(Heuristic)
REORDERS: tuple[Reorder, ...] = get_args(Reorder)
PARTITIONINGS: tuple[Partitioning, ...] = get_args(Partitioning)
ROUTINGS: tuple[Routing, ...] = get_args(Routing)
PARTITIONERS: tuple[Partitioner, ...] = get_args(Partitioner)
MOST_WORKERS = 1024
MOST_PARTITIONS = 4096
MOST_UNIT = 1 << 16
MOST_CREDIT = 1 << 14
MOST_LAPS = 1 << 20
MOST_RATE = 1e12  # tuples per second: more would not fit into a counter for long
FIRST_UNIT: int = standard()["first_unit"]  # where the unit is chosen, it begins with this
LARGEST_CHOSEN: int = standard()["largest_unit"]


class OptionChanges(TypedDict, total=False):
    """The fields of ``Options`` as keywords, for type checkers: a test keeps the two alike."""

    engine: Engine | None
    workers: int | None
    unit: int | None
    partitions: int | None
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


@dataclass(frozen=True, repr=False)
class Options:
    """Everything that may be chosen for one execution. Raises OptionError for what cannot be met.

    ``engine``: ``serial``, ``ordered`` (units through segments) or ``schemes`` (paper 000's, tuples or units through
    worklists); None: ``schemes`` where an option is named that only it has, else ``ordered``. ``workers``: threads
    (None: one per allowed core). ``unit``: tuples per work unit (None: chosen while it runs by ``ordered``, a fixed
    number otherwise). ``partitions``: of each partitioned operator (None: by workers). ``partition_by``: ``hash``,
    ``range`` (of equal width) or ``quantile`` (ranges with equally many of the pipeline's ``key_samples``).

    Of ``ordered`` only: ``plan``: where the pipeline is cut into segments, and which run by partition: ``auto`` (chosen
    while it runs), ``whole``, ``cut``, ``sharded`` or one's own, see ``streambench.execution.plans``.
    ``latency_target``: seconds that the chosen unit aims at.

    Of ``schemes`` only: ``heuristic`` (``lp:8``: lp with a least worklist of 8 tuples), ``reorder`` and
    ``partitioning`` (None: ct, nonblocking, hybrid; one's own are called ``module:Class``); ``routing``: outputs are
    hashed and put into partitions' queues ``in-order``, one worker at a time, or hashed ``early``, before they are put
    in order (None); ``fuse``: stateless operators belong to the stage before; naming one of these, or ``fuse=False``,
    means ``schemes``.
    ``capacity``: of QST, in tuples (None: half of what the credit admits; other heuristics have none); ``time_slice``,
    ``window``: of the scheduler, seconds. ``trace``: digest the ordered output of every stage, by ``schemes`` or
    ``serial``, one of which must then be named.

    ``rate``: tuples per second that arrive, 0 for as fast as possible. ``arrivals``: when, at a rate: ``constant``,
    ``poisson``, ``bursts`` or ``steps`` (see ``streambench.execution.arrival_process``), by ``arrival_seed``.
    ``laps``: how often the preloaded stream is replayed. ``preload``: hold the stream in memory. ``credit``: units in
    flight, a power of two (None: chosen). ``markers``: how many markers a run carries. ``pin``: bind workers to cores.
    ``place``: which cores they take first: ``compact``, ``spread`` or ``none``. ``sort``: put an unsorted stream into
    replay order first. ``read_ahead``: batches that are read ahead when the stream is not preloaded.
    """

    engine: Engine | None = None
    workers: int | None = None
    unit: int | None = None
    partitions: int | None = None
    partition_by: Partitioner = "hash"
    plan: str = "auto"
    latency_target: float = 1e-3
    heuristic: str | None = None
    reorder: str | None = None
    partitioning: str | None = None
    routing: Routing | None = None
    capacity: int | None = None
    rate: float = 0.0
    arrivals: Arrivals = "constant"
    arrival_seed: int = 1
    laps: int = 1
    preload: bool = False
    time_slice: float = 1e-4
    window: float = 1e-2
    credit: int | None = None
    fuse: bool = True
    markers: int = 10_000
    pin: bool = True
    place: Place = "compact"
    trace: bool = False
    sort: bool = False
    read_ahead: int = 4

    def __repr__(self) -> str:
        values = {each.name: getattr(self, each.name) for each in fields(Options)}
        shown = (f"{name}={value!r}" for name, value in values.items() if value != getattr(Options, name))
        return f"Options({', '.join(shown)})"

    def __post_init__(self) -> None:
        _one_of("engine", self.engine, (*ENGINES, None))
        schemes: dict[str, tuple[str, ...]] = {
            "heuristic": HEURISTICS, "reorder": REORDERS, "partitioning": PARTITIONINGS,
        }  # fmt: skip
        for name, known in schemes.items():
            if ":" not in str(getattr(self, name)):
                _one_of(name, getattr(self, name), (*known, None))
        _check_least_worklist(self.heuristic or "")
        _one_of("routing", self.routing, (*ROUTINGS, None))
        _one_of("place", self.place, PLACES)
        _one_of("arrivals", self.arrivals, ARRIVALS)
        _between("arrival_seed", self.arrival_seed, 0, (1 << 63) - 1)
        _one_of("partition_by", self.partition_by, PARTITIONERS)
        if self.workers is not None:
            _between("workers", self.workers, 1, MOST_WORKERS)
        if self.unit is not None:
            _between("unit", self.unit, 1, MOST_UNIT)
        plans.check(self.plan)
        if self.partitions is not None:
            _between("partitions", self.partitions, 1, MOST_PARTITIONS)
        if self.capacity is not None:
            _between("capacity", self.capacity, 1, 1 << 40)
        _between("laps", self.laps, 1, MOST_LAPS)
        _between("markers", self.markers, 10, 1_000_000)
        _between("read_ahead", self.read_ahead, 1, 1024)
        if self.credit is not None:
            _between("credit", self.credit, 2, MOST_CREDIT, "power of two")
            if self.credit & (self.credit - 1):
                raise OptionError(f"`credit` must be a power of two from 2 to {MOST_CREDIT}, not {self.credit}.")
        if not (_is_number(self.rate) and 0 <= self.rate <= MOST_RATE):
            raise OptionError(f"`rate` must be tuples per second up to {MOST_RATE:g}, or max, not {self.rate!r}.")
        for name in ("time_slice", "window", "latency_target"):
            value = getattr(self, name)
            if not (_is_number(value) and 1e-6 <= value <= 10):
                raise OptionError(f"`{name}` must be from 1e-6 to 10 seconds, not {value!r}.")
        if self.arrivals != "constant" and not self.rate:
            raise OptionError(f"`arrivals` {self.arrivals} come at a rate: name one with `rate`.")
        self._require_one_engine()
        if self.laps > 1 and not self.preload:
            raise OptionError(f"{self.laps} laps replay a stream that is held in memory: add `preload`.")
        if self.sort and not self.preload:
            raise OptionError("sorting needs the stream in memory: add `preload`, or sort the data once with ingest.")

    def _require_one_engine(self) -> None:
        """Refuse options of two engines."""
        schemes = ", ".join(self._of_schemes())
        if self.engine == "ordered" and schemes:
            raise OptionError(f"`engine` ordered does not know {schemes}: leave that out, or choose `engine` schemes.")
        if self.named_engine == "ordered" and self.trace:
            raise OptionError(
                "`engine` ordered has no trace, as only the sink sees all units in order: choose `engine` schemes "
                "or serial."
            )
        if self.named_engine == "schemes":
            for name in ("plan", "latency_target"):
                if getattr(self, name) != getattr(Options, name):
                    what = f"`{name}` {getattr(self, name)}"
                    raise OptionError(f"{what} belongs to `engine` ordered: leave out {schemes or '`engine` schemes'}.")

    def _of_schemes(self) -> list[str]:
        """The options given that mean the engine `schemes`, as an OptionError names them."""
        named = {
            "heuristic": self.heuristic,
            "reorder": self.reorder,
            "partitioning": self.partitioning,
            "routing": self.routing,
            "no-fuse": not self.fuse,
        }
        return [f"`{name}`" for name, value in named.items() if value]

    @property
    def named_engine(self) -> Engine:
        """The engine that is meant: the one that is named, or the one that has the options that are."""
        return self.engine or ("schemes" if self._of_schemes() else "ordered")

    @classmethod
    def of(cls, options: Options | None = None, **changes: Unpack[OptionChanges]) -> Options:
        """``options`` (or the defaults) with some changed. Raises OptionError for a name that is no option."""
        known = [each.name for each in fields(Options)]
        for name in changes:
            if name not in known:
                raise OptionError(f"there is no option {name}: choose from {', '.join(sorted(known))}.")
        current = {name: getattr(options or Options, name) for name in known}
        return Options(**{**current, **changes})


def is_built_in(heuristic: str) -> bool:
    """Whether a name is that of a heuristic of the runtime, such as ``ct`` or ``lp:8``, and not of one's own."""
    return heuristic.partition(":")[0] in HEURISTICS


def _check_least_worklist(heuristic: str) -> None:
    if is_built_in(heuristic) and heuristic not in HEURISTICS and not re.fullmatch("lp:[1-9][0-9]{0,8}", heuristic):
        raise OptionError(
            f"there is no heuristic {heuristic}: only lp takes a least worklist, up to 999999999 tuples, as in lp:8."
        )


def _one_of(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    if value not in choices:
        raise OptionError(f"`{name}` must be one of {', '.join(each for each in choices if each)}, not {value!r}.")


def _between(name: str, value: int, low: int, high: int, kind: str = "whole number") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionError(f"`{name}` must be a {kind} from {low} to {high}, not {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
