"""What can go wrong on a cluster is one sentence, and leaves nothing half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest
from small_data import make

from streambench.errors import StreambenchError
from streambench.lab.cluster import session
from streambench.lab.cluster.problems import known_error
from streambench.lab.cluster.run import opened, run_workload
from streambench.lab.cluster.standalone import StandaloneCluster
from streambench.lab.data.catalog import Catalog

SETTINGS = {"spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.task.maxFailures": "1"}
PLAIN_PYTHON = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("small") / "data", seed=3).path


def run(data: Path, cluster: StandaloneCluster, first: Callable[[Any], None] | None = None, **settings: str) -> None:
    """Run Q3 in a session of its own, with something done to it before."""
    with session.running(cluster.master, settings={**SETTINGS, **settings}) as spark:
        if first is not None:
            first(spark)
        assert run_workload(opened("q3", Catalog.open(data)), spark).answer_ok


def call(*words: object, **variables: str) -> tuple[int, str]:
    """The exit code of a command, and what it said on standard error."""
    command = [sys.executable, "-m", "streambench", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})
    return done.returncode, done.stderr.strip()


def test_without_java_it_is_said_what_to_install(small: Path, tmp_path: Path) -> None:
    code, said = call("run", "q4", "--data", small, "--engine", "spark", JAVA_HOME=str(tmp_path))
    assert code == 1
    assert len(said.splitlines()) == 1
    assert said.startswith("streambench: Spark needs Java 17 or newer")


def test_a_master_that_does_not_answer_is_named(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    master = "spark://127.0.0.1:9"
    code, said = call("run", "q4", "--data", small, "--engine", "spark", "--master", master, "--out", out)
    assert code == 1
    assert said == f"streambench: No Spark master answers at {master}: start it, or use --master 'local[*]'."
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["q4", "--engine", "spark", "--laps", "2"], "--laps is not for --engine spark"),
        (["q4", "--engine", "spark", "--plan", "whole"], "--plan is not for --engine spark"),
        (["q4", "--master", "local[2]"], "--master belongs to --engine spark"),
        (["qjoin", "--engine", "spark"], "runs on one machine only"),
        (["module:function", "--engine", "spark"], "--engine spark runs queries only"),
        (["q4", "--engine", "spark", "--master", "local[1]", "--workers", "2"], "more than the 1 cores"),
    ],
)
def test_what_a_cluster_cannot_be_asked_for_is_refused(words: list[str], about: str, small: Path) -> None:
    code, said = call("run", *words, "--data", small)
    assert code == 2
    assert about in said
    assert len(said.splitlines()) == 1


def test_columns_that_do_not_fit_are_named_before_spark_starts(small: Path, tmp_path: Path) -> None:
    data = make(tmp_path / "data", seed=3).path
    file = data / "web_clickstreams" / "part-00001.parquet"
    rows = pq.read_table(file)
    place = rows.column_names.index("wcs_user_sk")
    pq.write_table(rows.set_column(place, "wcs_user_sk", rows.column(place).cast("string")), file)
    code, said = call("run", "q4", "--data", data, "--engine", "spark")
    assert code == 1
    assert "wcs_user_sk" in said
    assert str(file) in said
    assert len(said.splitlines()) == 1


def has_java(pid: int) -> bool:
    """Has the process started one? False, too, where something that it has started ends meanwhile: look again."""
    try:
        return any(each.name() == "java" for each in psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return False


def test_ctrl_c_ends_it_and_nothing_is_written(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    command = [sys.executable, "-m", "streambench", "run", "q2", "--data", small, "--engine", "spark", "--out", out]
    running = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while not has_java(running.pid):
        assert running.poll() is None, "it has ended"
        assert time.monotonic() < until, "no Spark is started"
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)  # Spark is starting
    _, said = running.communicate(timeout=60)  # so the JVM, too, has closed what it was given
    assert running.returncode == 130
    assert len(said.strip().splitlines()) == 1
    assert not out.exists()


def test_executors_without_the_package_are_told_how_to_get_it_and_a_bundle_is_enough(
    small: Path, standalone: StandaloneCluster, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", str(PLAIN_PYTHON))
    with pytest.raises(
        StreambenchError, match=r"^the executors' Python has no \w+: install the wheel there, or ship it"
    ):
        run(small, standalone)
    with_it = {"spark.archives": f"{shipped}#streambench", "spark.executorEnv.PYTHONPATH": "streambench"}
    run(small, standalone, **with_it)


def test_another_minor_version_of_python_is_refused_by_its_name(small: Path, standalone: StandaloneCluster) -> None:
    def newer(spark: Any) -> None:
        spark.sparkContext.pythonVer = "3.99"

    with pytest.raises(StreambenchError, match=r"^the executors run Python 3\.\d+ and the driver 3\.99: let PYSPARK_"):
        run(small, standalone, newer)


def test_a_full_disk_of_an_executor_is_told(small: Path, standalone: StandaloneCluster) -> None:
    def full(spark: Any) -> None:
        spark.sparkContext.parallelize([1]).count()
        for each in standalone.executors():
            resource.prlimit(each.pid, resource.RLIMIT_FSIZE, (100, 100))

    with pytest.raises(StreambenchError, match=r"^a disk of an executor is full: make room"):
        run(small, standalone, full)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Lost task 0.0: java.io.IOException: No space left on device", "a disk of an executor is full"),
        ("java.lang.OutOfMemoryError: Java heap space", "a task ended for want of memory"),
        ("ExecutorLostFailure (executor 1 exited)", "executors were lost again and again"),
        ('java.io.IOException: Cannot run program "/x/python": error=2', "the executors have no Python at /x/python"),
        ("streambench.errors.DataError: Column a of b is null.", "Column a of b is null."),
        ("Traceback\n  File\nValueError: odd\n", "a task failed: ValueError: odd."),
        ("something else\nat java", "Spark failed: something else."),
    ],
)
def test_sparks_traces_become_a_sentence(said: str, sentence: str) -> None:
    found = str(known_error(RuntimeError(said)))
    assert found.startswith(sentence)
    assert "\n" not in found
