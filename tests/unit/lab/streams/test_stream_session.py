"""What Spark raises while streams run is told as one sentence; what anybody else raises goes on as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from streambench.datagen import spark
from streambench.errors import StreambenchError
from streambench.lab.streams.session import STATE_STORE, session

FULL = "java.io.IOException: No space left on device\n\tat java.base/java.io.FileOutputStream.write"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a session is set to, of a Spark that is none."""
    told: dict[str, str] = {}

    @contextmanager
    def running(master: str, name: str) -> Iterator[Any]:
        yield SimpleNamespace(conf=SimpleNamespace(set=told.__setitem__))

    monkeypatch.setattr(spark, "running", running)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return told


@pytest.mark.parametrize("kind", [PySparkException, Py4JError])
def test_where_spark_fails_streams_raise_a_sentence(kind: type[Exception]) -> None:
    problem = kind(FULL)
    with pytest.raises(StreambenchError, match=r"^a disk of an executor is full: .*\.$") as raised, session("local", 2):
        raise problem
    assert raised.value.__cause__ is problem


@pytest.mark.parametrize("kind", [PySparkException, Py4JError])
def test_what_spark_raises_of_a_ctrl_c_is_the_ctrl_c(kind: type[Exception]) -> None:
    """Java may not answer the call behind one that was broken off."""
    problem = kind("Answer from Java side is empty")
    problem.__context__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), session("local", 2):
        raise problem


def test_what_spark_did_not_raise_goes_on_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"), session("local", 2):
        raise KeyError("mine")


def test_a_session_has_the_store_and_the_partitions_that_streams_want(settings: dict[str, str]) -> None:
    with session("local", 3):
        pass
    assert settings == {
        "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
        "spark.sql.shuffle.partitions": "3",
    }
