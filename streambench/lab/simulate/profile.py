"""Profile runs: one worker of the real machine, whose every piece of work is timed; the same on two cores by turns.

A processor works on while it reads the clock. So what timing a piece adds cannot be told from empty pieces: of work
that waits for itself it is less than nothing. It is told by the same worker's runs without timing, just after.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np
import numpy.typing as npt

from streambench.execution.settled import Settled
from streambench.lab.simulate.times import INTERRUPTED_NS, near_cores
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs, Moved
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.tuples.operator import Stateless

Simulable = Workload | OwnWorkload | MicroWorkload

UNITS = (64, 512, 4096)  # tuples; sizes between them are scaled by the tuple
INTERRUPTED = 20  # times what pieces differ by, and as long as an interruption: the system had the core meanwhile
TIMING_NS = 50.0  # so much of a piece timing may have hidden or added: beyond that the processor's pace was another
UNTIMED = 3  # runs without timing
OFTEN = 64  # pieces of a kind and operator, moved alike
SHORT = 20  # times that: of longer pieces timing is no part worth a run


@dataclass(frozen=True)
class Profile:
    """What profile runs have found: ``work`` and ``spans`` as ``Costs`` takes them. ``pieces`` of work were done in
    ``seconds``; ``interrupted`` are left out. ``moved``: so many were timed on what another core had written."""

    work: npt.NDArray[np.int64]
    spans: npt.NDArray[np.float64]
    pieces: int
    seconds: float
    interrupted: int
    moved: int = 0

    @cached_property
    def costs(self) -> Costs:
        """What a simulated machine draws from."""
        return Costs(self.work, self.spans)


ProfileSource = Callable[[Simulable, Settled], Profile]
"""What gives the profile of a workload with such options: ``profile`` measures it."""


def profile(workload: Simulable, settled: Settled) -> Profile:
    """Run ``workload`` by one worker, with all else as ``settled`` says, and keep what each piece of work took.

    For several workers it runs a second time, on two cores by turns: what a piece takes whose data another core has.
    What the engine ``ordered`` leaves open, it may choose otherwise on more cores. So there is a run for each kind of
    plan and some sizes of units.
    """
    rows, pieces, seconds, interrupted, moved = [], 0, 0.0, 0, 0
    cores = near_cores()
    changing = [] if cores is None or settled.workers == 1 else [cores]
    for each in _runs(settled):
        for places in ((), *changing):
            allowed = os.sched_getaffinity(0)
            try:
                core, work, spans, left_out = pieces_of(workload, each, places)
            finally:
                os.sched_setaffinity(0, allowed)
            rows.append((work, spans))
            pieces += 0 if places else core.pieces
            moved += len(work) if places else 0
            seconds += core.seconds
            interrupted += left_out
    work, spans = (np.concatenate(each) for each in zip(*rows, strict=True))
    return Profile(work, spans, pieces, seconds, interrupted, moved)


def _runs(settled: Settled) -> list[Settled]:
    if settled.engine != "ordered":
        return [settled]
    if settled.at_work == 1:  # it has no other
        plans: tuple[str, ...] = ("whole",)
    else:
        plans = ("whole", "cut", "sharded") if settled.plan == "auto" else (settled.plan,)
    units = (settled.unit,) if settled.unit else UNITS
    return [replace(settled, plan=plan, unit=unit, keeps_plan=True) for plan in plans for unit in units]


def pieces_of(
    workload: Simulable, settled: Settled, cores: tuple[int, ...] = ()
) -> tuple[MeasuredCore, npt.NDArray[np.int64], npt.NDArray[np.float64], int]:
    """The core of such a run; its undisturbed pieces as ``Costs`` takes them; and how many were interrupted.

    ``cores``: as of ``MeasuredCore``.
    """
    core = MeasuredCore(cores)
    one = replace(settled, workers=1, at_work=1, pin=False)
    with core:
        _, pipeline = workload.run(one, keep=False)
    work, spans = core.rows()
    work, spans = without_state(work, spans, [isinstance(each, Stateless) for each in pipeline.operators])
    usual = undisturbed(work, spans)
    work, spans = work[usual], spans[usual]
    work, spans = told_often(work, spans)
    short = len(spans) > 0 and spans.sum(axis=1).mean() < SHORT * TIMING_NS
    if short and not cores:  # of moved data only the work itself counts
        plain = replace(one, pin=settled.pin)
        spans = as_untimed(work, spans, median(_on_core(workload, plain) for _ in range(UNTIMED)) / core.pieces)
    return core, work, spans, int((~usual).sum())


def _on_core(workload: Simulable, one: Settled) -> float:
    """The ns for which a worker that is not timed has its core."""
    measured, _ = workload.run(one, keep=False)
    return min(float(measured.accounts[0][0]), measured.seconds * 1e9)  # that has how the thread began, too


def without_state(
    work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64], stateless: Sequence[bool]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The same, where no state is said to have moved of an operator that has none: what such pieces took longer is what
    a worker takes that has just changed its core."""
    was = work[:, 3] & ~int(Moved.PLAN_WHOLE)
    none = (work[:, 0] == Work.APPLY) & np.array(stateless, dtype=np.bool_)[work[:, 1]]
    moved = np.where(none, work[:, 3] & ~int(Moved.STATE_MOVED), work[:, 3])
    stays = (moved & ~int(Moved.PLAN_WHOLE) != 0) | (was == 0)
    return np.column_stack((work[stays, :3], moved[stays])), spans[stays]


