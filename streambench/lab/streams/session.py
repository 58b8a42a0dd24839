"""A Spark session that streams can run in."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streambench.datagen import spark
from streambench.datagen.environment import WORKERS_PYTHON
from streambench.lab.cluster.problems import known_error

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SEARCHED = "PYTHONPATH"


@contextmanager
def session(master: str, partitions: int) -> Iterator[Any]:
    """Spark on ``master`` for the length of a ``with`` block, with the state store that `transformWithState` wants.

    ``partitions``: of the shuffle; a checkpoint keeps those it began with. Raises DatagenError if Spark cannot start,
    and StreambenchError for what Spark raises inside the block.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    with _drivers_workers_equipped(), spark.running(master, "streambench spark stream") as opened:
        opened.conf.set("spark.sql.streaming.stateStore.providerClass", STATE_STORE)
        opened.conf.set("spark.sql.shuffle.partitions", str(partitions))
        try:
            yield opened
        except (PySparkException, Py4JError) as problem:
            raise known_error(problem) from problem


@contextmanager
def _drivers_workers_equipped() -> Iterator[None]:
    """Spark starts workers on the driver, too: to initialise the stateful processor, and to plan a source of Python's.

    They run the Python that executors have, but no archive is unpacked for them. Where it is another than this one,
    Java, which starts them, is told where this one's packages are.
    """
    if os.environ.get(WORKERS_PYTHON) in (None, "", sys.executable):
        yield
        return
    before = os.environ.get(SEARCHED)
    package = str(Path(__file__).parents[3])
    places = [before, package, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    os.environ[SEARCHED] = os.pathsep.join(dict.fromkeys(each for each in places if each))
    try:
        yield
    finally:
        del os.environ[SEARCHED]
        if before is not None:
            os.environ[SEARCHED] = before
