"""What times a ScaleGate; compiled on first use."""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType

from streambench.lab.measure.perf.compiled import compiled as compile_modules


@functools.cache
def compiled() -> ModuleType:
    """The module ``gates``. Raises StreambenchError where it does not compile."""
    (module,) = compile_modules(Path(__file__).parent, [{"name": "gates"}])
    return module
