"""The joins that can be measured, by name: what makes their threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from streambench.host.placement import cores_for
from streambench.lab.measure.joins.handshake_crew import HandshakeCrew
from streambench.pyx.join import join_crew
from streambench.pyx.join.definition import Definition

TIERS = tuple(join_crew.TIERS)


class Join(NamedTuple):
    """``make``: from a definition, a tier and a number of threads, each with a core of its own, to a crew.

    A crew has ``run``, ``matches``, ``compared`` by thread, and ``comparing_seconds``, those after windows were filled
    without comparing. ``tiers``: those that it has. ``gated``: tuples can arrive through a gate while it runs.
    """

    make: Callable[[Definition, str, int], Any]
    tiers: Sequence[str]
    gated: bool


def _scale(definition: Definition, tier: str, threads: int) -> join_crew.JoinCrew:
    return join_crew.JoinCrew(definition, tier, threads, cores=cores_for(threads))


def _handshake(definition: Definition, tier: str, threads: int) -> HandshakeCrew:
    return HandshakeCrew(definition, threads, cores=cores_for(threads))


JOINS = {
    "scale": Join(_scale, TIERS, gated=True),
    "handshake": Join(_handshake, ("scan",), gated=False),
}
