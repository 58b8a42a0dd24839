"""Hash tables that can count by 64-bit key, behind one face; compiled on first use."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path
from typing import Any

from streambench.lab.measure.perf.compiled import compiled as compile_modules

ABSEIL_PACKAGE = "absl_flat_hash_map"
ABSEIL = "SwissMap"
TABLES = {
    "FlatMap": "Boost unordered_flat_map",
    ABSEIL: "Abseil flat_hash_map",
    "Chained": "std::unordered_map",
    "Single": "ours, key after key",
    "Runs": "ours, a unit at a time",
}


@functools.cache
def compiled() -> dict[str, Any]:
    """The classes of the tables that this machine has: Abseil's where pkg-config knows of it (Debian: libabsl-dev).

    Raises StreambenchError where they do not compile.
    """
    described: list[dict[str, Any]] = [{"name": "candidates"}]
    if shutil.which("pkg-config") and (libraries := _flags("--libs")):
        described.append({"name": "abseil", "compile_args": _flags("--cflags"), "extra_link_args": libraries})
    modules = compile_modules(Path(__file__).parent, described)
    return {name: getattr(module, name) for name in TABLES for module in modules if hasattr(module, name)}


def _flags(option: str) -> list[str]:
    done = subprocess.run(
        ["pkg-config", option, ABSEIL_PACKAGE], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    return done.stdout.split() if done.returncode == 0 else []
