"""One standalone cluster of two workers, and one Spark session on it, for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from streambench.cluster import session
from streambench.cluster.standalone import StandaloneCluster

SMALL = {
    "spark.executor.memory": "512m",
    "spark.default.parallelism": "3",
    "spark.task.maxFailures": "2",
    "spark.driver.memory": "512m",
}


@pytest.fixture(scope="module")
def standalone() -> Iterator[StandaloneCluster]:
    with StandaloneCluster(workers=2, cores=1, memory="1g") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def on_cluster(standalone: StandaloneCluster) -> Iterator[Any]:
    """A Spark session."""
    with session.running(standalone.master, settings=SMALL) as spark:
        yield spark
