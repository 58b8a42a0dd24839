"""The table of mutations cannot rot: each still applies to the sources, and its tests exist (see ``make mutants``)."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from mirror import mirror
from mutation import Mutation, StaleError
from tables import MUTATIONS

ROOT = Path(__file__).resolve().parents[3]


def defined(file: Path) -> set[str]:
    return {each.name for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name)
def test_a_mutation_applies_to_the_sources_and_its_tests_exist(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text().count(mutation.old) == 1
    assert mutation.new != mutation.old
    assert mutation.tests
    for each in mutation.tests:
        file, _, name = each.partition("::")
        assert (ROOT / file).is_file()
        assert not name or name in defined(ROOT / file)


def test_no_two_mutations_have_one_name() -> None:
    names = [each.name for each in MUTATIONS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("text", "found"), [("a = 1\n", 0), ("b = 2\nb = 2\n", 2)])
def test_what_stands_not_once_is_refused_and_left_alone(tmp_path: Path, text: str, found: int) -> None:
    (tmp_path / "file.pyx").write_text(text)
    mutation = Mutation("name", "file.pyx", "b = 2", "b = 3", ())
    with pytest.raises(StaleError, match=f"{found} times, not once"):
        mutation.apply(tmp_path)
    assert (tmp_path / "file.pyx").read_text() == text


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
