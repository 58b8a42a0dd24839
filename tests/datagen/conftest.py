"""One Spark, which takes longer to start than to work, and one small directory for tests that only read it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ingested import MASTER
from once import made_once
from pyspark.sql import SparkSession

from streambench.datagen import generate, spark


@pytest.fixture(scope="module")
def one_spark() -> SparkSession:
    """It stays for the modules to come; one that must not find it running stops it."""
    return spark.session(MASTER)


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scale factor 0.02 over ten days, the click stream in several files. Read only."""

    def make(out: Path) -> None:
        spark.session(MASTER)
        generate(out, scale_factor=0.02, days=10, seed=7, master=MASTER, partitions=3)

    return made_once(tmp_path_factory, "generated", make)


@pytest.fixture
def copied(generated: Path, tmp_path: Path) -> Callable[[], Path]:
    """Makes a copy that a test may spoil."""
    return lambda: Path(shutil.copytree(generated, tmp_path / "copy"))
