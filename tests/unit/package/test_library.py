"""The library stands alone: it runs where nothing of the laboratory can be imported, and names the extra that lacks."""

from __future__ import annotations

import subprocess
import sys

import pytest
from imports import arrows, modules, room

from streambench.extras import EXTRAS, MissingExtraError, extra_of

LABORATORY = ("streambench.lab", "streambench.queries", "streambench.datagen", "streambench.entry")
OF_PYX = ("streambench.pyx.schemes", "streambench.pyx.simulate")
BLOCK = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec


def find_spec(name, path=None, target=None):
    blocked = any(name == each or name.startswith(each + ".") for each in {blocked!r})
    return None if blocked else found(name, path, target)


PathFinder.find_spec = find_spec
"""


def of_library(name: str) -> bool:
    return not name.startswith((*LABORATORY, *OF_PYX)) and name != "streambench.__main__"


def without(blocked: tuple[str, ...], code: str) -> subprocess.CompletedProcess[str]:
    """A Python in which these cannot be imported runs the code."""
    text = BLOCK.format(blocked=blocked) + code
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)


def test_no_module_of_the_library_imports_the_laboratory() -> None:
    library = [name for name in modules() if of_library(name)]
    assert len(library) > 300
    up = [(name, used) for name in library for used in arrows()[name] if not of_library(used)]
    assert up == []


def test_every_module_of_the_library_is_imported_without_the_laboratory() -> None:
    names = [
        name
        for name in modules()
        if of_library(name) and any(each.suffix in (".py", ".pyx") for each in modules()[name])
    ]
    blocked = (*LABORATORY, *OF_PYX, *EXTRAS["lab"], *EXTRAS["spark"], *EXTRAS["kafka"])
    done = without(
        blocked, f"import importlib\nfor name in {names!r}:\n    importlib.import_module(name)\nprint('all')"
    )
    assert done.stdout.strip() == "all", done.stderr


def test_a_pipeline_runs_with_numpy_and_arrow_alone() -> None:
    blocked = (*LABORATORY, *OF_PYX, *(package for packages in EXTRAS.values() for package in packages))
    code = """
import streambench

@streambench.mapped(emits={"double": "int64"})
def doubled(x):
    return 2 * x

pipeline = streambench.Pipeline([{"x": [1, 2, 3]}, doubled, streambench.TableSink()])
print(pipeline.run(workers=2).tuples, pipeline.sink.to_arrow().to_pydict())
""".replace('{"x": [1, 2, 3]}', 'streambench.TableSource([[1, 2, 3]], ("x",))')
    done = without(blocked, code)
    assert done.stdout.strip() == "3 {'double': [2, 4, 6]}", done.stderr


def test_importing_the_library_imports_neither_numpy_nor_arrow() -> None:
    code = "import sys, streambench\nprint({'numpy', 'pyarrow', 'asyncio'} & set(sys.modules))"
    assert without((), code).stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("what", "package", "extra"),
    [
        ("this command", "rich", "lab"),
        ("this command", "click", "lab"),
        ("streambench.datagen.generate", "pyspark", "spark"),
    ],
)
def test_a_command_without_its_extra_says_which_one_to_install(what: str, package: str, extra: str) -> None:
    code = """
import sys
from streambench.entry import main

sys.argv = ["streambench", "data", "generate", "--out", "/nowhere/at/all"]
main()
"""
    done = without((package,), code)
    assert done.returncode == 1
    said = f"streambench: {what} needs {package}, which is not installed: type `pip install 'streambench[{extra}]'`."
    assert done.stderr.splitlines()[-1] == said
    assert "Traceback" not in done.stderr


def test_a_call_without_its_extra_says_which_one_to_install() -> None:
    code = "import streambench.lab\nstreambench.lab.load_results"
    done = without(("pandas",), code)
    assert "MissingExtraError: load_results needs pandas, which is not installed" in done.stderr
    assert "pip install 'streambench[lab]'" in done.stderr


def test_what_no_extra_brings_is_no_missing_extra() -> None:
    assert extra_of(ModuleNotFoundError("no", name="somebodys.module")) is None
    assert extra_of(ModuleNotFoundError("no", name="pyspark.sql")) == "spark"
    assert issubclass(MissingExtraError, ImportError)


def test_the_laboratorys_rooms_are_those_above_the_librarys_door() -> None:
    assert {room(name).split(".")[0] for name in modules() if not of_library(name)} <= {
        "lab",
        "queries",
        "datagen",
        "pyx",
    }
