"""Every peer, by its name, and which of them are here."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from streambench.errors import OptionError, StreambenchError
from streambench.lab.peers.peer import Peer

OURS = ("serial", "ordered")
PLACES = {
    "serial": "operators.SERIAL",
    "ordered": "operators.ORDERED",
    "onetbb": "operators.ONETBB",
    "duckdb": "duckdb_batch.PEER",
    "polars": "polars_batch.PEER",
    "spark-sql": "spark.BATCH",
    "spark-streaming": "spark.STREAM",
    "bytewax": "bytewax_stream.PEER",
}
"""Where each is: a process loads its own peer only, so that start and memory are not those of others."""

NAMES = tuple(name for name in PLACES if name not in OURS)


def find(name: str) -> Peer:
    """The peer of that name, ours among them. Raises OptionError where there is none."""
    if name not in PLACES:
        raise OptionError(f"there is no peer {name!r}: choose from {', '.join(NAMES)}.")
    module, _, constant = PLACES[name].partition(".")
    peer: Peer = getattr(importlib.import_module(f"streambench.lab.peers.{module}"), constant)
    return peer


def chosen(names: Sequence[str]) -> tuple[tuple[Peer, ...], list[str]]:
    """Ours and the others of these names, all for none, as far as they are here; and a sentence for each that is not.

    Raises OptionError for a name that none has, StreambenchError where all that are named are missing.
    """
    peers = [find(name) for name in names or NAMES]
    lacking = {peer.name: words for peer in peers if (words := peer.missing()) is not None}
    left_out = [f"{name} is left out: {words}" for name, words in lacking.items()]
    here = [peer for peer in peers if peer.name not in lacking]
    if lacking and not here:
        raise StreambenchError(f"no peer is here: {'; '.join(left_out)}.")
    return (*map(find, OURS), *here), left_out
