"""Joins on simulated cores: their own threads, tiers and merge on fibers, with times from runs of single shares.

Nothing of the join is written again: which thread stores which tuple, what it compares, who merges and who waits is
the compiled code's doing, and the output is checked. What takes time is drawn from what was timed here:

- a batch at one thread of n: that thread's share of the join run as one worker (``JoinCrew``'s ``share``), and
  another thread's at the same time on another core, as threads slow each other;
- the merge of n threads' matches, which one thread alone does not have: in a run of all n on fibers, in turn, by the
  index;
- of the handshake join, a tuple at one thread of n, by how many it is compared with (``HandshakeCrew``'s ``line``);
- lines that threads share, and waits: as the simulator's primitives say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.errors import StreambenchError
from streambench.host.limits import allowed_cpus
from streambench.lab.measure.joins.crews import JOINS
from streambench.lab.measure.joins.paced import latencies, quantiles
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.paper_streams import Rows as Matched
from streambench.lab.measure.joins.throughput import Point, balance
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.own_thread import in_own_thread, in_own_threads
from streambench.lab.simulate.profile import undisturbed
from streambench.lab.simulate.shares import cores_and_lines
from streambench.lab.simulate.times import INTERRUPTED_NS
from streambench.pyx.join.arrivals import Arrivals
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.handshake_crew import HandshakeCrew
from streambench.pyx.join.join_crew import JoinCrew
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import SimulatedCores

MEASURE, LATENCY = "simulated throughput", "simulated latency"
MERGED = "index"  # the tier of a run whose merge is timed: all have the same matches, it has them soonest
MERGING = 2  # the place of a join's work where batches are merged; see match_merge.pxd
SEARCH_SECONDS = 0.1  # of one thread, of a run, which lasts longer where these are more:
LEAST_BATCHES, LEAST_LONG_BATCHES = 96, 32  # the tier scan's batches last so long that nothing else matters beside them
CREDIT = 32  # tuples of a side, by thread, that may be under way in a line; see handshake_crew.pyx
LEAST_CREDITS, LEAST_IN_LINE = 16, 8192  # of a handshake join: so many times that, and tuples
ATTEMPTS = 3  # profile runs, of which the middle one counts, as of real runs
AT_ONCE = 2  # shares that are timed at the same time: threads share caches, memory and, it may be, a core
INTERRUPTED = 3  # times what is usual: with full windows all pieces are alike
TUPLE_INTERRUPTED_NS = 20_000  # so much longer than others of its size is no single tuple
PROFILED_BATCHES = 48  # of each size
PACED_BATCHES = (1, 8, 64)  # tuples: what arrives at a rate comes in small batches, which cost more by the tuple
BEHIND = 0.02  # seconds that a run at a rate lasts
FEWEST_PACED, MOST_PACED = 512, 1 << 15  # tuples of each side

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def profile(
    definition: Definition,
    tier: str,
    threads: int,
    machine: Machine,
    batches: Sequence[int] = (0,),
    arrivals: Callable[[], Arrivals | None] = lambda: None,
) -> Costs:
    """What pieces of work take at one thread of so many. ``batches``: tuples of a batch, 0 for what the join chooses.

    ``arrivals``: how tuples arrive, all of them at once: then what the gate takes is timed, too.
    """
    found = []
    for batch in batches:
        attempts = [shares(definition, tier, threads, batch, arrivals) for _ in range(ATTEMPTS)]
        found.append(middle(attempts))
    return Costs(*with_merging(joined(found), definition, threads, machine, arrivals))


def profile_point(point: Point, definition: Definition, machine: Machine) -> Costs:
    """As ``profile``, of any join that is simulated at full speed."""
    return Costs(*profiled(point, definition, machine, [attempt(point, definition) for _ in range(ATTEMPTS)]))


def attempt(point: Point, definition: Definition) -> Rows:
    """What pieces of work took once at threads of the point's, all tuples there at once, without merging."""
    if point.join == "handshake":
        first = partial(_first_of_a_line, definition, point.threads)
        return _timed([first] * min(point.threads, AT_ONCE), TUPLE_INTERRUPTED_NS)
    return shares(definition, point.tier, point.threads)


