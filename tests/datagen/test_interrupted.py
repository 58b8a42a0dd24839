"""An interrupted or refused run leaves nothing that could be taken for data, and no Spark behind."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext

from streambench.datagen import check, generate, manifest, model
from streambench.datagen.errors import DatagenError
from streambench.datagen.make.failures import spark_failures
from streambench.datagen.spark import session, stop


@pytest.fixture(autouse=True, scope="module")
def no_spark_from_before() -> None:
    """Other modules leave theirs to the next."""
    stop()


def interrupt_at(step: str) -> object:
    def progress(name: str, fraction: float) -> None:
        if name == step and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with pytest.raises(KeyboardInterrupt):
        generate(out, scale_factor=0.001, master="local[2]", progress=interrupt_at("web_clickstreams"))  # type: ignore[arg-type]
    assert not out.exists()
    assert SparkContext._active_spark_context is None


def test_ctrl_c_during_a_spark_job_stops_it(tmp_path: Path) -> None:
    out = tmp_path / "data"
    handler = signal.getsignal(signal.SIGINT)
    timers = []

    def progress(name: str, fraction: float) -> None:
        if name == "web_clickstreams" and not timers:  # large enough to run for seconds
            timers.append(threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    with pytest.raises(KeyboardInterrupt):
        generate(out, scale_factor=0.3, master="local[2]", progress=progress)
    assert not out.exists()
    assert SparkContext._active_spark_context is None
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("failure", [Py4JNetworkError, Py4JError])
def test_ctrl_c_amid_a_call_to_java_is_no_failure_of_spark(failure: type[Exception]) -> None:
    """PySpark cleans up after the call over the same connection, and what that raises would hide the interrupt."""

    def interrupted() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise failure("Answer from Java side is empty")

    with pytest.raises(KeyboardInterrupt), spark_failures("writing"):
        interrupted()
    with pytest.raises(DatagenError, match="while writing"), spark_failures("writing"):
        raise failure("Answer from Java side is empty")


def test_a_killed_run_is_refused_until_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "data"
    monkeypatch.setattr(manifest, "abandon", lambda out: None)  # a killed process cannot tidy up
    with pytest.raises(KeyboardInterrupt):
        generate(out, scale_factor=0.001, master="local[2]", progress=interrupt_at("store_sales"))  # type: ignore[arg-type]
    assert (out / manifest.MARKER).exists()
    assert not (out / manifest.FILE).exists()
    with pytest.raises(DatagenError, match="incomplete"):
        check(out)
    with pytest.raises(DatagenError, match="interrupted"):
        generate(out, scale_factor=0.001, master="local[2]")
    generate(out, scale_factor=0.001, master="local[2]", overwrite=True)
    assert check(out).ok


def test_what_spark_throws_is_told_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "WHOLESALE_CENTS", (10**9, 10**10))  # no decimal(7,2) holds such prices
    out = tmp_path / "data"
    with pytest.raises(DatagenError, match=r"Spark failed while generating .*data: .*(OVERFLOW|RANGE)") as told:
        generate(out, scale_factor=0.001, master="local[2]")
    assert len(str(told.value).splitlines()) == 1
    assert not out.exists()


def test_existing_data_is_refused_untouched(generated: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in generated.rglob("*")}
    with pytest.raises(DatagenError, match="--overwrite"):
        generate(generated, scale_factor=0.001, master="local[2]")
    assert {path: path.stat().st_mtime_ns for path in generated.rglob("*")} == before


@pytest.mark.parametrize("master", ["local[0]", "local[x]", "localhost", "", "spark://", "local[-1]"])
def test_a_malformed_master_is_named(tmp_path: Path, master: str) -> None:
    with pytest.raises(DatagenError, match="no Spark master"):
        generate(tmp_path / "data", scale_factor=0.001, master=master)
    assert not (tmp_path / "data").exists()


def test_a_master_that_does_not_answer_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(DatagenError, match=r"No Spark master answers at spark://127\.0\.0\.1:1:"):
        generate(tmp_path / "data", scale_factor=0.001, master="spark://127.0.0.1:1")


def test_missing_java_is_told_with_the_command_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DatagenError, match=r"apt-get install -y default-jre-headless"):
        session("local[1]")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DatagenError, match=r"apt-get install -y default-jre-headless"):
        session("local[1]")


def test_old_java_is_told_apart_from_missing_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DatagenError, match="is Java 11"):
        session("local[1]")
