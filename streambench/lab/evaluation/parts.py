"""The parts of an evaluation, most telling first: each is one command of `streambench`, at several levels.

A higher level has more points and repeats, never longer runs, and goes on with what a lower one has measured. A level's
seconds are an estimate: runs last a known time, and what is between them is a guess. An evaluation corrects it by what
the parts before have taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from streambench.host.limits import allowed_cpus, cpu_quota, workers_for
from streambench.host.placement import topology
from streambench.lab.data.generated import generated
from streambench.lab.evaluation.estimates import (
    RUN,
    START,
    doublings,
    joins_seconds,
    perf_seconds,
    queries_seconds,
    snet_seconds,
    sweep_seconds,
    topk_seconds,
    validate_seconds,
)
from streambench.lab.measure.perf.sections import missing
from streambench.lab.measure.snet.bench import MOST_WORKERS
from streambench.lab.measure.topk.bench import MOST_STREAMS

SCALES = {"queries": 0.1, "sweep": 0.005}
"""Scale factors of the data that are generated; a long run replays them."""
QUERIES = ("q1", "q2", "q4", "q3", "q15", "ysb")
SCALING = (
    "1 µs, stateless",
    "100 ns, stateless",
    "100 ns, keyed",
    "1 µs, keyed",
    "1 µs, hot key",
    "no work, stateless",
)
PLANS = ("q1", "q3", "no work", "q4", "q2", "q15")


@dataclass(frozen=True)
class EvaluatedMachine:
    """``cores``, each of which gets a worker; ``threads`` of the hardware, more where cores have siblings; NUMA
    ``nodes``."""

    cores: int
    threads: int
    nodes: int

    @classmethod
    def here(cls) -> EvaluatedMachine:
        """What this process may use."""
        cpus = topology(tuple(allowed_cpus()))
        cores, quota = len({cpu.core for cpu in cpus}), cpu_quota()
        return cls(workers_for(cores, quota), workers_for(len(cpus), quota), len({cpu.node for cpu in cpus}))

    @property
    def counts(self) -> tuple[int, ...]:
        """Workers: 1, 2, 4 and so on to all cores."""
        return doublings(self.cores)

    @property
    def workers(self) -> str:
        """The same for the command line."""
        return _listed(self.counts)

    @property
    def ends(self) -> tuple[int, ...]:
        """One core, and all."""
        return tuple(sorted({1, self.cores}))

    @property
    def few(self) -> tuple[int, ...]:
        """A quarter of the cores, and all."""
        return tuple(sorted({max(1, self.cores // 4), self.cores}))


@dataclass(frozen=True)
class Level:
    """How much a part measures: ``words`` of its command, ``points`` in words, and the ``seconds`` expected."""

    words: tuple[str, ...]
    points: str
    seconds: float


@dataclass(frozen=True)
class EvaluationPart:
    """``weight``: of its share of the time. ``levels``: least first, on a machine; none where it has nothing to
    measure. ``published``: all that the paper has. ``data``: whose data directory it takes, if any.
    """

    name: str
    told: str
    weight: float
    levels: Callable[[EvaluatedMachine], list[Level]]
    published: Callable[[EvaluatedMachine], Level]
    data: str | None = None


@dataclass(frozen=True)
class EvaluationData:
    """Data directories of the ``queries`` and of the ``sweep``; None where there are none yet."""

    queries: Path | None = None
    sweep: Path | None = None

    def made(self, parts: Sequence[EvaluationPart], say: Callable[[str], None]) -> EvaluationData:
        """The same with what is missing for these parts generated. Raises DatagenError."""
        named = {"queries": self.queries, "sweep": self.sweep}
        for name in {part.data for part in parts if part.data is not None}:
            if named[name] is None:
                say(f"data of scale factor {SCALES[name]:g}, generated where they are not in data/ yet …")
                named[name] = generated(SCALES[name]).absolute()
        return EvaluationData(**named)

    def words(self, part: EvaluationPart) -> list[str]:
        """For a part's command line."""
        found: Path | None = None if part.data is None else getattr(self, part.data)
        return [] if found is None else ["--data", str(found)]


