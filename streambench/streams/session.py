"""A Spark session that streams can run in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@contextmanager
def session(master: str, partitions: int) -> Iterator[Any]:
    """Spark on ``master`` for the length of a ``with`` block, with the state store that `transformWithState` wants.

    ``partitions``: of the shuffle; a checkpoint keeps those it began with. Raises DatagenError if Spark cannot start.
    """
    from streambench.datagen import spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of local executors: the Python that has the operators
    with spark.running(master, "streambench stream") as opened:
        opened.conf.set("spark.sql.streaming.stateStore.providerClass", STATE_STORE)
        opened.conf.set("spark.sql.shuffle.partitions", str(partitions))
        yield opened
