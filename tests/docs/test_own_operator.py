"""The documented example of an operator of one's own builds as a third party would, and prints what is documented."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from compiled import BUILD, compiled, locked

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_documented_example_builds_against_the_pxd_files_and_prints_what_the_page_says(
    example: Callable[[str], Path],
) -> None:
    page = (DOCS / "writing-operators.md").read_text()
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    commands, printed = [text for language, text in fenced if not language][:2]
    work = example("own_operator")
    output = ""
    for line in commands.strip().splitlines()[1:]:  # the first one changes the folder
        program, *arguments = line.split()
        assert program == "python"
        done = subprocess.run([sys.executable, *arguments], cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        output = done.stdout
    assert output == printed


@pytest.fixture(scope="module")
def running_sum() -> ModuleType:
    """The pages' filter and keyed operator, built with the set-up of its other example."""
    page = "".join((DOCS / name).read_text() for name in ("writing-operators.md", "keyed-operators.md"))
    filtering, operator, imports = re.findall(r"```cython\n(.*?)```", page, flags=re.DOTALL)
    example = DOCS / "examples" / "own_operator"
    directives = "".join((example / "sensors.pyx").read_text().splitlines(keepends=True)[:3])
    assert directives.count("#") == 3
    sources = BUILD / "running_sum"
    with locked(sources):
        for name, text in (
            ("running_sum.pyx", directives + filtering + imports + operator),
            ("setup.py", (example / "setup.py").read_text().replace("sensors", "running_sum")),
        ):
            file = sources / name
            if not file.exists() or file.read_text() != text:
                file.write_text(text)
    (module,) = compiled(sources, "running_sum")
    return module


def sums_so_far(key: Any, value: Any) -> list[int]:
    sums: dict[int, int] = {}
    found = []
    for k, v in zip(key, value, strict=True):
        sums[k] = sums.get(k, 0) + v
        found.append(sums[k])
    return found


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "serial"},
        {"plan": "whole"},
        {"plan": "cut", "partitions": 5},
        {"plan": "sharded", "partitions": 5},
        {"plan": "sharded", "partitions": 5, "partition_by": "range"},
        {"plan": "cut", "partitions": 5, "partition_by": "range"},
        {"heuristic": "ct"},
        {"changing": True, "partitions": 5},
    ],
    ids=str,
)
def test_the_documented_keyed_operator_sums_the_same_wherever_its_state_is(
    running_sum: ModuleType, fickle: Callable[..., list[Any]], options: dict[str, Any]
) -> None:
    changing = options.get("changing", False)  # all the time, between one table and one for each partition
    changed = fickle(7, 3, 40) if changing else []
    random = np.random.default_rng(3)
    key, value = random.integers(0, 500, 30_000), random.integers(-1000, 1000, 30_000)
    keyed = running_sum.RunningSum()
    keyed.low_key, keyed.high_key = 0, 500
    pipeline = Pipeline([TableSource((key, value), ("key", "value")), keyed, TableSink(keep=True)])
    chosen = {name: given for name, given in options.items() if name != "changing"}
    execute(pipeline, Options(workers=3, unit=32, pin=False, **chosen))
    assert pipeline.sink.rows()[2].tolist() == sums_so_far(key.tolist(), value.tolist())
    assert bool(changed) == changing
    assert all(each.changes > 50 for each in changed)


@pytest.mark.slow
def test_the_documented_pipeline_runs_in_the_benchmark_and_its_oracle_agrees(example: Callable[[str], Path]) -> None:
    work = example("own_operator")
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=work, check=True)
    page = (DOCS / "writing-operators.md").read_text()
    (command, *_) = re.findall(r"^streambench (run readings:build .*)$", page, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "streambench", *command.split()], cwd=work, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^sequence verified +yes *\nanswer verified +yes", done.stdout, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [("int32", "int16"), ("int64", "int64")])
def test_the_documented_filter_keeps_mild_readings_of_known_sensors(
    running_sum: ModuleType, kinds: tuple[str, str]
) -> None:
    random = np.random.default_rng(4)
    sensor, celsius = random.integers(-1, 50, 9_000), random.integers(-20, 40, 9_000)
    source = TableSource([sensor.astype(kinds[0]), celsius.astype(kinds[1])], ("sensor", "celsius"))
    pipeline = Pipeline([source, running_sum.Mild(), TableSink()])
    execute(pipeline, Options(engine="serial"))
    wanted = sensor[(sensor >= 0) & (celsius >= 10) & (celsius <= 25)]
    assert pipeline.sink.rows()[0].tolist() == wanted.tolist()