def _level(words: str, points: str, seconds: float, *more: str) -> Level:
    return Level((*words.split(), *more), points, START + seconds)


def _queries(machine: EvaluatedMachine) -> list[Level]:
    return _over_queries(machine.counts, ((1, 3), (3, 3), (6, 3), (6, 6), (6, 9)))


def _queries_published(machine: EvaluatedMachine) -> Level:
    seconds = queries_seconds(machine.counts, len(QUERIES), 9, run=1.0)
    return _level(f"bench queries --no-figures --workers {machine.workers}", "all queries, 9 repeats of 1 s", seconds)


def _over_queries(counts: Sequence[int], amounts: Sequence[tuple[int, int]]) -> list[Level]:
    return [
        _level(
            f"bench queries --no-figures --queries {','.join(QUERIES[:many])} --workers {_listed(counts)} "
            f"--repeats {repeats} --run-time {RUN}s",
            f"{', '.join(QUERIES[:many])}; {repeats} repeats",
            queries_seconds(counts, many, repeats),
        )
        for many, repeats in amounts
    ]


def _siblings(machine: EvaluatedMachine) -> list[Level]:
    if machine.threads <= machine.cores:
        return []
    return _over_queries((machine.cores, machine.threads), ((1, 3), (4, 6)))


def _scaling(machine: EvaluatedMachine, repeats: int = 6) -> list[Level]:
    """First the cases that say most; at the end the peer, where its library and a compiler are there."""
    words = f"bench perf --no-figures --section scaling --workers {machine.workers} --run-time {RUN}s"
    words += f" --repeats {repeats}"
    seconds = partial(perf_seconds, repeats, machine.counts)
    some = [_level(words, "; ".join(SCALING[:many]), seconds(many), *_cases(SCALING[:many])) for many in (1, 3, 6)]
    peer = "" if missing("tbb") else " --section tbb"
    every = _level(words + peer, f"all work and places{', oneTBB' if peer else ''}", seconds(12 + 2 * bool(peer)))
    return [*some, _level(words, "all work and places", seconds(12)), *([every] if peer else [])]


def _plans(machine: EvaluatedMachine) -> list[Level]:
    words = f"bench perf --no-figures --section plans --workers {machine.cores} --run-time {RUN}s --repeats 6"
    return [
        _level(
            words, ", ".join(PLANS[:many]), many * 9 * 7 * 2 * RUN, *_cases(f"{each}, quiet" for each in PLANS[:many])
        )
        for many in (1, 3, 6)
    ]


def _sweep(machine: EvaluatedMachine) -> list[Level]:
    """Of the paper's axes the ends; runs of one length."""

    def level(figures: str, repeats: int, points: str, counts: tuple[int, ...], axes: str = "") -> Level:
        words = f"bench sweep --preset paper --sigmas 0.1,1 --workers {_listed(counts)} --run-time {RUN}s"
        words += f" --repeats {repeats}{f' --figures {figures}' if figures else ''}{axes}"
        seconds = sweep_seconds(counts, figures, axes, repeats, machine.cores)
        return _level(words, f"{points}; {repeats} repeats", seconds)

    few, ends = machine.few, tuple(sorted({*machine.ends, *machine.few}))
    return [
        level("8", 3, "figure 8 of q4", few, " --queries q4"),
        level("8,12", 3, "figures 8 of q1, q4 and 12", few, " --queries q1,q4 --micro sl"),
        level("", 3, "all figures, fewer queries", few, " --queries q1,q2,q4 --micro sl,ps,sl-ps"),
        level("", 3, "all figures", few),
        level("", 6, "all figures", few),
        level("", 9, "all figures", ends),
    ]


