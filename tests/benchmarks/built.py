"""Compiled modules of the benchmarks, built into ``build/`` when their sources have changed."""

from __future__ import annotations

import fcntl
import importlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from streambench.errors import StreambenchError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def build(folder: Path, names: Iterable[str], optional: Iterable[str] = ()) -> list[ModuleType | None]:
    """Run the ``setup.py`` in ``folder`` and import its modules; None for an optional one that cannot be imported.

    Raises StreambenchError when they do not compile.
    """
    into = ROOT / "build" / folder.name
    into.mkdir(parents=True, exist_ok=True)
    options = ["--build-lib", str(into), "--build-temp", str(into / "o")]
    environment = {**os.environ, "CPP_FOLDER": str(into / "cpp"), "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    environment.pop("LD_PRELOAD", None)  # a compiler under a sanitizer only gets slow
    with (into / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a test and a measurement may both find the modules out of date
        made = subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", *options],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if made.returncode:
        raise StreambenchError(f"{folder.name} does not compile:\n{(made.stdout + made.stderr)[-3000:]}")
    sys.path.insert(0, str(into))
    try:
        return [*map(importlib.import_module, names), *map(_if_there, optional)]
    finally:
        sys.path.remove(str(into))


def _if_there(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:  # it was not compiled, or its library has gone since
        return None
