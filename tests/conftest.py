"""Shared fixtures."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

PROBES = Path(__file__).parent / "probes"


def pytest_configure() -> None:
    """Ctrl-C works here and in the children, even where a shell's ``&`` has made it ignored: tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def probes(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The compiled test operators and drivers, built once per session against the package that is under test."""
    built = tmp_path_factory.mktemp("probes")
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
