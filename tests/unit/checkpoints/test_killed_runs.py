"""A run killed at any moment, and called again, writes byte for byte what an undisturbed one writes.

STREAMBENCH_STRESS=17 kills at 200 moments instead of 12.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from killed_run import pipeline

PROGRAM = Path(__file__).with_name("killed_run.py")
HOW: tuple[dict[str, Any], ...] = (
    {"engine": "serial"},
    {"workers": 1},
    {"workers": 2},
    {"workers": 3, "plan": "whole"},
    {"workers": 4, "plan": "cut"},
    {"workers": 8, "plan": "sharded"},
)
ROWS = 60_000
TIMES = int(os.environ.get("STREAMBENCH_STRESS", "1"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    draw = np.random.default_rng(5)
    ts = pa.array(np.cumsum(draw.integers(0, 400, ROWS)), pa.timestamp("ms"))
    countries = [None if each == 0 else f"country {each}" for each in draw.zipf(1.5, ROWS) % 40]
    table = pa.table(
        {"ts": ts, "country": countries, "user": draw.integers(0, 999, ROWS), "price": draw.normal(9, 4, ROWS)}
    )
    for k in range(4):
        pq.write_table(table.slice(k * ROWS // 4, ROWS // 4), folder / f"{k}.parquet", row_group_size=6000)
    return folder


@pytest.fixture(scope="module", params=[".parquet", ".arrow"])
def undisturbed(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("undisturbed")
    pipeline(data, out, request.param).run(engine="serial")
    return request.param, files(out)


def files(out: Path) -> dict[str, bytes]:
    """All files of an output by name, hidden ones too, but for the checkpoints."""
    paths = [each for each in out.rglob("*") if each.is_file() and "state" not in each.relative_to(out).parts]
    return {str(each.relative_to(out)): each.read_bytes() for each in paths}


def killed(kills: int, draw: random.Random, data: Path, out: Path, suffix: str) -> dict[str, Any]:
    """Call the program until it ends, killed so many times at the most; what its last run says of checkpoints."""
    for k in range(kills + 1):
        words = [sys.executable, str(PROGRAM), str(data), str(out), suffix, json.dumps(draw.choice(HOW))]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        if k < kills and process.stdout.readline() == "on\n":
            time.sleep(draw.uniform(0, 0.4))
            process.kill()
        told, _ = process.communicate(timeout=300)
        if process.returncode == 0:
            found: dict[str, Any] = json.loads(told.splitlines()[-1])
            return found
        assert process.returncode == -9
    raise AssertionError("the last run was not killed, and failed")


@pytest.mark.parametrize("seed", range(2 * TIMES))
def test_output_after_kills_is_that_of_an_undisturbed_run(
    seed: int, data: Path, undisturbed: tuple[str, dict[str, bytes]], tmp_path: Path
) -> None:
    suffix, expected = undisturbed
    draw = random.Random(seed)
    killed(3, draw, data, tmp_path, suffix)
    assert files(tmp_path) == expected
    assert killed(0, draw, data, tmp_path, suffix)["was_finished"]
    assert files(tmp_path) == expected
