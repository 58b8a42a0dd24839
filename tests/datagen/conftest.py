"""One small generated directory, shared by the tests that only read it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from streambench.datagen import generate


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scale factor 0.02 over ten days, the click stream in several files. Read only."""
    out = tmp_path_factory.mktemp("generated") / "data"
    generate(out, scale_factor=0.02, days=10, seed=7, master="local[2]", partitions=3)
    return out


@pytest.fixture
def copied(generated: Path, tmp_path: Path) -> Callable[[], Path]:
    """Makes a copy that a test may spoil."""
    return lambda: Path(shutil.copytree(generated, tmp_path / "copy"))
