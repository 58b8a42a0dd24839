"""Baskets with a long tail: Q1 where one operator makes some fifty pairs of a line, and up to a thousand.

Beside two workers stand two serial runs at once, over the stream's halves: what these cores give to this work where
nothing is shared out, so that a reader can tell the machine from the runtime; and the plan that deals the pairs out,
given by hand, so that a reader can tell the plan from the choice of it. A note tells the machine's own two
loops at once.
"""

from __future__ import annotations

from streambench.lab.measure.perf.basket_stream import BasketStream
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.settings import Settings

HALVES = "two serial runs at once, over halves"
DEALT, DEALT_PLAN = "2 workers, pairs dealt out by hand", "2**|5"
NAME, TITLE, NEEDS_DATA = "baskets", "Baskets with a long tail: Q1", False
LINE_NS = 1000  # what a line takes one thread: a guess, from which the length of the stream follows
LASTING = 5  # times as long as other runs: the choice of a plan takes up to 0.2 s


def cases(settings: Settings) -> list[Case]:
    """The serial engine, and the ordered one with one and two workers, over one stream."""

    def measure(into: Measured, tell: Tell) -> None:
        tell("making baskets")
        stream = BasketStream(round(LASTING * settings.seconds * 1e9 / LINE_NS))
        things = {
            "serial": stream.run(engine="serial"),
            "1 worker": stream.run(workers=1),
            "2 workers": stream.run(workers=2),
            DEALT: stream.run(workers=2, plan=DEALT_PLAN),
            HALVES: stream.halves(),
            **own_loops(settings.seconds),
        }
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, NS)
        into.ratio("serial against 1 worker", "1 worker", "serial")
        into.ratio("2 workers against 1", "1 worker", "2 workers", note=two_loops(found))
        into.ratio(f"{DEALT}, against 1 worker", "1 worker", DEALT, judged=False)
        into.ratio(f"{HALVES}, against 1 worker", "1 worker", HALVES, judged=False)

    return [Case("baskets", measure)]
