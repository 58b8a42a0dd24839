"""The micro pipeline's streams that the sections measure, by how much work there is and where."""

from __future__ import annotations

from micro.pipeline import Micro, iterations_for

LEAST_TUPLES = 100
BARE_NS = 1.1  # what a tuple takes without work: a guess, from which the length of a stream follows


def stream(ns: float, where: str, seconds: float, *, hot: float = 0.0, speed: float = 1.0) -> Micro:
    """A stream that one thread works on for about ``seconds``: ``ns`` of work per tuple, in ``where``.

    ``where``: ``map``, ``keyed`` or ``both`` (half and half). ``hot``: the share of one key. ``speed``: how many times
    as fast as the fused loop the stream will be consumed.
    """
    shares = {"map": (1.0, 0.0), "keyed": (0.0, 1.0), "both": (0.5, 0.5)}[where]
    tuples = max(LEAST_TUPLES, int(seconds * speed * 1e9 / (ns + BARE_NS)))
    in_map, in_keyed = (iterations_for(share * ns) for share in shares)
    return Micro(tuples, map_work=in_map, keyed_work=in_keyed, hot=hot)
