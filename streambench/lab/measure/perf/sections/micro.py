"""The micro pipeline: against one loop, against oneTBB, over workers, and while nothing arrives."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.host.limits import default_workers
from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.case import PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.micro_pipeline import KEYS, MicroPipeline, know_references
from streambench.lab.measure.perf.own_loops import TWO_LOOPS, two_loops
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import loop, loops, ordered, stream
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map, SilentSource

Things = dict[str, Callable[[], float]]

LIGHT = {
    "no work": (0, "map", 0.0),
    "100 ns, stateless": (100, "map", 0.0),
    "100 ns, half and half": (100, "both", 0.0),
    "100 ns, keyed": (100, "keyed", 0.0),
    "100 ns, keyed, one key at 30 %": (100, "keyed", 0.3),
}
AMOUNTS = {1_000: "1 µs", 10_000: "10 µs", 100_000: "100 µs"}
HEAVY = {
    f"{amount}, {kind}": (ns, where, 0.0)
    for ns, amount in AMOUNTS.items()
    for where, kind in (("map", "stateless"), ("keyed", "keyed"))
}


def micro(settings: PerfSettings) -> list[PerfCase]:
    """Two workers against one loop for each kind of work; without work one worker's overhead, too."""

    def things(what: str, tell: Tell) -> Things:
        ns, where, hot = {**LIGHT, **HEAVY}[what]
        seconds = settings.seconds * (1 if what in LIGHT else 2)  # at 100 µs half a second holds few tuples
        pipeline = stream(ns, where, seconds, hot=hot)
        alone = {} if ns else {"1 worker": ordered(pipeline, 1)}
        return {"loop": loop(pipeline), **alone, "2 workers": ordered(pipeline, 2), TWO_LOOPS: loops(pipeline, 2)}

    def rows(what: str, values: Values) -> Iterator[Row]:
        if "1 worker" in values:
            yield Row(f"{what}: 1 worker's overhead", "1 worker", "loop", unit="ns", how="excess")
        yield Row(f"{what}: 2 workers", "loop", "2 workers", note=partial(two_loops, one="loop"))

    return [compared(settings, what, partial(things, what), partial(rows, what)) for what in (*LIGHT, *HEAVY)]


TOKENS = (64, 1024, 4096)
LIVE = (4, 16, 64)  # tokens under way
SINGLE = "tokens and units of 1"
TOKEN_NS = 150  # what oneTBB takes per token, so that a stream of tokens of 1 is not too long


def tbb(settings: PerfSettings) -> list[PerfCase]:
    """The same operators by oneTBB, at its best token size; and tokens and units of 1."""

    def peer(pipeline: MicroPipeline, token: int, live: int) -> Callable[[], float]:
        return lambda: pipeline.peer(2, token, live).ns

    def things(what: str, tell: Tell) -> Things:
        onetbb.build()
        ns, where, _ = LIGHT[what]
        pipeline = stream(ns, where, settings.seconds)
        tell("oneTBB's best token size")
        tried = [(peer(pipeline, token, live)(), token, live) for token in 2 * TOKENS for live in LIVE]
        _, token, live = min(tried)
        return {
            "2 workers": ordered(pipeline, 2),
            f"oneTBB, tokens of {token} tuples, {live} under way": peer(pipeline, token, live),
        }

    def single(tell: Tell) -> Things:
        """Which number under way is best is not clear from a single run: all are measured, the best median counts."""
        onetbb.build()
        pipeline = MicroPipeline(stream(TOKEN_NS, "map", settings.seconds).tuples)
        return {
            "2 workers": ordered(pipeline, 2, unit=1),
            **{f"oneTBB, {live} under way": peer(pipeline, 1, live) for live in LIVE},
        }

    def row(what: str, values: Values) -> list[Row]:
        fastest = min((name for name in values if name != "2 workers"), key=lambda name: median(values[name]))
        return [Row(what, fastest, "2 workers", note=fastest)]

    measured = ("no work", "100 ns, keyed", "100 ns, stateless")
    same = [
        compared(settings, what, partial(things, what), partial(row, f"{what}: the same operators"))
        for what in measured
    ]
    return [*same, compared(settings, SINGLE, single, partial(row, f"no work, {SINGLE}"))]


WORK = {0: "no work", 100: "100 ns", 1_000: "1 µs", 10_000: "10 µs"}
WHERE = {"stateless": ("map", 0.0), "keyed": ("keyed", 0.0), "hot key": ("keyed", 0.3)}
ONE = "1 loop"
TRIALS = 2  # the first one is mostly a run's beginning


def doublings(most: int) -> list[int]:
    """1, 2, 4 and so on, and ``most``."""
    return sorted({*(1 << power for power in range(most.bit_length()) if 1 << power < most), most})


def scaling(settings: PerfSettings) -> list[PerfCase]:
    """What the runtime makes of the cores, for each amount and place of work.

    Each loop works on a whole stream of its own, so that the loops share nothing but the machine. The faster so many
    workers are in a trial, the longer their stream is: all runs last about as long.
    """
    counts = sorted(settings.workers or doublings(default_workers()))

    def things(ns: int, where: str, hot: float, tell: Tell) -> Things:
        of = partial(stream, ns, where, hot=hot)
        base = of(settings.seconds)
        know_references([base])
        alone = base.loop().ns
        speeds = {count: max(1.0, count / 4) for count in counts}
        for trial in range(TRIALS + 1):
            streams = {count: of(settings.seconds * speeds[count]) for count in counts}
            tell(f"the loop's sequences, for trial {trial + 1}" if trial < TRIALS else "the loop's sequences")
            know_references(streams.values())
            if trial < TRIALS:
                measured = {count: alone / ordered(streams[count], count)() for count in counts}
                speeds = {count: min(max(1.0, measured[count]), float(count)) for count in counts}
        workers = {f"{count} workers": ordered(streams[count], count) for count in counts}
        return {ONE: loop(base), **workers, **{f"{count} loops": loops(base, count) for count in counts if count > 1}}

    def rows(what: str, values: Values) -> Iterator[Row]:
        for count in counts:
            workers, many = f"{count} workers", f"{count} loops"
            yield Row(f"{what}: {workers} against 1 loop", ONE, workers)
            if count > 1:
                yield Row(f"{what}: {many} at once against 1 loop", ONE, many)
                yield Row(f"{what}: {workers} against {many} at once", many, workers)

    return [
        compared(
            settings,
            f"{amount}, {kind}",
            partial(things, ns, *where),
            partial(rows, f"{amount}, {kind}"),
            warm_up=False,
        )
        for ns, amount in WORK.items()
        for kind, where in WHERE.items()
    ]


LONG = 6  # times as long as other runs: the first milliseconds, in which workers fall asleep, must not count


def idle(settings: PerfSettings) -> list[PerfCase]:
    """A source in which nothing arrives, and an open loop whose first tuple comes at the end; 2 workers."""
    seconds = LONG * settings.seconds

    def silent() -> None:
        execute(Pipeline([SilentSource(seconds), Map(), Count(KEYS), DigestSink()]), Options(workers=2))

    def late() -> None:
        MicroPipeline(1).engine(Options(workers=2, rate=1 / seconds))

    things = {"a silent source": partial(cpu_use, silent), "an open loop": partial(cpu_use, late)}
    rows = [Row(f"CPU use, {name}", name, unit="%") for name in things]
    return [compared(settings, "no input", lambda tell: things, lambda values: rows, unit="% of a core", warm_up=False)]


def cpu_use(run: Callable[[], None]) -> float:
    """The processor time that the process takes during ``run``, in per cent of one core."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    run()
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return 100 * used / (ended - begun)
