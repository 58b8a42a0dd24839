"""The house stands: imports go down or stay in their room, there is no circle, and a room says what it uses."""

from __future__ import annotations

import ast
import graphlib
import re
from collections import Counter
from pathlib import Path

import pytest
from imports import FLOORS, FOLDERS, PACKAGES, ROOT, arrows, floor, imported, modules, room

ROOMS = sorted({room(module) for module in modules()})
NAMED = [each for rooms in FLOORS for each in rooms]
WITH_FOLDER = [each for each in NAMED if "." in each and each.split(".")[1] not in ("*", "__init__")]
SHARED = {
    "streambench": {"streambench"},
    "lab": {"streambench", "lab"},
    "queries": {"streambench"},
    "datagen": {"streambench", "lab", "datagen"},
    "pyx": set(),
}
"""What stands beside a package's rooms is for all of them (errors, the version, the tables): nobody has to name it."""

FACADES = sorted(path for path in (ROOT / "pyx").glob("*.p*") if path.name != "__init__.py")
OF_LAB = sorted((ROOT / "streambench" / "lab").glob("*.pxd"))
EXAMPLES = sorted((ROOT / "docs" / "examples").rglob("*.py*"))


def stated(of: str) -> set[str]:
    """The rooms that the opening sentence of a room's ``__init__`` names, and those that need not be named."""
    package, _, name = of.partition(".")
    text = ast.get_docstring(ast.parse((FOLDERS[package] / name / "__init__.py").read_text())) or ""
    told = re.search(r"; uses ([^;]*)\.$", " ".join(text.split("\n\n")[0].split()))
    assert told, f"{of}: its first sentence ends with what it uses"
    words = re.split(r", | and ", told[1])
    found = set(SHARED[package])
    for word in words:
        own = (word, f"{package}.{word}", f"streambench.{word}")
        here = {each for each in ROOMS if each in own or each.split(".")[0] == word}
        assert here or word in ("all below", "no other room"), f"{of}: there is no room {word}"
        found |= here
    if "all below" in words:
        top = max((floor(each) for each in found - SHARED[package]), default=floor(of))
        found |= {each for each in ROOMS if floor(each) < top}
    return found


def test_every_room_has_one_floor_and_every_floor_rooms() -> None:
    assert len(NAMED) == len(set(NAMED))
    assert {each for each in NAMED if "*" not in each} <= set(ROOMS)
    assert all(floor(each) >= 0 for each in ROOMS)
    assert {each.split(".")[0] for each in ROOMS} == set(PACKAGES)


def test_the_arrows_are_read_from_python_and_from_cython() -> None:
    """One of each kind that there is, or the other tests look at nothing."""
    found = arrows()
    for module, used in (
        ("queries.q3.pipeline", "queries.query"),  # from x import names
        ("lab.cli.figures", "lab.figures"),  # a package
        ("execution.options", "execution.plans"),  # from a package import a module
        ("lab.cli", "datagen.errors"),  # in a function
        ("lab", "lab.workloads.runner"),  # for type checkers
        ("pyx.order.turn_ring", "pyx.machine.padded"),  # a declaration's or a module's cimport
        ("queries.q1.operators", "pyx.tuples.columns"),
        ("pyx.schemes.schemes_engine", "pyx.schemes.timeline"),
        ("pyx.operator", "pyx.tuples.operator"),
    ):
        assert f"streambench.{used}" in found[f"streambench.{module}".rstrip(".")], (module, used)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.py", "import streambench.errors as e, os\nfrom streambench import data", {"errors", "data"}),
        ("a.py", "def f():\n    from streambench.lab.data.catalog import Catalog", {"lab.data.catalog"}),
        ("a.pyx", "from streambench.pyx cimport unit, columns as c  # and\n", {"pyx.unit", "pyx.columns"}),
        ("a.pyx", "from streambench.pyx.unit cimport (\n    Unit,  # one\n    Other,\n)\n", {"pyx.unit"}),
        ("a.pxd", "  cimport streambench.pyx.unit\nimport numpy\nfrom libc.math cimport sin", {"pyx.unit"}),
    ],
)
def test_an_import_is_found_however_it_is_written(tmp_path: Path, name: str, text: str, found: set[str]) -> None:
    (tmp_path / name).write_text(text)
    assert set(imported(tmp_path / name)) == {f"streambench.{each}" for each in found}


