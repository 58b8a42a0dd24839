"""What the machine's primitives take: measured here, on its own cores, never fitted to a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations
from statistics import median

from streambench.errors import OptionError
from streambench.host.limits import allowed_cpus
from streambench.host.placement import Cpu, order, topology
from streambench.lab.host.interference import interruptions, memory_bytes_per_ns
from streambench.pyx.machine import primitives
from streambench.pyx.machine.core_distance import round_trip_ns
from streambench.pyx.machine.run_queue import account_ns

ATTEMPTS = 20  # of two cores, short ones: each is over before the system takes a core away, most times
ROUND_TRIPS, ROUNDS = 500, 16  # of an attempt: of a line, and of all else
OF_MEMORY = 3  # attempts
BESIDE = 5  # attempts beside a run
WILD = 2.0  # times as long as the least is no noise: others had the cores, or the host moved them
FAR = 2.5  # times as far as the next core: assumed of a core of another socket, where sockets have no clusters
CLUSTER, FAR_OF_CLUSTERS = 4.5, 8.5  # where they have: of a core of another cluster, and of another socket
SHARED = 0.9  # of what each core reads alone: where two read less each, memory is what they share
HOUR = 3600e9  # ns
WATCHED = 0.2  # seconds that all cores are kept busy to see how often others take them
INTERRUPTED_NS = 1e6  # ns for which others have a core: what lasts less is part of the pieces of work that are timed

Watched = tuple[int, int, int]
"""Interruptions of all cores, ns for which others had them, and ns for which that was watched."""


@dataclass(frozen=True)
class Times:
    """Nanoseconds. A simulated machine is told all of them by name.

    ``near_line``: a line's way from another core of the cluster, half a round trip. ``cluster_line``: from a core of
    another cluster of the socket (None: it is assumed). ``far_line``: from a core of another socket; ``FAR`` times as
    much is assumed where there are no such cores. What is assumed where sockets have clusters: ``ways``.
    ``stream_line``: a line of a buffer that another core has written, of which many are on their way at a time.
    ``pause``, ``to_yield``: of a worker that waits. ``wake_up``: from the call that wakes a sleeper until that runs;
    ``wake_call``: of the call. ``hand_over``: from the release of a lock until a sleeper has it (None: as a wake-up).
    ``wait_call``: of a call that is to sleep for a lock, until the system looks whether that is taken still;
    ``vain_call``: of one that is to wake somebody where nobody sleeps. ``interrupted_every``, ``interruption``: how
    often others take a core, and for how long, on the average; 0: never. ``account``: to ask the system how long a
    thread has waited for a core, which `schemes` never does.

    ``memory``: bytes a nanosecond that all cores of a socket together read from memory, 0 for any number.
    ``memory_one``, ``memory_two``: as measured, of one core and of two. ``look_at_clock``, ``read_modify_write`` (of a
    line that no other core has): they are part of a profile run's pieces of work, and told for comparison.

    ``spread``: no time, but how many times as long as the least attempt at one of them the middle one took, at most.
    ``of_one_core``: nor is this, but whether there were no two cores to measure, only two hardware threads of one.
    """

    near_line: float
    far_line: float
    stream_line: float
    pause: float
    to_yield: float
    wake_up: float
    account: float = 0.0
    wake_call: float = 0.0
    hand_over: float | None = None
    wait_call: float = 0.0
    vain_call: float = 0.0
    memory: float = 0.0
    interrupted_every: float = 0.0
    interruption: float = 0.0
    memory_one: float = 0.0
    memory_two: float = 0.0
    look_at_clock: float = 0.0
    read_modify_write: float = 0.0
    spread: float = 1.0
    cluster_line: float | None = None
    of_one_core: bool = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and not 0 <= value < HOUR:
                raise OptionError(f"the time of {each.name} must be nanoseconds from 0 up, and less than an hour.")

    def to_dict(self) -> dict[str, float | None]:
        """By name."""
        return asdict(self)

    def ways(self, *, clustered: bool = False) -> dict[str, float]:
        """A line's way, by name: from the cluster, from another cluster, from another socket.

        ``clustered``: whether sockets have clusters. Cores that are near each other share their last cache then, and
        all others are farther by more than ``FAR``.
        """
        far = FAR_OF_CLUSTERS * self.near_line if clustered and "far_line" in self.assumed else self.far_line
        near = self.near_line
        return {
            "near_line": near,
            "cluster_line": CLUSTER * near if self.cluster_line is None else self.cluster_line,
            "far_line": far,
        }

    @property
    def assumed(self) -> list[str]:
        """Which ways were not measured: this machine has no such cores."""
        names = ["cluster_line"] if self.cluster_line is None else []
        return [*names, *(["far_line"] if self.far_line == FAR * self.near_line else [])]

    def simulated(self, *, clustered: bool = False) -> dict[str, float | None]:
        """Those that a simulated machine is told; ``clustered`` as of ``ways``."""
        left_out = ("memory_one", "memory_two", "look_at_clock", "read_modify_write", "spread", "of_one_core")
        times = {name: value for name, value in self.to_dict().items() if name not in left_out}
        return {**times, **self.ways(clustered=clustered)}

    @property
    def warnings(self) -> list[str]:
        """A sentence if attempts at one of them disagreed wildly, and one if there were no two cores."""
        sentences = []
        if self.spread >= WILD:
            sentences.append(
                f"attempts at what cores take to share disagree (the middle one, which counts, took {self.spread:.1f} "
                "times as long as the least): others use the cores or the host moves them, so what is simulated may be "
                "wrong"
            )
        if self.of_one_core:
            sentences.append(
                "all that this process may use are hardware threads of one core: what they take to share is less than "
                "cores take"
            )
        return sentences

    def beside(self, near_line: float, stream_line: float) -> Times:
        """The same where near cores are so far from each other: a host moves them."""
        far = FAR * near_line if "far_line" in self.assumed else self.far_line
        return replace(self, near_line=near_line, far_line=far, stream_line=stream_line)

    def interrupted(self, *watched: Watched) -> Times:
        """The same, with the interruptions by others that were ``watched`` (nothing: that there are just now)."""
        times, lost, span = (sum(each) for each in zip(*(watched or (watch(),)), strict=True))
        if not times:
            return replace(self, interrupted_every=0.0, interruption=0.0)
        return replace(self, interrupted_every=max(1.0, (span - lost) / times), interruption=lost / times)


def watch() -> Watched:
    """Keep all cores busy for a while to see how often others take them, for so long as no timed piece holds."""
    return interruptions(tuple(allowed_cpus()), WATCHED, round(INTERRUPTED_NS))


def measure() -> Times:
    """Measure them on the cores that this process may use: two seconds' work. Without interruptions.

    Raises OptionError where it may use one only, as nothing can be told of the way between cores then.
    """
    cpus = topology(allowed_cpus())
    pairs = pairs_of(cpus)
    if not pairs:
        raise OptionError(
            "one core alone does not tell what cores take to share: allow this process two, or name a file that "
            "`--profiles` has kept where there are two."
        )
    one, other = pairs["near_line"]
    spreads = [1.0]

    def between(primitive: Callable[[int, int, int], float], rounds: int = ROUNDS, way: str = "near_line") -> float:
        samples = [primitive(*pairs[way], rounds) for _ in range(ATTEMPTS)]
        spreads.append(spread(samples))
        return median(samples)

    def line(way: str) -> float | None:
        return between(round_trip_ns, ROUND_TRIPS, way) / 2 if way in pairs else None

    near = line("near_line")
    assert near is not None, "two cores are near each other, if no others are"
    far = line("far_line")
    alone = max(memory_bytes_per_ns((one,)) for _ in range(OF_MEMORY))
    both = max(memory_bytes_per_ns((one, other)) for _ in range(OF_MEMORY))
    return Times(
        near_line=near,
        cluster_line=line("cluster_line"),
        far_line=FAR * near if far is None else far,
        stream_line=between(primitives.stream_line_ns),
        pause=primitives.pause_ns(),
        to_yield=primitives.yield_ns(),
        wake_up=between(primitives.wake_up_ns),
        wake_call=between(primitives.wake_call_ns),
        hand_over=between(primitives.hand_over_ns),
        wait_call=primitives.wait_call_ns(),
        vain_call=primitives.vain_call_ns(),
        memory=both if both < SHARED * 2 * alone else 0.0,
        memory_one=alone,
        memory_two=both,
        look_at_clock=primitives.clock_ns(),
        read_modify_write=primitives.read_modify_write_ns(),
        account=account_ns(),
        spread=max(spreads),
        of_one_core=len({each.core for each in cpus}) == 1,
    )


def near_cores() -> tuple[int, int] | None:
    """Those by which near ones are measured; None where this process may use one core only."""
    return pairs_of(topology(allowed_cpus())).get("near_line")


def stream_line_now() -> float | None:
    """What a line of a buffer takes just now; None where this process may use one core only."""
    cores = near_cores()
    return None if cores is None else median(primitives.stream_line_ns(*cores, ROUNDS) for _ in range(BESIDE))


def pairs_of(cpus: Sequence[Cpu]) -> dict[str, tuple[int, int]]:
    """Two cores for each way that ``cpus`` have, by its name: the first that share a cluster, which is the last-level
    cache; a node, but no cluster; and neither. Where no two share a cluster the first two stand for such, and where all
    are hardware threads of one core two of these; of one alone nothing.

    The first are those that workers take first.
    """
    numbered = {each.number: each for each in cpus}
    placed = [numbered[each] for each in order(cpus, "compact")]
    pairs: dict[str, tuple[int, int]] = {}
    for one, other in combinations(placed, 2):
        if one.core == other.core:
            continue
        near = one.node == other.node and one.cache == other.cache
        way = "near_line" if near else "cluster_line" if one.node == other.node else "far_line"
        pairs.setdefault(way, (one.number, other.number))
    if "near_line" not in pairs and len(placed) > 1:
        return {"near_line": (placed[0].number, placed[1].number)}
    return pairs


def spread(attempts: Sequence[float]) -> float:
    """How many times as long as the least of the ``attempts`` the middle one took."""
    least = min(attempts)
    return median(attempts) / least if least > 0 else 1.0
