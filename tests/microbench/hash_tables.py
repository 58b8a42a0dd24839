"""Hash tables that can count by 64-bit key, behind one face: ``candidates.pyx``, and Abseil's where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from streambench.lab.measure.perf.compiled import Extension, compiled

ABSEIL_PACKAGE = "absl_flat_hash_map"  # Debian: libabsl-dev
TABLES = {
    "FlatMap": "Boost unordered_flat_map",
    "SwissMap": "Abseil flat_hash_map",
    "Chained": "std::unordered_map",
    "Single": "ours, key after key",
    "Runs": "ours, a unit at a time",
}


def classes() -> dict[str, Any]:
    """By name those that this machine has; compiled on first use."""
    described: list[Extension] = [{"name": "candidates"}]
    if shutil.which("pkg-config") and (libraries := _flags("--libs")):
        described.append({"name": "abseil", "compile_args": _flags("--cflags"), "extra_link_args": libraries})
    modules = compiled(Path(__file__).parent, described)
    return {name: getattr(module, name) for name in TABLES for module in modules if hasattr(module, name)}


def _flags(option: str) -> list[str]:
    done = subprocess.run(
        ["pkg-config", option, ABSEIL_PACKAGE], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    return done.stdout.split() if done.returncode == 0 else []
