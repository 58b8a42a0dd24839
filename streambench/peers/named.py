"""Every peer, by its name, and which of them are here."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.errors import OptionError, StreambenchError
from streambench.peers import (
    bytewax_stream,
    duckdb_batch,
    flink,
    onetbb_stream,
    ours,
    polars_batch,
    spark_batch,
    spark_stream,
)
from streambench.peers.peer import Peer

OURS = (ours.SERIAL, ours.ORDERED)
OTHERS = (
    onetbb_stream.PEER,
    duckdb_batch.PEER,
    polars_batch.PEER,
    spark_batch.PEER,
    spark_stream.PEER,
    bytewax_stream.PEER,
    flink.PEER,
)
NAMES = tuple(peer.name for peer in OTHERS)


def find(name: str) -> Peer:
    """The peer of that name, ours among them. Raises OptionError where there is none."""
    for peer in (*OURS, *OTHERS):
        if peer.name == name:
            return peer
    raise OptionError(f"there is no peer {name!r}: choose from {', '.join(NAMES)}.")


def chosen(names: Sequence[str]) -> tuple[tuple[Peer, ...], list[str]]:
    """Ours and the others of these names, all for none, as far as they are here; and a sentence for each that is not.

    Raises OptionError for a name that none has, StreambenchError where all that are named are missing.
    """
    wanted = [find(name) for name in names] if names else list(OTHERS)
    lacking = {peer.name: words for peer in wanted if (words := peer.missing()) is not None}
    left_out = [f"{name} is left out: {words}" for name, words in lacking.items()]
    here = [peer for peer in wanted if peer.name not in lacking and peer not in OURS]
    if lacking and not here:
        raise StreambenchError(f"no peer is here: {'; '.join(left_out)}.")
    return (*OURS, *here), left_out