def profiled(point: Point, definition: Definition, machine: Machine, attempts: Sequence[Rows]) -> Rows:
    """The middle one of the attempts, with what merging takes."""
    found = middle(attempts)
    return found if point.join == "handshake" else with_merging(found, definition, point.threads, machine)


def shares(
    definition: Definition,
    tier: str,
    threads: int,
    batch: int = 0,
    arrivals: Callable[[], Arrivals | None] = lambda: None,
) -> Rows:
    """What the first thread's pieces took once and, at the same time, those of one in the middle."""
    numbers = sorted({0, threads // AT_ONCE})
    return _timed([partial(_share, definition, tier, batch, arrivals, (number, threads)) for number in numbers])


def with_merging(
    rows: Rows,
    definition: Definition,
    threads: int,
    machine: Machine,
    arrivals: Callable[[], Arrivals | None] = lambda: None,
) -> Rows:
    """With what merging takes where there are several threads, in place of what it took one alone."""
    if threads == 1:
        return rows
    of_a_share = rows[0][:, 0] != Work.GATHER
    rows = rows[0][of_a_share], rows[1][of_a_share]
    cores = machine.cores(Costs(*rows), timed=Work.GATHER)
    with cores:
        JoinCrew(definition, MERGED, threads, arrivals=arrivals()).run()
    work, spans = cores.rows()
    usual = undisturbed(work, spans)
    return joined([rows, (work[usual], spans[usual])])


def _first_of_a_line(definition: Definition, threads: int) -> Rows:
    core = MeasuredCore()
    with core:
        HandshakeCrew(definition, line=threads).run()
    work, spans = core.rows()
    return work, spans


def _share(
    definition: Definition, tier: str, batch: int, arrivals: Callable[[], Arrivals | None], share: tuple[int, int]
) -> Rows:
    core = MeasuredCore()
    with core:
        JoinCrew(definition, tier, batch=batch, arrivals=arrivals(), share=share).run()
    work, spans = core.rows()
    return work, spans


def _timed(runs: Sequence[Callable[[], Rows]], least_ns: float = INTERRUPTED_NS) -> Rows:
    """What the runs' pieces took without what was interrupted; all at once, as threads are, where there are cores."""
    found = in_own_threads(runs) if len(runs) <= len(allowed_cpus()) else [in_own_thread(run) for run in runs]
    usual = [undisturbed(*rows, least_ns, INTERRUPTED) for rows in found]
    return joined([(work[good], spans[good]) for (work, spans), good in zip(found, usual, strict=True)])


def middle(attempts: Sequence[Rows]) -> Rows:
    """Of an odd number of attempts the one in the middle, by what its pieces take."""
    ascending = sorted(attempts, key=lambda rows: float(rows[1].sum() / max(1, len(rows[1]))))
    return ascending[len(attempts) // 2]


def joined(found: Sequence[Rows]) -> Rows:
    """The pieces of all."""
    return np.concatenate([work for work, _ in found]), np.concatenate([spans for _, spans in found])


def at_full_speed(
    point: Point, streams: PaperStreams, window: int, steady: int, machine: Machine, costs: Costs | None = None
) -> dict[str, Any]:
    """A simulated run with full windows, as plain values, fed with ``costs`` (None: of a profile run made now).

    Raises StreambenchError where its output is wrong.
    """
    definition = streams.definition(window, steady)
    cores = machine.cores(costs or profile_point(point, definition, machine))
    crew = JOINS[point.join].make(definition, point.tier, point.threads)
    with cores:
        crew.run()
    digest = checked(crew.matches(), point, streams, definition)
    seconds = crew.comparing_seconds
    rate = definition.pairs / seconds
    return {
        **_named(MEASURE, point, window, steady),
        "seconds": seconds,
        "comparisons": definition.pairs,
        "comparisons_per_second": rate,
        "tuples_per_second": rate / (2 * window + 1),
        **balance(crew.compared),
        "latency": None,
        "rate": None,
        **where(cores),
        "digest": digest,
        "verified": True,
    }


def at_a_rate(point: Point, streams: PaperStreams, window: int, rate: float, machine: Machine) -> dict[str, Any]:
    """A simulated run whose tuples arrive at ``rate`` of each side, through a gate, in an open loop."""
    steady = max(FEWEST_PACED, min(MOST_PACED, round(BEHIND * rate)))
    streams = streams if streams.tuples >= window + steady else PaperStreams(window + steady)
    definition = streams.definition(window, steady)
    rows = np.arange(window, window + steady)
    due = ((rows - window + 1) * (1e9 / rate)).astype(np.int64)
    few = min(steady, PROFILED_BATCHES * max(PACED_BATCHES) // 2)
    short, first, at_once = streams.definition(window, few), rows[:few], np.zeros(few, np.int64)
    costs = profile(
        short,
        point.tier,
        point.threads,
        machine,
        (*PACED_BATCHES, 0),
        lambda: Arrivals(short, [(side, first, first, at_once) for side in (0, 1)]),
    )
    cores = machine.cores(costs)
    arrivals = Arrivals(definition, [(side, rows, rows, due) for side in (0, 1)])
    crew = JoinCrew(definition, point.tier, point.threads, arrivals=arrivals)
    with cores:
        crew.run()
    matched = crew.matches()
    digest = checked(matched, point, streams, definition)
    ticks = (streams.ticks, streams.ticks)
    waits = latencies(matched, ticks, [(side, rows, rows, due) for side in (0, 1)], arrivals, crew.left_ns)
    seconds = crew.comparing_seconds
    return {
        **_named(LATENCY, point, window, steady),
        "seconds": seconds,
        "comparisons": definition.pairs,
        "comparisons_per_second": definition.pairs / seconds,
        "tuples_per_second": steady / seconds,
        **balance(crew.compared),
        "latency": quantiles(waits),
        "rate": rate,
        **where(cores),
        "digest": digest,
        "verified": True,
    }


def steady_of(point: Point, window: int, of_a_thread: float) -> int:
    """How many tuples of each side are compared in a run: what takes one thread a while, and some batches at least, or
    several times as many as a line of threads holds.
    """
    if point.join == "handshake":
        least = max(LEAST_IN_LINE, LEAST_CREDITS * CREDIT * point.threads)
    else:
        batches = LEAST_LONG_BATCHES if point.tier == "scan" else LEAST_BATCHES
        least = batches * min(256, max(16, window // 4)) // 2
    return max(least, int(SEARCH_SECONDS * of_a_thread / (2 * window + 1)))


def checked(
    matched: Matched,
    point: Point,
    streams: PaperStreams,
    definition: Definition,
    ts: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None,
) -> str:
    """The output's digest, which is one real thread's by the index. ``ts``: of each side, where they are not ticks."""
    digest = streams.digest(matched, *(() if ts is None else (ts,)))
    reference = JoinCrew(definition, "index")
    reference.run()
    if digest != streams.digest(reference.matches(), *(() if ts is None else (ts,))):
        raise StreambenchError(f"the output of {point.title()} simulated is wrong: report this.")
    return digest


def _named(measure: str, point: Point, window: int, steady: int) -> dict[str, Any]:
    return {
        "measure": measure,
        "simulated": True,
        "join": point.join,
        "tier": point.tier,
        "threads": point.threads,
        "window_seconds": point.window,
        "window_tuples": window,
        "tuples": steady,
        "repeat": 0,
        "core_round_trip_ns": None,
    }


def where(cores: SimulatedCores) -> dict[str, Any]:
    """What is taken for the largest part of the time, and the cores' shares of theirs."""
    found = cores.where()
    taken = {**cores_and_lines(found), "the merge": found["operators"][MERGING]}
    taken |= {f"a line of {name}": part for name, part in found["lines"].items()}
    first, part = max(taken.items(), key=lambda item: item[1])
    return {
        "first": first,
        "taken": part,
        "busy": found["workers"],
        "waited": found["waited"],
        "idle": found["idle"],
        "events": cores.events,
    }
