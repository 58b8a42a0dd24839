"""FRONT by the memory that it asks for, in a process whose `operator new` is counted, and refuses one call."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from compiled import BUILD, PROFILE, locked

HERE = Path(__file__).parent
MOST_KEPT = 2  # values, of records that were in nobody's list when memory was refused

pytestmark = pytest.mark.skipif(PROFILE in ("asan", "tsan"), reason="a sanitizer has an operator new of its own")


@pytest.fixture(scope="module")
def counted_new() -> Path:
    """`operator new` as a library to be loaded first."""
    source, folder = HERE / "counted_new.cc", BUILD / "counted-new"
    made = folder / "counted_new.so"
    compiler = os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++"
    with locked(folder):
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            command = [*shlex.split(compiler), "-std=c++20", "-O1", "-shared", "-fPIC", str(source), "-o", str(made)]
            subprocess.run(command, check=True)
    return made


def told(counted_new: Path, what: str, net: str, size: int) -> Any:
    """What counted_runs.py tells; a process that crashes, or says that an exception was ignored, fails here."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "counted_runs.py"), str(counted_new), what, net, str(size)],
        env={**os.environ, "LD_PRELOAD": str(counted_new), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


@pytest.mark.parametrize(
    "body",
    [
        "[| {a}, {b} |] * {a, b}, {none}",  # cells that end, and are taken out of the star
        "[| {a}, {b} |] * {a, b}",
        "([| {a}, {b} |] | [{c} -> {c}]) !! <k>",
        "([{a} -> {a}; {c = a}] || []) .. [{<k>} -> {<k>}; {<k = k + 1>}] ! <k>",
    ],
)
def test_whichever_memory_is_refused_the_run_ends_and_no_record_leaves_that_should_not(
    counted_new: Path, body: str
) -> None:
    """Nor is anything let go of twice; what is in somebody's list is let go of."""
    whole, *refused = told(counted_new, "every", f"net X connect {body};", 16)
    assert (whole["ended"], whole["kept"]) == ("whole", 0)
    assert len(refused) > 60
    for run in refused:
        assert run["ended"] == "refused"
        assert run["made"] == whole["made"][: len(run["made"])]
    assert sum(run["kept"] for run in refused) <= MOST_KEPT * len(refused)


def test_what_is_given_back_is_freed_though_a_worker_stays_with_one_entity(counted_new: Path) -> None:
    """A star of cells has all records of a box, and gives each pair to eight replicas, which are soon given back."""
    outputs = "; ".join(f"{{<a>, <k = 8 * k + {j}>}}" for j in range(8))
    net = f"""
        box f ((<n>) -> (<a>, <k>) | (<b>, <k>));
        box g ((c) -> (c));
        net X connect f .. [| {{<a>}}, {{<b>}} |] * {{<a>, <b>}} .. [{{<a>, <b>, <k>}} -> {outputs}]
            .. ([{{<a>}} -> ] | g) ! <k>;
    """
    few, many = (told(counted_new, "most", net, n) for n in (1000, 2000))
    assert many - few < 4 * 1000  # the two records of a pair; else two parts of each frame besides
