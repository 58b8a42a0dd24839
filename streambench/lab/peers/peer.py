"""The contract: what a peer is, what it is asked for, and what a run of it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import pyarrow as pa

Order = Literal["sequence", "per key", "none"]
"""What a peer promises of its output: the sequence of one thread; that of each key by itself; nothing."""

INSTALL = "pip install 'streambench[peers]'"
UNIT = 4096  # tuples that engines of units are given, where they do not choose


@dataclass(frozen=True)
class PeerJob:
    """A query by its name, over a data directory, with so many threads."""

    query: str
    data: Path
    workers: int


@dataclass(frozen=True)
class Ran:
    """What a run has left.

    ``answer``: with the columns of the query's answer, in any order of the rows unless the peer promises a sequence;
    None of several laps, where the sequence speaks for it.
    ``digest``: of the output sequence, where it promises one (see `TableSink`). ``latency``: quantiles in seconds, None
    where no tuple comes out before the last has gone in, or where nobody has taken it. ``seconds``: of the run, where
    the peer knows better than the clock around the call what was start-up.
    """

    answer: pa.Table | None
    digest: str | None = None
    latency: Mapping[str, float] | None = None
    seconds: float | None = None


Run = Callable[..., Ran]
"""Executes the query once, from the first tuple until the answer is there. That of a peer that replays is called with
the number of laps, that of any other with nothing."""


def built() -> None:
    """Of a peer that comes built."""


@dataclass(frozen=True)
class Peer:
    """An engine that is measured.

    ``package``: the distribution whose version is told; ``streams``: tuple by tuple or in batches of them, not the
    whole table at once; ``guarantees``: of order, in words; ``configure``: how it is set up, in words; ``prepare``:
    starts it and brings the tables to where it reads them best; ``missing``: what it lacks here, None for nothing;
    ``parallel``: it uses as many threads as it is asked for; ``replays``: it promises a sequence, and takes the stream
    for several laps as one longer stream; ``build``: compiles what it needs, if that is not there yet.
    """

    name: str
    package: str
    streams: bool
    order: Order
    guarantees: str
    configure: Callable[[PeerJob], str]
    prepare: Callable[[PeerJob], Run]
    missing: Callable[[], str | None]
    parallel: bool = True
    replays: bool = False
    build: Callable[[], None] = built

    @property
    def version(self) -> str:
        """Of its package."""
        return metadata.version(self.package)


def lacks(package: str) -> str | None:
    """What to install where the distribution ``package`` is not there, else None."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return f"{package} is not installed ({INSTALL})"
    return None
