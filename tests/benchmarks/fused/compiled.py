"""The compiled hand-fused loops."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from built import build


@functools.cache
def compiled() -> Any:
    """The module ``fused_loops``. Raises StreambenchError when it does not compile."""
    (module,) = build(Path(__file__).resolve().parent, ("fused_loops",))
    return module
