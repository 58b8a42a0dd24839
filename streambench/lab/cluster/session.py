"""Spark for queries on a cluster: started as `data generate` starts it, with Python workers that have this package."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from streambench.datagen import spark
from streambench.datagen.errors import DatagenError
from streambench.errors import OptionError, StreambenchError
from streambench.lab.cluster.problems import known_error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APP = "streambench"


@contextmanager
def running(
    master: str, *, workers: int = 1, settings: Mapping[str, str] | None = None, app: str = APP
) -> Iterator[SparkSession]:
    """A Spark session on ``master`` whose tasks reserve ``workers`` cores each; ``settings``: further ones of Spark's.

    A Spark that runs already in this process is used if it has the same master and settings, and left running. On
    Ctrl-C all jobs are cancelled.

    Raises StreambenchError, with one sentence, where Spark cannot start, and for what goes wrong inside the block.
    """
    _require_cores(master, workers)
    configuration = dict(settings or {})
    if workers > 1:
        configuration = {"spark.task.cpus": str(workers), "spark.executor.cores": str(workers), **configuration}
    try:
        with spark.running(master, app, configuration) as session:
            yield session
    except (StreambenchError, KeyboardInterrupt):
        raise
    except DatagenError as problem:
        raise StreambenchError(str(problem)) from problem
    except Exception as problem:
        raise known_error(problem) from problem


def _require_cores(master: str, workers: int) -> None:
    """A local Spark would wait for ever for cores that it has not."""
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    if master.startswith("local-cluster"):
        return
    cores = len(os.sched_getaffinity(0)) if inside == "*" else int(inside) if inside.isdigit() else 1
    if master.startswith("local") and workers > cores:
        raise OptionError(f"`workers` {workers} are more than the {cores} cores of {master}: ask for fewer.")
