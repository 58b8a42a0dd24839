"""The ordered engine against oneTBB's ordered pipeline over the same stream, both with two threads."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from interleave import interleave
from micro.pipeline import Micro
from sections.micro_pipeline import ordered
from sections.section import TIMES, Plan, Section, Tell, times_faster
from sections.streams import stream

TOKENS = (64, 1024, 4096)
LIVE = (4, 16, 64)  # tokens under way
THREADS = 2
TOKEN_NS = 150  # what oneTBB takes per token, so that a stream of tokens of 1 is not too long
ATTEMPTS = 2


def measure(plan: Plan, tell: Tell) -> Section:
    """No work, 100 ns keyed and stateless at oneTBB's best token size; tokens and units of 1."""
    section = Section("2 workers against oneTBB's parallel_pipeline with 2 threads")
    for what, ns, where, target in (
        ("no work", 0, "map", 2.0),
        ("100 ns, keyed", 100, "keyed", 1.9),
        ("100 ns, stateless", 100, "map", None),
    ):
        micro = stream(ns, where, plan.seconds)
        tell(f"{what}: oneTBB's best token size")
        token, live = best(micro, by_hand=False)
        columns, columns_live = best(micro, by_hand=True)
        things = {
            "2 workers": ordered(micro, 2),
            "oneTBB": peer(micro, token, live, by_hand=False),
            "oneTBB by hand": peer(micro, columns, columns_live, by_hand=True),
        }
        tell(f"{what}: against tokens of {token} tuples, and of {columns} by hand")
        found = interleave(things, plan.repeats, plan.distances)
        _record(section, what, found)
        same = f"tokens of {token} tuples, {live} under way"
        by_hand = f"tokens of {columns} tuples, {columns_live} under way"
        section.add(
            f"{what}: the same operators", times_faster(found["oneTBB"], found["2 workers"]), TIMES, target, note=same
        )
        section.add(
            f"{what}: oneTBB fused and columnar by hand",
            times_faster(found["oneTBB by hand"], found["2 workers"]),
            TIMES,
            note=by_hand,
        )
    tell("tokens and units of 1")
    micro = stream(TOKEN_NS, "map", plan.seconds)
    micro = Micro(micro.tuples)
    # Which number under way is best is not clear from a single run: all are measured, and the best median counts.
    peers = {f"oneTBB, {live} under way": peer(micro, 1, live, by_hand=False) for live in LIVE}
    found = interleave({"2 workers": ordered(micro, 2, unit=1), **peers}, plan.repeats, plan.distances)
    _record(section, "tokens and units of 1", found)
    best_peer = min(peers, key=lambda name: median(found[name]))
    ratio = times_faster(found[best_peer], found["2 workers"])
    section.add("no work, tokens and units of 1", ratio, TIMES, 2.0, note=best_peer)
    return section


def peer(micro: Micro, token: int, live: int, *, by_hand: bool) -> Callable[[], float]:
    """What measures oneTBB, in ns per tuple."""
    return lambda: micro.peer(THREADS, token, by_hand=by_hand, live=live).ns


def best(micro: Micro, *, by_hand: bool) -> tuple[int, int]:
    """The fastest tokens: how many tuples, and how many tokens under way; by the better of two runs each."""
    tried = [
        (peer(micro, token, live, by_hand=by_hand)(), token, live)
        for _ in range(ATTEMPTS)
        for token in TOKENS
        for live in LIVE
    ]
    return min(tried)[1:]


def _record(section: Section, what: str, found: dict[str, list[float]]) -> None:
    for name, values in found.items():
        section.record(f"{what}, {name}", values, "ns per tuple")
