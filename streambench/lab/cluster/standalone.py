"""A Spark cluster of several workers on this machine, from the pip package alone: for measurements and tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil

from streambench.datagen.environment import require_java
from streambench.errors import StreambenchError

SECONDS = 60.0  # to be there
HERE = "127.0.0.1"


class StandaloneCluster:
    """A context with a master and ``workers`` workers of ``cores`` cores and ``memory`` each, on the loopback.

    ``master``: its URL. ``variables``: of the workers' environment, and so of their executors'. All processes end with
    the context, and so do their files. Raises StreambenchError where they do not come up.
    """

    def __init__(
        self, workers: int = 2, cores: int = 1, memory: str = "2g", variables: Mapping[str, str] | None = None
    ) -> None:
        require_java()
        self._folder = Path(tempfile.mkdtemp(prefix="streambench-cluster-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._variables = dict(variables or {})
        port = _free_port()
        self.master = f"spark://{HERE}:{port}"
        try:
            self._start("master.Master", "--host", HERE, "--port", str(port), "--webui-port", "0")
            self._await(port)
            for _ in range(workers):
                self.add_worker(cores, memory)
        except BaseException:
            self.close()
            raise

    def add_worker(self, cores: int = 1, memory: str = "2g") -> None:
        """Start one more."""
        place = self._folder / f"worker-{len(self._processes)}"
        words = ("--host", HERE, "--webui-port", "0", "--cores", str(cores), "--memory", memory)
        self._start("worker.Worker", *words, "--work-dir", str(place), self.master)

    def executors(self) -> list[psutil.Process]:
        """The executors that run now, of all applications."""
        executors = []
        for each in self._processes:
            with suppress(psutil.Error):
                for child in psutil.Process(each.pid).children(recursive=True):
                    with suppress(psutil.Error):
                        if "CoarseGrainedExecutorBackend" in " ".join(child.cmdline()):
                            executors.append(child)
        return executors

    def __enter__(self) -> StandaloneCluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, those that these have started too."""
        ours = []
        for each in self._processes:
            with suppress(psutil.Error):
                process = psutil.Process(each.pid)
                ours += [*process.children(recursive=True), process]
        for one in ours:
            with suppress(psutil.Error):
                one.kill()
        for each in self._processes:
            each.wait()
        self._processes = []
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, what: str, *words: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        scratch = self._folder / "scratch"
        scratch.mkdir(exist_ok=True)
        variables = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(scratch),
            "SPARK_LOCAL_IP": HERE,
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            **self._variables,
        }
        with (self._folder / f"{len(self._processes)}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(
                    [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", *words],
                    env=variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    process_group=0,  # Ctrl-C is ours, and ends them by `close`
                )
            )

    def _await(self, port: int) -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and self._processes[0].poll() is None:
            with suppress(OSError), socket.create_connection((HERE, port), timeout=1):
                return
            time.sleep(0.1)
        said = (self._folder / "0.log").read_text("utf-8", errors="replace").strip().splitlines()
        raise StreambenchError(
            f"Spark's master did not start on this machine: {said[-1] if said else 'it said nothing'}"
        )


def _free_port() -> int:
    with socket.create_server((HERE, 0)) as server:
        return int(server.getsockname()[1])
