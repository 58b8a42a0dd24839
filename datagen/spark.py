"""Spark, started quietly and stopped cleanly, with one clear sentence where it cannot start."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import psutil
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from streambench.datagen.environment import WORKERS_PYTHON, fit_for_spark, require_name
from streambench.datagen.errors import DatagenError

_GIB = 1 << 30
_REACH_SECONDS = 5.0
_WORKERS_SECONDS = 60.0

# Settings of SQL that the result depends on: given to every session, also to one that somebody else started.
_SQL_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.adaptive.enabled": "true",
    "parquet.page.verify-checksum.enabled": "true",  # as `open_parquet` does
}

_PY4J_LOGGERS = (None, "py4j.clientserver", "py4j.java_gateway")

_started_here: SparkContext | None = None


def session(
    master: str = "local[*]", app: str = "streambench", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A Spark session on `master`: quiet, without web pages, in UTC.

    Its workers run this Python, or what the variable PYSPARK_PYTHON names when the process starts its first Spark.

    A Spark that already runs in this process is used when it has the same master. One that this module started
    for another master, or without these `settings`, is replaced; one that somebody else started is left alone and
    refused if its master is another.

    Raises DatagenError where the environment is not fit for Spark, `master` is malformed or cannot be reached, or
    somebody else's Spark runs with another master.
    """
    global _started_here
    _check_master(master)
    running_now = SparkContext._active_spark_context
    if running_now is not None and running_now.master != master:
        if running_now is not _started_here:
            raise DatagenError(
                f"Spark already runs in this process with master {running_now.master}: "
                f"stop it, or ask for that master instead of {master}."
            )
        stop()
        running_now = None
    if running_now is not None and running_now is _started_here and not _has(running_now, settings or {}):
        stop()
        running_now = None
    if running_now is None:
        _check_reach(master)
        _started_here = _start(master, app, settings or {})
        running_now = _started_here
    session = SparkSession(running_now).newSession()
    for name, value in _SQL_SETTINGS.items():
        session.conf.set(name, value)
    return session


def stop() -> None:
    """Stop the Spark that this module started, if any; never anybody else's."""
    global _started_here
    context, _started_here = _started_here, None
    if context is None:
        return
    if SparkContext._active_spark_context is context:
        with suppress(Exception):  # an interrupted Spark may no longer answer; its process ends with ours
            SparkSession(context).stop()


