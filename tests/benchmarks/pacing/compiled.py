"""The compiled module of `Pace`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from built import build

FOLDER = Path(__file__).resolve().parent


@functools.cache
def compiled() -> Any:
    """The module ``pace``. Raises StreambenchError when it does not compile.

    A module that cimports it finds it once this has been called.
    """
    (module,) = build(FOLDER, ("pace",))
    return module
