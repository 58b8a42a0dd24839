"""Our operators in oneTBB's ordered pipeline, compiled on first use where oneTBB is installed."""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType

from streambench.measure.perf import onetbb
from streambench.measure.perf.compiled import compiled as compile_modules


@functools.cache
def compiled() -> ModuleType:
    """The module ``tbb_engine``. Raises StreambenchError where oneTBB is not there, or it does not compile."""
    (module,) = compile_modules(Path(__file__).parent, [{"name": "tbb_engine", **onetbb.build_settings()}])
    return module
