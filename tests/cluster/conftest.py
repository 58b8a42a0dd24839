"""One standalone cluster of two workers, and one Spark session on it, for the tests of a file. One bundle for all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from once import made_once

from streambench.lab.cluster import bundle, session
from streambench.lab.cluster.standalone import StandaloneCluster

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


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle for executors that have Python and nothing else."""

    def make(archive: Path) -> None:
        with archive.open("wb") as file:
            assert {"pyarrow", "pandas"} <= set(bundle.write(file))  # pandas is for streams

    return made_once(tmp_path_factory, "bundle.tar.gz", make)


@pytest.fixture(scope="module")
def on_cluster(standalone: StandaloneCluster) -> Iterator[Any]:
    """A Spark session."""
    with session.running(standalone.master, settings=SMALL) as spark:
        yield spark
