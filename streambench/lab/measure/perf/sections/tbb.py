"""The ordered engine against oneTBB's ordered pipeline over the same stream, both with two threads."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline
from streambench.lab.measure.perf.sections.micro import ordered
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import stream

NAME, TITLE, NEEDS_DATA = "tbb", "2 workers against oneTBB's parallel_pipeline with 2 threads", False
STREAMS = {"no work": (0, "map"), "100 ns, keyed": (100, "keyed"), "100 ns, stateless": (100, "map")}
SINGLE = "tokens and units of 1"
TOKENS = (64, 1024, 4096)
LIVE = (4, 16, 64)  # tokens under way
THREADS = 2
TOKEN_NS = 150  # what oneTBB takes per token, so that a stream of tokens of 1 is not too long
ATTEMPTS = 2


def cases(settings: Settings) -> list[Case]:
    """No work, 100 ns keyed and stateless at oneTBB's best token size; tokens and units of 1."""
    found = [_best_tokens(settings, what, ns, where) for what, (ns, where) in STREAMS.items()]
    return [*found, Case(SINGLE, lambda into, tell: _single(settings, into, tell))]


def peer(micro: MicroPipeline, token: int, live: int) -> Callable[[], float]:
    """What measures oneTBB, in ns per tuple."""
    return lambda: micro.peer(THREADS, token, live).ns


def best(micro: MicroPipeline) -> tuple[int, int]:
    """The fastest tokens: how many tuples, and how many tokens under way; by the better of two runs each."""
    tried = [(peer(micro, token, live)(), token, live) for _ in range(ATTEMPTS) for token in TOKENS for live in LIVE]
    return min(tried)[1:]


def _best_tokens(settings: Settings, what: str, ns: int, where: str) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        onetbb.build()
        micro = stream(ns, where, settings.seconds)
        tell("oneTBB's best token size")
        token, live = best(micro)
        things = {"2 workers": ordered(micro, 2), "oneTBB": peer(micro, token, live)}
        into.keep(interleave(things, settings.repeats, into.distances, tell), NS)
        note = f"tokens of {token} tuples, {live} under way"
        into.ratio(f"{what}: the same operators", "oneTBB", "2 workers", note=note)

    return Case(what, measure)


def _single(settings: Settings, into: Measured, tell: Tell) -> None:
    """Which number under way is best is not clear from a single run: all are measured, and the best median counts."""
    onetbb.build()
    micro = MicroPipeline(stream(TOKEN_NS, "map", settings.seconds).tuples)
    peers = {f"oneTBB, {live} under way": peer(micro, 1, live) for live in LIVE}
    found = interleave({"2 workers": ordered(micro, 2, unit=1), **peers}, settings.repeats, into.distances, tell)
    into.keep(found, NS)
    fastest = min(peers, key=lambda name: median(found[name]))
    into.ratio(f"no work, {SINGLE}", fastest, "2 workers", note=fastest)
