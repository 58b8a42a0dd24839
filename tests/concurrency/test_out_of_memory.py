"""A worker that is refused memory: MemoryError in a library, an end with one sentence under the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from compiled import PROFILE
from streambench.pyx.machine.idle import bound_sleeps
from streambench.pyx.machine.yield_points import inject

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

unsanitized = pytest.mark.skipif(
    PROFILE in ("asan", "tsan"), reason="a sanitizer's operator new ends the process where it should raise bad_alloc"
)
SENTENCE = "out of memory: use a smaller stream, fewer units in flight or smaller units"
TUPLES = 3000
VALUE = 1500
ENGINES = [
    pytest.param({"engine": "serial", "unit": 16}, id="serial"),
    *(
        pytest.param(
            {"engine": "ordered", "unit": 16, "credit": 16, "plan": plan, "workers": workers}, id=f"{plan} {workers}"
        )
        for plan in ("whole", "cut", "sharded")
        for workers in (1, 3)
    ),
    *(
        pytest.param(
            {
                "engine": "schemes",
                "unit": 16,
                "credit": 4,
                "reorder": reorder,
                "partitioning": partitioning,
                "workers": 3,
            },
            id=f"{reorder} {partitioning}",
        )
        for reorder, partitioning in (("nonblocking", "hybrid"), ("lock", "shared"), ("ticket", "partitioned"))
    ),
]


@pytest.fixture(params=[0, 3])
def interleaved(request: pytest.FixtureRequest) -> Iterator[None]:
    """With and without injected yields; and no sleep ends soon by itself, so that who is forgotten is missed."""
    inject(request.param, 1)
    bound_sleeps(watch=40_000_000_000, sleep=40_000_000_000)
    yield
    bound_sleeps()
    inject(0)


@pytest.mark.slow
@pytest.mark.usefixtures("interleaved")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["Hungry", "FreeHungry", "KeyedHungry"])
def test_a_run_that_is_refused_memory_raises_and_leaves_the_process_alone(
    probes: SimpleNamespace, engine: dict[str, Any], kind: str
) -> None:
    """All workers return, though the one that unwound took with it what others may have waited for."""
    hungry = getattr(probes, kind)
    operators = [
        probes.Counting(TUPLES),
        probes.FreeHungry(-1),
        hungry(VALUE),
        probes.KeyedHungry(-1),
        probes.Recorder(),
    ]
    with pytest.raises(MemoryError, match=SENTENCE):
        execute(Pipeline(operators), Options(**engine, pin=False))
    sink = probes.Recorder(keep=False)
    execute(Pipeline([probes.Counting(TUPLES), hungry(-1), sink]), Options(**engine, pin=False))
    assert sink.tuples == TUPLES


@pytest.mark.parametrize("want", ["columns", "pages", pytest.param("vector", marks=unsanitized)])
def test_whatever_memory_it_is_that_is_refused(probes: SimpleNamespace, want: str) -> None:
    with pytest.raises(MemoryError, match=SENTENCE):
        execute(
            Pipeline([probes.Counting(TUPLES), probes.Hungry(VALUE, want), probes.Recorder()]),
            Options(engine="ordered", workers=2, pin=False),
        )


@unsanitized
def test_a_table_that_cannot_be_opened_is_a_memory_error(probes: SimpleNamespace) -> None:
    with pytest.raises(MemoryError):
        probes.open_rows(1 << 30)


@unsanitized
def test_importing_the_package_does_not_say_what_becomes_of_a_process_without_memory(probes: SimpleNamespace) -> None:
    program = """
import pkgutil, importlib, sys
sys.path.insert(0, sys.argv[1])
import streambench
for each in pkgutil.walk_packages(streambench.__path__, "streambench."):
    if each.name.startswith(("streambench.pyx.", "streambench.queries.", "streambench.execution.")):
        importlib.import_module(each.name)
import probe_memory
assert not probe_memory.ends_without_memory()
"""
    subprocess.run([sys.executable, "-c", program, str(probes.folder)], check=True)


@unsanitized
def test_the_command_line_ends_with_one_sentence(probes: SimpleNamespace) -> None:
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from streambench import entry
from streambench.lab import cli

def run():
    import probe_ends, probe_memory
    from streambench.execution.execute import execute
    from streambench.execution.options import Options
    from streambench.execution.pipeline import Pipeline

    hungry = [probe_ends.Counting(100), probe_memory.Hungry(50), probe_ends.Recorder()]
    execute(Pipeline(hungry), Options(engine="ordered", workers=2, pin=False))

cli.main = run
entry.main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(probes.folder)], text=True, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", f"streambench: {SENTENCE}\n")