def _sweep_published(machine: EvaluatedMachine) -> Level:
    seconds = sweep_seconds((), "", "", 9, machine.cores, run=0.6, narrow=False)
    return _level("bench sweep --preset paper", "as published", seconds)


def _joins(machine: EvaluatedMachine) -> list[Level]:
    def level(
        joins: str,
        tiers: str,
        windows: str,
        studies: str,
        repeats: int,
        gates: str = "--no-gates",
        counts: Sequence[int] = machine.counts,
    ) -> Level:
        words = f"bench joins --no-figures --run-time {RUN}s --workers {_listed(counts)} --join {joins} --tiers {tiers}"
        words += f" --windows {windows} --studies {studies} --repeats {repeats} {gates}"
        points = sum(1 if each == "scale" else 0.7 for each in joins.split(",")) * len(tiers.split(","))
        points *= len(windows.split(",")) * len(counts)
        told = f"{joins}; {tiers}; windows {windows} s; {repeats} repeats"
        return _level(words, told, joins_seconds(points, repeats, len(studies.split(",")), gates == "--gates"))

    every = "scan,simd,codes,index"
    return [
        level("scale", "simd", "1", "8a", 3, counts=machine.ends),
        level("scale", "simd,index", "1", "8a", 3),
        level("scale,handshake", every, "1", "8a,8b,8c", 3),
        level("scale,handshake", every, "1,2,3", "8a,8b,8c", 3, "--gates"),
        level("scale,handshake", every, "1,2,3", "8a,8b,8c", 7, "--gates"),
    ]


def _joins_published(machine: EvaluatedMachine) -> Level:
    points = 3 * 1.7 * 4 * len(machine.counts)
    seconds = joins_seconds(points, 7, 3, gates=True, run=2.0, study=300.0, window=600.0)
    return _level(f"bench joins --preset paper --no-figures --workers {machine.workers}", "as published", seconds)


def _topk(machine: EvaluatedMachine) -> list[Level]:
    counts = tuple(count for count in doublings(min(MOST_STREAMS, max(2, machine.cores))) if count > 1)

    def level(
        alphas: tuple[float, ...], figures: tuple[str, ...], repeats: int, counts: Sequence[int] = counts
    ) -> Level:
        words = f"bench topk --no-figures --streams {_listed(counts)} --failing 0,0.25 --alphas {_listed(alphas)}"
        words += f" --figures {','.join(figures)} --repeats {repeats} --run-time {RUN}s"
        told = f"α {_listed(alphas)}; figures {', '.join(figures)}; {repeats} repeats"
        return _level(words, told, topk_seconds(counts, alphas, figures, repeats))

    some, every = (
        ("5", "6", "updates"),
        ("1", "2", "5", "6", "7", "8", "9a", "9b", "9c", "10a", "10b", "10c", "updates"),
    )
    return [
        level((1.5,), ("5", "6"), 3, tuple(sorted({2, counts[-1]}))),
        level((0.5, 1.5), some, 3),
        level((0.5, 1.0, 1.5, 2.5), every, 3),
        level((0.5, 1.0, 1.5, 2.0, 2.5, 3.0), every, 7),
    ]


def _topk_published(machine: EvaluatedMachine) -> Level:
    seconds = 6 * topk_seconds((4, 8, 16, 32), (0.5, 1.0, 1.5, 2.0, 2.5, 3.0), (), 7)
    return _level("bench topk --preset paper --no-figures", "as published", seconds)


def _snet(machine: EvaluatedMachine) -> list[Level]:
    counts = doublings(min(MOST_WORKERS, machine.cores))
    words = f"bench snet --no-figures --workers {_listed(counts)} --run-time {RUN}s"
    return [
        _level(f"{words} --cases {cases} --cholesky {matrix} --repeats {repeats}", told, seconds)
        for cases, matrix, repeats in (
            ("fibonacci,sieve-feedback", "512/32", 3),
            (SNET_CASES, "2048/64", 3),
            (SNET_CASES, "2048/64", 7),
        )
        for told in [f"{cases.replace(',', ', ')}; {repeats} repeats"]
        for seconds in [snet_seconds(cases.split(","), (matrix,), counts, repeats)]
    ]


