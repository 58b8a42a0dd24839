"""How many threads NumPy's OpenBLAS may use: where workers call it side by side, each one."""

from __future__ import annotations

import ctypes
from pathlib import Path

_PREFIXES, _SUFFIXES = ("", "scipy_"), ("", "64_")


def limit_blas(threads: int) -> int | None:
    """Have each OpenBLAS that this process has loaded use so many threads at most, from now on.

    Returns what they say that they use; None where there is none, or it does not say.
    """
    counts = []
    for library in map(ctypes.CDLL, sorted(_loaded())):
        for prefix in _PREFIXES:
            for suffix in _SUFFIXES:
                setter = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
                getter = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
                if setter is not None and getter is not None:
                    setter(ctypes.c_int(threads))
                    counts.append(int(getter()))
    return max(counts, default=None)


def _loaded() -> set[str]:
    try:
        lines = Path("/proc/self/maps").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    files = {line.split(maxsplit=5)[5] for line in lines if line.count(" ") >= 5 and "/" in line}
    return {file for file in files if "openblas" in Path(file).name.lower()}
