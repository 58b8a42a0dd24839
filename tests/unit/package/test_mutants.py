"""The table of mutations cannot rot: each still applies to the sources, and its tests exist (see ``make mutants``)."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from mirror import mirror
from mutation import Edit, Mutation, StaleError, drop, put, swap
from tables import MUTATIONS

ROOT = Path(__file__).resolve().parents[3]


def defined(file: Path) -> set[str]:
    return {each.name for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name)
def test_a_mutation_applies_to_the_sources_and_its_tests_exist(mutation: Mutation) -> None:
    text = (ROOT / mutation.file).read_text()
    assert mutation.of(text) != text
    assert mutation.tests
    for each in mutation.tests:
        file, _, name = each.partition("::")
        assert (ROOT / file).is_file()
        assert not name or name in defined(ROOT / file)


def test_no_two_mutations_have_one_name() -> None:
    names = [each.name for each in MUTATIONS]
    assert len(names) == len(set(names))


TEXT = "def one():\n    a = b\n    return a\n\ndef two():\n    c = b\n    return c  # why\n"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (swap("a = b", "a = 1"), "a = b", "a = 1"),
        (swap("= b", "= 2", "two("), "c = b", "c = 2"),
        (swap("a = b", "a = 1", after="a += 1"), "a = b\n", "a = 1\n    a += 1\n"),
        (drop("return", "two("), "    return c  # why\n", ""),
        (drop("a = b", put="if b:\n    a = b"), "    a = b\n", "    if b:\n        a = b\n"),
        (put("return a", before="pass\npass"), "    return a", "    pass\n    pass\n    return a"),
    ],
)
def test_an_edit_changes_the_line_that_it_names_and_keeps_the_others(edit: Edit, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert Mutation("name", "file.pyx", (), (edit,)).of(TEXT) == TEXT.replace(old, new)


def test_edits_find_their_lines_in_what_no_other_has_changed() -> None:
    swapped = Mutation("name", "file.pyx", (), (put("return a", before="a = b"), drop("a = b")))
    assert swapped.of(TEXT) == TEXT  # the line behind itself


@pytest.mark.parametrize(
    ("edit", "found"), [(drop("d = 1"), 0), (drop("= b"), 2), (drop("= b", "return"), 2), (drop("= b", "why"), 0)]
)
def test_what_stands_not_once_is_refused_and_left_alone(tmp_path: Path, edit: Edit, found: int) -> None:
    (tmp_path / "file.pyx").write_text(TEXT)
    mutation = Mutation("name", "file.pyx", (), (swap("def one", "def three"), edit))
    with pytest.raises(StaleError, match=f"{found} times, not once"):
        mutation.apply(tmp_path)
    assert (tmp_path / "file.pyx").read_text() == TEXT


def test_a_mirror_undoes_what_was_changed_added_and_removed_and_keeps_the_times(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "inner" / "deep").mkdir(parents=True)
    (source / "link").symlink_to("inner")
    for name in ("one", "inner/two", "inner/deep/three"):
        (source / name).write_text(name)
        os.utime(source / name, ns=(1, 10**18))
    target.mkdir()
    names = ("one", "inner", "link", "missing")
    mirror(source, target, names)
    (target / "one").write_text("eno")  # of the same length
    (target / "inner" / "two").unlink()
    (target / "inner" / "new").write_text("new")
    (target / "missing").mkdir()
    mirror(source, target, names)
    assert {str(each.relative_to(target)) for each in target.rglob("*")} == {
        str(each.relative_to(source)) for each in source.rglob("*")
    }
    for name in ("one", "inner/two", "inner/deep/three"):
        assert (target / name).read_text() == name
        assert (target / name).stat().st_mtime_ns == 10**18
    assert (target / "link").readlink() == Path("inner")