def _snet_published(machine: EvaluatedMachine) -> Level:
    counts = doublings(min(MOST_WORKERS, machine.cores))
    seconds = 8 * snet_seconds(SNET_CASES.split(","), ("4096/64", "8192/128"), counts, 7)
    words = f"bench snet --preset big --no-figures --workers {_listed(counts)}"
    return _level(words, "as published", seconds)


SNET_CASES = "fibonacci,power-of-two,sieve-star,sieve-feedback,sieve-blocks,filters,cholesky,stap-like"


def _simulation(machine: EvaluatedMachine) -> list[Level]:
    return [
        _level(
            f"simulate validate --usual --workloads {','.join(workloads)} --workers {machine.workers}",
            ", ".join(workloads),
            validate_seconds(workloads, machine.counts),
        )
        for workloads in (
            ("ps",),
            ("sl", "ps", "sl-ps"),
            ("sl", "ps", "sl-ps", "q1", "q4"),
            ("q1", "q2", "q3", "q4", "q15", "sl", "ps", "sl-ps"),
        )
    ]


def _nodes(machine: EvaluatedMachine) -> list[Level]:
    if machine.nodes < 2:
        return []
    counts = (max(1, machine.cores // machine.nodes), machine.cores)
    return [
        _level(
            f"bench sweep --engines serial,ordered --queries {','.join(QUERIES[:many])} --workers {_listed(counts)} "
            f"--places compact,spread --repeats {repeats} --run-time {RUN}s",
            f"{', '.join(QUERIES[:many])}; {repeats} repeats",
            queries_seconds((*counts, *counts), many, repeats),
        )
        for many, repeats in ((1, 3), (6, 6))
    ]


def _richest(levels: Callable[[EvaluatedMachine], list[Level]]) -> Callable[[EvaluatedMachine], Level]:
    return lambda machine: levels(machine)[-1]


PARTS = (
    EvaluationPart(
        *("queries", "the queries, by one thread and by the ordered engine, over workers", 24.0),
        *(_queries, _queries_published, "queries"),
    ),
    EvaluationPart(
        *("scaling", "parametric pipelines over workers, beside as many loops at once", 22.0),
        *(_scaling, lambda machine: _scaling(machine, 9)[-1]),
    ),
    EvaluationPart(
        "plans", "plans by hand beside the chosen one, at all cores", 12.0, _plans, _richest(_plans), "queries"
    ),
    EvaluationPart("sweep", "paper 000: its schemes, figures 8 to 14", 14.0, _sweep, _sweep_published, "sweep"),
    EvaluationPart("joins", "paper 001: joins over threads", 9.0, _joins, _joins_published),
    EvaluationPart("topk", "paper 002: top-k over threads", 7.0, _topk, _topk_published),
    EvaluationPart("snet", "paper 004: FRONT over workers", 7.0, _snet, _snet_published),
    EvaluationPart(
        *("simulation", "schemes and ordered, run and simulated, over workers", 8.0),
        *(_simulation, _richest(_simulation), "sweep"),
    ),
    EvaluationPart(
        *("siblings", "a worker for each core, and for each hardware thread", 6.0),
        *(_siblings, _richest(_siblings), "queries"),
    ),
    EvaluationPart(
        *("nodes", "workers on near cores, and spread over NUMA nodes", 6.0),
        *(_nodes, _richest(_nodes), "queries"),
    ),
)
NAMES = tuple(part.name for part in PARTS)


def _cases(names: object) -> list[str]:
    return [word for name in names for word in ("--case", name)]  # type: ignore[attr-defined]


def _listed(values: Sequence[float]) -> str:
    return ",".join(f"{each:g}" for each in values)
