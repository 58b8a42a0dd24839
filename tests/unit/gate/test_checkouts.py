"""Both sides' files: the working tree as it is, untouched, and builds that are kept, but not for ever."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streambench.gate.checkouts import KEPT, Checkouts
from streambench.gate.errors import NoVerdictError

BUILD = ["sh", "-c", "echo built >> built.txt"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one commit: a.txt, and *.log ignored."""
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(tree: Path, *words: str) -> str:
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    return subprocess.run(["git", "-C", tree, *who, *words], check=True, capture_output=True, text=True).stdout.strip()


def commit(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "more", "--allow-empty")


def test_a_clean_tree_is_its_commit(tree: Path) -> None:
    checkouts = Checkouts(tree)
    assert checkouts.working_tree() == checkouts.commit("HEAD") == git(tree, "rev-parse", "HEAD")


def test_what_is_not_committed_is_built_and_the_tree_stays_as_it_was(tree: Path) -> None:
    (tree / "a.txt").write_text("2")
    (tree / "b.txt").write_text("new")
    (tree / "c.log").write_text("ignored")
    before = git(tree, "status", "--porcelain")
    checkouts = Checkouts(tree)
    found = checkouts.working_tree()
    assert found == checkouts.working_tree() != checkouts.commit("HEAD")
    built = checkouts.built(found, BUILD)
    assert {each.name: each.read_text() for each in built.glob("*.*") if each.name[0] != "."} == {
        "a.txt": "2",
        "b.txt": "new",
        "built.txt": "built\n",
    }
    assert git(tree, "status", "--porcelain") == before


def test_a_commit_is_built_once_unless_the_build_is_another(tree: Path) -> None:
    checkouts = Checkouts(tree)
    built = [checkouts.built(checkouts.commit("HEAD"), each) for each in (BUILD, BUILD, [*BUILD, "more"])][-1]
    assert (built / "built.txt").read_text() == "built\n" * 2


def test_the_builds_that_were_used_longest_ago_go(tree: Path) -> None:
    checkouts = Checkouts(tree)
    for _ in range(KEPT + 1):
        commit(tree)
        checkouts.built(checkouts.commit("HEAD"), ["true"])
    assert len(list(checkouts.folder.glob("*.json"))) == KEPT
    assert len(git(tree, "worktree", "list").splitlines()) == 1 + KEPT


def test_a_failing_build_says_its_last_line(tree: Path) -> None:
    checkouts = Checkouts(tree)
    with pytest.raises(NoVerdictError, match="no such module"):
        checkouts.built(checkouts.commit("HEAD"), ["sh", "-c", "echo no such module; exit 1"])
