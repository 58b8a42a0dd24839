"""Flink: told rather than measured."""

from __future__ import annotations

from typing import NoReturn

from streambench.lab.peers.peer import Asked, Peer

REASON = (
    "apache-flink 2.3 needs py4j 0.10.9.7 and pyarrow below 17, but PySpark needs py4j 0.10.9.9 and streambench a "
    "later pyarrow, so it cannot be installed beside them"
)


def _prepare(asked: Asked) -> NoReturn:
    raise NotImplementedError(REASON)


PEER = Peer(
    name="flink",
    package="apache-flink",
    streams=True,
    order="per key",
    guarantees="each key's tuples in order from one source; none between keys",
    configure=lambda asked: "not measured",
    prepare=_prepare,
    missing=lambda: REASON,
)