@contextmanager
def running(
    master: str = "local[*]", app: str = "streambench", settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """`session()` for the length of a `with` block; stops Spark afterwards if the block was what started it.

    On Ctrl-C the jobs are cancelled, Spark is stopped and KeyboardInterrupt goes on to the caller.
    """
    before = SparkContext._active_spark_context
    for name in _PY4J_LOGGERS:
        logging.getLogger(name).addFilter(_no_interrupt_trace)
    try:
        opened = session(master, app, settings)
        try:
            yield opened
        except BaseException:
            with suppress(Exception):
                opened.sparkContext.cancelAllJobs()
            raise
        finally:
            if opened.sparkContext is not before:
                stop()
    finally:
        for name in _PY4J_LOGGERS:
            logging.getLogger(name).removeFilter(_no_interrupt_trace)


def _no_interrupt_trace(record: logging.LogRecord) -> bool:
    """Py4J logs tracebacks for a Ctrl-C during a call, and raises it too; once is enough."""
    return not record.getMessage().startswith(("KeyboardInterrupt while sending", "Exception occurred while shutting"))


def versions() -> dict[str, str]:
    """Versions of Spark, Python and (when Spark runs) Java, for a manifest."""
    import pyspark

    versions = {"spark": pyspark.__version__, "python": sys.version.split()[0], "java": "unknown"}
    context = SparkContext._active_spark_context
    if context is not None and context._jvm is not None:
        versions["java"] = str(context._jvm.java.lang.System.getProperty("java.version"))
        versions["spark"] = context.version
    return versions


def driver_memory_mib() -> int:
    """Heap for the driver: 4 GiB, or half of a smaller machine's memory (never below 1 GiB)."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):  # not every system tells
        total = 8 * _GIB
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            total = min(total, int(Path(limit).read_text("utf-8")))
    return max(1 * _GIB, min(4 * _GIB, total // 2)) >> 20


def _has(context: SparkContext, settings: Mapping[str, str]) -> bool:
    return all(context.getConf().get(name) == value for name, value in settings.items())


def _start(master: str, app: str, more: Mapping[str, str]) -> SparkContext:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": f"{driver_memory_mib()}m",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.catalogImplementation": "in-memory",
    }
    if master.startswith("local"):
        # No name look-up: a container often cannot resolve its own host name.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    settings |= more
    fresh_jvm = SparkContext._gateway is None
    # Not left to who needs workers: this session may be left to them, and a JVM keeps the environment it was born with.
    os.environ[WORKERS_PYTHON] = os.environ.get(WORKERS_PYTHON) or sys.executable
    conf = SparkConf(loadDefaults=False) if fresh_jvm else SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    conf.setMaster(master).setAppName(app)
    with ExitStack() as around:
        if fresh_jvm:
            around.enter_context(fit_for_spark(master))
        log = around.enter_context(tempfile.TemporaryFile())
        around.enter_context(_stderr_into(log if fresh_jvm else None))
        around.enter_context(_own_interrupt())
        try:
            context = SparkContext(conf=conf)
            _await_workers(context, master)
            return context
        except DatagenError:
            if SparkContext._active_spark_context is not None:
                SparkContext._active_spark_context.stop()
            raise
        except Exception as error:
            raise DatagenError(f"Spark could not start on {master}: {_reason(error, log)}") from error
        except BaseException:
            _end_half_started()
            raise


def _end_half_started() -> None:
    """A JVM that Python was interrupted to wait for has nobody to end it: PySpark has forgotten it, and it waits."""
    if SparkContext._gateway is not None:
        return
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "pyspark-shell" in child.cmdline():
                child.kill()


@contextmanager
def _stderr_into(log: IO[bytes] | None) -> Iterator[None]:
    """Let a JVM that starts now inherit `log` as its standard error, so that its chatter does not spoil ours."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    saved = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)


@contextmanager
def _own_interrupt() -> Iterator[None]:
    """Put the SIGINT handler back that was there before Spark set its own.

    Spark's would talk to the JVM in the middle of another call and print what comes of it.
    """
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if main else None
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _reason(error: Exception, log: IO[bytes]) -> str:
    """The most telling line of a failed start: Java's own message if there is one."""
    java: Any = getattr(error, "java_exception", None)
    if java is not None:
        return str(java.toString()).splitlines()[0]
    log.seek(0)
    lines = [line for line in log.read().decode(errors="replace").splitlines() if "rror" in line or "xception" in line]
    return lines[0].strip() if lines else (str(error).splitlines() or [type(error).__name__])[0]


def require_names(context: SparkContext, *paths: Path | str | None) -> None:
    """Raise DatagenError for a path that this Spark's Java would take for another one."""
    assert context._jvm is not None
    encoding = str(context._jvm.java.lang.System.getProperty("sun.jnu.encoding"))
    for path in paths:
        if path is not None:
            require_name(path, encoding)


def for_reading(path: Path) -> str:
    """A path as Spark's readers take it: their pattern characters stand for themselves."""
    return f"file://{literally(str(path.resolve()))}"


def literally(text: str) -> str:
    """Text for Spark's patterns of files, whose characters stand for themselves."""
    return "".join(f"\\{c}" if c in "\\[]{}*?" else c for c in text)


def for_writing(path: Path) -> str:
    """A path as Spark's writers take it: not percent-encoded, which they would take literally."""
    return f"file://{path.resolve()}"


def _check_master(master: str) -> None:
    known = r"local(\[(\*|[1-9]\d*)(,\d+)?\])?|spark://[^\s/]+:\d+(,[^\s/]+:\d+)*|yarn|k8s://\S+|local-cluster\[.*\]"
    if re.fullmatch(known, master) is None:
        raise DatagenError(
            f"{master!r} is no Spark master: use local[*], local[N] with N from 1 up, spark://HOST:PORT, "
            "yarn or k8s://URL."
        )


def _check_reach(master: str) -> None:
    """A dead standalone master would otherwise cost a minute of silence."""
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_SECONDS):
            return
    raise DatagenError(f"No Spark master answers at {master}: start it, or use --master 'local[*]'.")


def _await_workers(context: SparkContext, master: str) -> None:
    """A cluster without free workers would otherwise wait for ever."""
    if not master.startswith("spark://"):
        return
    until = time.monotonic() + _WORKERS_SECONDS
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:  # the driver is one of them
        if time.monotonic() > until:
            raise DatagenError(
                f"The Spark master {master} gave no executor within {_WORKERS_SECONDS:.0f} s: "
                "start a worker with enough free memory and cores."
            )
        time.sleep(0.1)