def told_often(
    work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The same without what was moved so seldom that a single interruption would be most of what it took: what was
    moved less stands in."""
    same = (work[:, 0] * 256 + work[:, 1]) * 8 + work[:, 3]
    often = (work[:, 3] & ~int(Moved.PLAN_WHOLE) == 0) | (np.bincount(same, minlength=1)[same] >= OFTEN)
    return work[often], spans[often]


def as_untimed(work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64], untimed: float) -> npt.NDArray[np.float64]:
    """The spans, with what timing has hidden or added put right: a run without timing took ``untimed`` ns a piece.

    What it has hidden is added to each piece alike. What it has added is taken off from each group alike (see
    ``groups``), and from what is before a piece, as there the clock is read; a group that has less than that has lost
    all of it, and the others bear the rest. What is beyond what timing can do is the processor's pace, and changes all
    spans in proportion.
    """
    hidden = min(TIMING_NS, max(-TIMING_NS, untimed - float(spans.sum(axis=1).mean())))
    shifted = spans.copy()
    if hidden < 0:
        shifted[:, 0] *= _kept(groups(work), spans[:, 0], -hidden)
    else:
        shifted[:, 0] += hidden
    mean = float(shifted.sum(axis=1).mean())
    return shifted * (untimed / mean if mean > 0 else 1.0)


def _kept(group: npt.NDArray[np.int64], before: npt.NDArray[np.float64], off: float) -> npt.NDArray[np.float64]:
    """Which part of each piece's is left when ``off`` is taken off the mean of all, from each group alike."""
    members = np.bincount(group)
    mean = np.bincount(group, before) / members
    ascending = np.argsort(mean)
    more = np.cumsum((members * mean)[ascending][::-1])[::-1]  # all that a group and those that have more have together
    left = max(0.0, len(before) * (float(before.mean()) - off))
    each = (more - left) / np.cumsum(members[ascending][::-1])[::-1]
    fits = each <= mean[ascending]  # from such a group on all can bear what is to be taken off
    fits[-1] = True  # but for rounding
    most = each[np.argmax(fits)]
    rest = np.maximum(mean - most, 0.0)
    return np.asarray((rest / np.where(mean > 0, mean, 1.0))[group])


def undisturbed(work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which pieces the system did not interrupt, by what is usual for work of their kind, operator and size.

    An interrupted one has lasted longer than usual by ``INTERRUPTED_NS`` and by ``INTERRUPTED`` times what pieces
    differ by: the upper quartile from the median, but no more than the median. So of long pieces that are all alike an
    interruption is told that is shorter than they are, and pieces that really differ are kept.
    """
    group = groups(work)
    usual = np.ones(len(work), dtype=np.bool_)
    for number in range(int(group.max(initial=-1)) + 1):
        rows = np.flatnonzero(group == number)
        for column in range(spans.shape[1]):
            typical, more = map(float, np.quantile(spans[rows, column], (0.5, 0.75)))
            beyond = max(INTERRUPTED_NS, INTERRUPTED * min(typical, more - typical))
            usual[rows] &= spans[rows, column] < typical + beyond
    return usual


def groups(work: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A number for each piece, the same for those of one kind, operator and size, to a factor of two; from 0 on."""
    sizes = np.frexp(work[:, 2].astype(np.float64))[1].astype(np.int64)
    keys = ((work[:, 0] << 8) + work[:, 1] << 6) + sizes
    there = np.bincount(keys) > 0  # no sorting: there are many pieces, of few kinds
    return np.asarray((np.cumsum(there) - 1)[keys], dtype=np.int64)