def test_an_import_that_does_not_name_its_module_whole_is_refused(tmp_path: Path) -> None:
    for name, text in (("a.py", "from . import b"), ("a.pyx", "from .b cimport c\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match="name the module whole"):
            list(imported(tmp_path / name))


def test_every_import_goes_down_or_stays_in_its_room() -> None:
    up = [
        f"{module} uses {used}"
        for module, all_used in arrows().items()
        for used in all_used
        if room(module) != room(used) and floor(room(module)) <= floor(room(used))
    ]
    assert up == []


def test_no_import_leads_back_to_its_file() -> None:
    graphlib.TopologicalSorter(arrows()).prepare()  # its error names the circle


@pytest.mark.parametrize("of", WITH_FOLDER)
def test_a_room_says_what_it_uses(of: str) -> None:
    used = {room(each): module for module in modules() if room(module) == of for each in arrows()[module]}
    unsaid = {other: module for other, module in used.items() if other not in stated(of) | {of}}
    assert unsaid == {}


def test_no_query_knows_another() -> None:
    queries = {each for each in ROOMS if each.startswith("queries.") and each != "queries.common"}
    assert len(queries) >= 5
    assert {floor(each) for each in queries} == {floor("queries.*")}


def test_unit_tests_stand_in_folders_called_as_the_rooms() -> None:
    folders = {each.parent.name for each in (ROOT / "tests" / "unit").glob("**/*/test_*.py")}
    assert folders <= {word for each in ROOMS for word in each.split(".")} | {"package"}


def test_no_two_files_of_tests_have_one_name() -> None:
    # Folders of tests are no packages: pytest takes a second file of the name for the first, and refuses it.
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("path", [*FACADES, *OF_LAB], ids=lambda path: path.name)
def test_what_stands_beside_the_runtimes_rooms_only_hands_on(path: Path) -> None:
    docstring, *rest = path.read_text().split('"""')[1:]
    (code,) = rest
    home = rf"streambench\.pyx\.\w+\.{path.stem}"
    assert re.search(rf"See ``{home}``|see ``{home}``", docstring)
    if path.suffix == ".pxd":
        assert re.fullmatch(rf"\s*from {home} cimport (\(\s*)?\w+(,\s+\w+)*(,\s*\))?\s*", code)
    else:
        handed_on = re.fullmatch(rf"\s*from {home} import (\w+(?:, \w+)*)\s*__all__ = (\[.*\])\s*", code)
        assert handed_on
        assert ast.literal_eval(handed_on[2]) == handed_on[1].split(", ")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_examples_know_no_room(path: Path) -> None:
    """What users are shown goes on working when rooms change."""
    facades = {f"streambench.pyx.{each.stem}" for each in FACADES} | {f"streambench.lab.{each.stem}" for each in OF_LAB}
    assert set(imported(path)) <= facades | {"streambench"}


def test_the_documented_cimports_are_of_what_is_handed_on(tmp_path: Path) -> None:
    facades = {f"streambench.pyx.{each.stem}" for each in FACADES if each.suffix == ".pxd"}
    found: set[str] = set()
    for page in sorted((ROOT / "docs").glob("*.md")):
        for block in re.findall(r"^```cython\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
            (tmp_path / "block.pyx").write_text(block)
            found.update(imported(tmp_path / "block.pyx"))
    assert "streambench.pyx.operator" in found
    assert found <= facades
