"""Turns what Spark throws into one sentence: its own texts run over pages of Java."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from streambench.datagen.errors import DatagenError
from streambench.datagen.problems import root_cause


@contextmanager
def spark_failures(doing: str) -> Iterator[None]:
    """Raise what Spark throws inside the block as a DatagenError that says `doing` and the root cause.

    A Ctrl-C amid a call to Java stays a KeyboardInterrupt, though PySpark's clean-up may fail on the way and hide it.
    """
    try:
        yield
    except (PySparkException, Py4JError) as error:
        if _interrupted(error):
            raise KeyboardInterrupt from error
        raise _told(error, doing) from error


def _told(error: Exception, doing: str) -> DatagenError:
    if isinstance(error, Py4JNetworkError):
        return DatagenError(
            f"Spark's Java process ended while {doing}: it may have been killed for want of memory; "
            "close other programs, or use more --partitions."
        )
    return DatagenError(f"Spark failed while {doing}: {root_cause(str(error))}")


def _interrupted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False
