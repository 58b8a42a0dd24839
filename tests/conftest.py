"""Shared fixtures."""

from __future__ import annotations

import fcntl
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PROBES = Path(__file__).parent / "probes"


def pytest_configure() -> None:
    """Ctrl-C works here and in the children, even where a shell's ``&`` has made it ignored: tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def probes() -> SimpleNamespace:
    """The compiled test operators and drivers; what changed of them, or of declarations, is compiled anew."""
    built = PROBES.parents[1] / "build" / f"probes-{os.environ.get('STREAMBENCH_PROFILE', 'release')}"
    built.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PROBES_BUILD": str(built / "cpp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("LD_PRELOAD", None)  # a compiler under a sanitizer only gets slow
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "--build-lib",
        str(built),
        "--build-temp",
        str(built / "o"),
    ]
    with (built / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two sessions may both find them out of date
        made = subprocess.run(command, cwd=PROBES, env=environment, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.fail(f"the probes do not compile:\n{made.stdout[-4000:]}\n{made.stderr[-4000:]}", pytrace=False)
    sys.path.insert(0, str(built))
    try:
        modules = [importlib.import_module(each.stem) for each in sorted(PROBES.glob("probe_*.pyx"))]
    finally:
        sys.path.remove(str(built))
    found = {name: value for each in modules for name, value in vars(each).items() if name[0] != "_"}
    return SimpleNamespace(**found, folder=built)


@pytest.fixture
def fickle(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Executions to come change plan and unit size at random; what it returns holds their controllers.

    The plan in their options is the one that they begin with; ``auto`` starts no more workers than there are cores.
    """

    def vary(seed: int, one_in: int, largest: int) -> list[Any]:
        from streambench.pyx.sharded import ShardedEngine

        controllers: list[Any] = []

        class Engine(ShardedEngine):  # type: ignore[misc]
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
                )
                self.controller.vary(seed, one_in, largest)
                controllers.append(self.controller)

        monkeypatch.setattr("streambench.execute.ShardedEngine", Engine)
        return controllers

    return vary
