"""How many rooms the options of `run` visit, on their way from the command line to the workers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from streambench.execution.settled import Settled

ROOT = Path(__file__).resolve().parents[3]
BEGIN = "streambench.lab.cli.run"
CARRIERS = {"RunOptions", "Options", "OptionChanges", "Settled"}
AS_ENGINES_CALL_THEM = {"unit_size", "cuts", "by_range", "marker_interval", "schedule", "cores", "recorded", "profiled"}
SIGNATURE = re.compile(r"^\s*(?:def|cdef|cpdef)\b[^(=\n]*\(([^)]*)\)", re.MULTILINE)
MOST_ROOMS = 30


def source(module: str) -> Path | None:
    words = module.split(".")
    linked = words[1:2] in (["pyx"], ["queries"], ["datagen"])  # folders at the top, by links of the package's
    place = ROOT.joinpath(*words[1 if linked else 0 :])
    return next((each for each in (place.with_suffix(".py"), place / "__init__.py") if each.exists()), None)


def imports(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streambench"):
            yield from ((node.module or "", each.name) for each in node.names)


def carrying_files() -> set[Path]:
    """The modules that `run` imports, at once or in a function, and that know a type which carries its options."""
    seen: set[Path] = set()
    found, waiting = set(), [BEGIN]
    while waiting:
        file = source(waiting.pop())
        if file is None or file in seen:
            continue
        seen.add(file)
        names = list(imports(file))
        waiting += [each for module, name in names for each in (module, f"{module}.{name}")]
        if any(name in CARRIERS for module, name in names if "datagen" not in module):
            found.add(file)
    assert len(seen) > 100
    return found


def taking_files() -> set[Path]:
    """The Cython files in which a function has a parameter that is called as an option."""
    options = {each.name for each in fields(Settled)} | AS_ENGINES_CALL_THEM
    found = set()
    for file in (ROOT / "pyx").rglob("*.pyx"):
        parameters = {
            word for one in SIGNATURE.findall(file.read_text()) for word in re.findall(r"(\w+)\s*[,=]", one + ",")
        }
        if parameters & options:
            found.add(file)
    return found


def test_the_options_of_run_visit_few_rooms() -> None:
    files = carrying_files() | taking_files()
    rooms = {str(each.parent.relative_to(ROOT)) for each in files}
    assert {"streambench/lab/cli", "streambench/lab/workloads", "streambench/execution", "pyx/ordered"} <= rooms
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
