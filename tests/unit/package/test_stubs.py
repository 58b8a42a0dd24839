"""Type checkers see what the compiled modules have: names, parameters, defaults; and find a user's misspelt option."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "streambench"
PYX = PACKAGE / "pyx"
STUBS = sorted(path for folder in (PYX, PACKAGE / "lab") for path in folder.rglob("*.pyi") if path.stem != "__init__")

GOOD = """
import numpy as np
import streambench
import streambench.lab
from streambench import lab
from streambench.pyx.gate_source import GateSource
from streambench.pyx.operator import PartitionedStateful, Stateless
from streambench.pyx.ordered_scheduler import OrderedScheduler
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

result = streambench.lab.run("q1", data="data", workers=2, unit=256, rate=1e6, check=False)
options = streambench.Options.of(None, workers=2)
throughput: float = result.throughput
sink = TableSink(keep=True)
source = TableSource([np.arange(3), [1, 2, 3]], ("a", "b"), lap_shift=(3, 0), laps=2)
streambench.Pipeline([source, sink]).run(options=options)
first: int = int(sink.rows()[0][0])
total: int = source.total()
batches = BatchSource(iter([(np.arange(3),)]), ["a"], total_tuples=3)
gate = GateSource([source, {"a": [1], "b": [2]}, batches], ["a", "b"], time="a", slack=3, source="of")
late: tuple[int, ...] = gate.late
scheduler = OrderedScheduler(capacity=8)
scheduler.run(scheduler.ticket(), lambda: print("now"))


def width(operator: Stateless | PartitionedStateful) -> int:
    return len(operator.columns)
"""
BAD = {
    'streambench.lab.run("q1", workres=2)': "workres",
    'streambench.lab.run("q1", workers="2")': "workers",
    "streambench.Options.of(None, unti=3)": "unti",
    'lab.run_micro(lab.MicroSpec((lab.OperatorSpec("sl", 1),), 9), workres=2)': "workres",
    "TableSink(kept=True)": "kept",
    "TableSink().digset": "digset",
    "TableSource([[1]])": "names",
    "GateSource([source], slak=3)": "slak",
    "scheduler.trash()": "ticket",
}


def stubbed(path: Path) -> dict[str, dict[str, Any]]:
    """Classes of a stub (and, as "", its functions), each with its methods as written and its attributes."""
    found: dict[str, dict[str, Any]] = {"": {}}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {}
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    found[node.name][each.name] = None if each.decorator_list else each.args
                elif isinstance(each, ast.AnnAssign):
                    found[node.name][ast.unparse(each.target)] = None
        elif isinstance(node, ast.FunctionDef):
            found[""][node.name] = node.args
        elif isinstance(node, ast.ImportFrom) and [each.name for each in node.names] == [
            each.asname for each in node.names
        ]:
            # A twin, compiled from the same text, has what it says to have of the other.
            other = stubbed(PYX.joinpath(*str(node.module).split(".")[2:]).with_suffix(".pyi"))
            for alias in node.names:
                if alias.name in other:
                    found[alias.name] = other[alias.name]
                else:
                    found[""][alias.name] = other[""][alias.name]
    return found


def parameters(arguments: ast.arguments) -> list[tuple[str, str | None]]:
    """Names and defaults as written."""
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    found = [(each.arg, default) for each, default in zip(arguments.args, defaults, strict=True)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    only = [(each.arg, None if default is None else ast.unparse(default)) for each, default in named]
    return [*found, *only]


def compiled(cls: Any, name: str, written: ast.arguments) -> list[tuple[str, str | None]]:
    """The same of the compiled module, which tells the constructor's in the first line of the class's text."""
    if name != "__init__":
        found = inspect.signature(getattr(cls, name)).parameters.values()
        return [(each.name, None if each.default is each.empty else repr(each.default)) for each in found]
    told = re.match(rf"{cls.__name__}\((.*)\)$", (cls.__doc__ or "").splitlines()[0])
    if told is None:  # it has only __cinit__, which tells nothing: see whether it takes them
        cls(**{name: ast.literal_eval(default) for name, default in parameters(written)[1:] if default})
        return parameters(written)
    words = [each.strip().partition("=") for each in told[1].split(",") if each.strip() != "*"]
    return [("self", None), *((left.split()[-1], default or None) for left, _, default in words)]


def public(names: Any) -> set[str]:
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.stem)
def test_a_stub_says_what_the_compiled_module_has(path: Path) -> None:
    module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    stub = stubbed(path)
    here = {name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    assert public(here) == public([*stub, *stub[""]]) - {""}
    for name, arguments in stub.pop("").items():
        assert parameters(arguments) == compiled(module, name, arguments)
    for name, members in stub.items():
        cls = getattr(module, name)
        assert public(vars(cls)) == public(members), name
        for member, arguments in members.items():
            if arguments is not None:
                assert parameters(arguments) == compiled(cls, member, arguments), f"{name}.{member}"


def test_there_are_stubs_of_what_users_import() -> None:
    facades = {path.stem for path in PYX.glob("*.py")} - {"__init__"}
    assert {"operator", "table_source", "gate_source", "table_sink", "ordered_scheduler"} <= facades
    assert facades <= {path.stem for path in STUBS}


def test_mypy_accepts_right_use_and_names_what_is_wrong_with_other(tmp_path: Path) -> None:
    lines = GOOD.splitlines()
    (tmp_path / "mine.py").write_text("\n".join([*lines, *BAD]) + "\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = true\n")
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", "mine.py"]
    cache = ["--cache-dir", str(PACKAGE.parent / ".mypy_cache" / "stubs")]
    done = subprocess.run(
        [*command, *cache], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    told = [
        re.fullmatch(r"mine\.py:(\d+): error: (.*)", line) for line in done.stdout.splitlines() if ": note:" not in line
    ]
    assert done.stderr == ""
    assert all(told), done.stdout
    errors = {int(each[1]) - len(lines): each[2] for each in told if each}
    assert sorted(errors) == list(range(1, 1 + len(BAD))), done.stdout
    for line, word in enumerate(BAD.values(), start=1):
        assert word in errors[line]
