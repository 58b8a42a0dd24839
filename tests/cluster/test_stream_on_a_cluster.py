"""A stream on a cluster whose executors have Python, and nothing else but the bundle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_data import make

from streambench.errors import StreambenchError
from streambench.lab.answers import oracle
from streambench.lab.cluster.standalone import StandaloneCluster
from streambench.lab.data.catalog import Catalog
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.lab.streams.processor import BucketProcessor

PLAIN_PYTHON = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


def test_the_bundle_is_enough_for_executors_and_for_the_drivers_workers(
    standalone: StandaloneCluster, shipped: Path, tmp_path: Path
) -> None:
    data = make(tmp_path / "data", seed=3).path
    settings = tmp_path / "conf" / "spark-defaults.conf"
    settings.parent.mkdir()
    lines = [f"spark.archives {shipped}#streambench", "spark.executorEnv.PYTHONPATH streambench"]
    lines += ["spark.executor.memory 512m", (Path(__file__).parents[1] / "spark" / settings.name).read_text()]
    settings.write_text("\n".join(lines))
    variables = {**os.environ, "PYSPARK_PYTHON": str(PLAIN_PYTHON), "SPARK_CONF_DIR": str(settings.parent)}
    words = ["spark", "stream", "q3", "--data", data, "--checkpoint", tmp_path / "checkpoint", "--buckets", "2"]
    command = [sys.executable, "-m", "streambench", *words, "--master", standalone.master, "--json", "-"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["answer"]
    expected = oracle.expected(Catalog.open(data), "q3", "paper").to_pylist()
    assert expected
    assert sorted(map(str, told)) == sorted(map(str, expected))


def test_an_executor_with_another_version_is_refused_by_name() -> None:
    processor: Any = BucketProcessor(KeyedWork("q3", "paper", {}))
    processor.version = "0.0.0"
    with pytest.raises(StreambenchError, match=r"^the executor on \S+ has streambench \S+ and the driver 0\.0\.0: "):
        processor.init(None)
