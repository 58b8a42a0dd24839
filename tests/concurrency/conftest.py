"""What the tests of concurrency share: yields are taken back, and scripts run in a Python of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from streambench.pyx.machine.yield_points import inject


@pytest.fixture(autouse=True)
def no_yields_left_on() -> Iterator[None]:
    """What a test injects (``streambench.pyx.machine.yield_points``) ends with it."""
    yield
    inject(0)


@pytest.fixture
def script(probes: SimpleNamespace) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a script, which may import the probes' modules, and returns it running; none outlives the test."""
    begun: list[subprocess.Popen[str]] = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(probes.folder), *filter(None, sys.path)])}

    def begin(text: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", textwrap.dedent(text), *arguments]
        begun.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        return begun[-1]

    yield begin
    for each in begun:
        each.kill()
        each.communicate()
