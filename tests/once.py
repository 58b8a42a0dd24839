"""What several workers of one session of tests need, made by the first that comes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import locked


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """What ``make`` has written to the path that it was given, in this process or another. Read only."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / f"once-{name}"
    made, finished = folder / name, folder / "finished"
    with locked(folder):
        if not finished.exists():
            make(made)
            finished.touch()
    return made
