"""What the sections measure: the micro pipeline's streams, by how much work there is and where, and the queries'."""

from __future__ import annotations

import functools
from pathlib import Path

from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf.case import Tell
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline, iterations_for
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.workloads.workload import Workload

LEAST_TUPLES = 100
BARE_NS = 1.1  # what a tuple takes without work: a guess, from which the length of a stream follows


def stream(ns: float, where: str, seconds: float, *, hot: float = 0.0) -> MicroPipeline:
    """A stream that one thread works on for about ``seconds``: ``ns`` of work per tuple, in ``where``.

    ``where``: ``map``, ``keyed`` or ``both`` (half and half). ``hot``: the share of one key.
    """
    shares = {"map": (1.0, 0.0), "keyed": (0.0, 1.0), "both": (0.5, 0.5)}[where]
    tuples = max(LEAST_TUPLES, int(seconds * 1e9 / (ns + BARE_NS)))
    in_map, in_keyed = (iterations_for(share * ns) for share in shares)
    return MicroPipeline(tuples, map_work=in_map, keyed_work=in_keyed, hot=hot)


def load(settings: Settings, name: str, tell: Tell) -> Workload:
    """The query with its stream in memory, loaded once. Raises DataError for data that does not fit."""
    assert settings.data is not None
    tell("loading")
    return _loaded(settings.data, name)


@functools.cache
def _loaded(data: Path, name: str) -> Workload:
    return Workload(name, Catalog.open(data))
