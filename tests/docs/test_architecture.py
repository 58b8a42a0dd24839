"""The drawing of the rooms and the page around it are those of the code as it is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARROW = re.compile(r'<g id="([^"]+)-&gt;([^"]+)">')


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_rooms", ROOT / "docs" / "draw_rooms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_drawing_has_the_arrows_of_the_code(drawing: ModuleType) -> None:
    drawn = set(ARROW.findall(drawing.DRAWING.read_text()))
    there = {(room, target) for room, targets in drawing.arrows().items() for target in targets}
    assert drawn == there, "python docs/draw_rooms.py draws the rooms again"


def test_imports_and_cimports_are_found_wherever_they_stand(drawing: ModuleType, tmp_path: Path) -> None:
    for folder in ("pyx/low", "pyx/high", "queries/q1", "streambench/late"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyx/low/word.pxd").write_text("")
    (tmp_path / "pyx/__init__.py").write_text("")
    (tmp_path / "pyx/high/wall.pyx").write_text(
        "from streambench.pyx.low.word cimport (  # from streambench.queries cimport q1\n    a,\n    b as c)\n"
    )
    (tmp_path / "queries/q1/operators.pyx").write_text("cimport streambench.pyx.low.word\n")
    (tmp_path / "streambench/late/file.py").write_text("def f():\n    from streambench.queries import q1\n")
    found = {room: targets for room, targets in drawing.arrows(tmp_path).items() if targets}
    assert found == {
        "pyx/high": {"pyx/low"},
        "queries/q1": {"pyx/low"},
        "streambench/late": {"queries/q1"},
    }


def test_a_room_is_above_the_rooms_that_it_uses(drawing: ModuleType) -> None:
    used = {"pyx/a": {"pyx/b", "pyx/c"}, "pyx/b": {"pyx/c"}, "pyx/c": set()}
    assert drawing.floors(used) == {"pyx/a": 2, "pyx/b": 1, "pyx/c": 0}
    assert drawing.direct(used) == {("pyx/a", "pyx/b"), ("pyx/b", "pyx/c")}


def test_the_page_names_every_room(drawing: ModuleType) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rooms = {each for each in drawing.arrows() if "(" not in each and not re.match(r"queries/(q\d|qjoin|ysb)", each)}
    assert len(rooms) > 20
    assert not [room for room in sorted(rooms) if f"`{room.split('/')[1]}`" not in page]


def way(of: str) -> list[list[str]]:
    """The rows of a table of the page: file, name, and what stands in the further columns."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.split(f"## The way of {of}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([\w/]+\.\w+)` \| `(\w+)` \| (.*) \|$", table, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| `", table, re.MULTILINE))
    return [[file, name, *rest.split(" | ")] for file, name, rest in rows]


def definition(name: str) -> str:
    """A pattern of the line that defines a function, a class or a constant, in Python or Cython."""
    return rf"^\s*(?:(?:cdef |cpdef )?class {name}\b|(?:cdef|cpdef|def)\s[^(=\n]*\b{name}\(|{name}\s*(?::[^=\n]+)?= )"


def test_a_call_or_an_import_is_no_definition() -> None:
    for line in (
        "def f(a):",
        "    cdef Plan* f(self) noexcept nogil:",
        "cdef class f:",
        "class f(Base):",
        "f: int = 3",
        "f = 3",
    ):
        assert re.search(definition("f"), line), line
    for line in (
        "from a import f",
        "    f(3)",
        "cdef int k = f(3)",
        "def g(f):",
        "cdef readonly Counter f",
        "if f == 3:",
    ):
        assert not re.search(definition("f"), line), line


@pytest.mark.parametrize(("of", "least"), [("a tuple", 10), ("an option", 8), ("a number", 10)])
def test_what_a_way_leads_through_is_defined_in_the_files_beside_it(of: str, least: int) -> None:
    rows = way(of)
    assert len(rows) >= least
    lost = [
        (file, name)
        for file, name, *_ in rows
        if not re.search(definition(name), (ROOT / file).read_text(), re.MULTILINE)
    ]
    assert not lost


def test_an_option_reaches_the_worker_in_at_most_ten_steps_each_called_by_one_before() -> None:
    rows = way("an option")
    assert len(rows) <= 10
    files = {rows[0][1]: ROOT / rows[0][0]}
    for file, name, caller, _ in rows[1:]:
        text = files[caller.strip("`")].read_text()  # a KeyError: the caller stands in no row above
        code = re.sub(rf"{definition(name)}|^.*\bimport\b.*$", "", text, flags=re.MULTILINE)
        assert re.search(rf"\b{name}\(", code), f"{caller} does not call {name}"
        files[name] = ROOT / file
    assert rows[-1][0].endswith(".pyx"), "the last step is a worker's"
