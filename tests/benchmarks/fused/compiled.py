"""The compiled hand-fused loops."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from built import build
from pacing import compiled as pacing


@functools.cache
def compiled() -> Any:
    """The module ``fused_loops``. Raises StreambenchError when it does not compile."""
    pacing.compiled()  # the loops need it
    (module,) = build(Path(__file__).resolve().parent, ("fused_loops",))
    return module
