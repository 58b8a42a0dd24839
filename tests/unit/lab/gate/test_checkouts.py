"""Both sides' files: the working tree as it is, untouched, and builds that are kept, but not for ever."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from streambench.lab.gate import checkouts as module
from streambench.lab.gate.checkouts import Checkouts
from streambench.lab.gate.errors import NoVerdictError
from streambench.lab.gate.process import started

Factory = pytest.TempPathFactory
FEW = 2
BUILD = ["sh", "-c", "echo built >> built.txt"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one commit: a.txt, and *.log ignored."""
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


@pytest.fixture
def few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", FEW)


def git(tree: Path, *words: str) -> str:
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    return subprocess.run(["git", "-C", tree, *who, *words], check=True, capture_output=True, text=True).stdout.strip()


def commit(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "more", "--allow-empty")


def next_commit_built(tree: Path, build: list[str]) -> None:
    """By a gate that ends then."""
    commit(tree)
    checkouts = Checkouts(tree)
    checkouts.built(checkouts.commit("HEAD"), build)


def test_a_clean_tree_is_its_commit(tree: Path) -> None:
    checkouts = Checkouts(tree)
    assert checkouts.working_tree() == checkouts.commit("HEAD") == git(tree, "rev-parse", "HEAD")


def test_a_gate_that_waits_for_another_ones_build_says_so(tree: Path) -> None:
    told = Event()
    with Checkouts(tree)._alone():
        second = Checkouts(tree, told.set)
        thread = Thread(target=second.built, args=(second.commit("HEAD"), BUILD))
        thread.start()
        assert told.wait(60)
        assert not list(second.folder.glob("*.json"))
    thread.join(60)
    assert len(list(second.folder.glob("*.json"))) == 1


def test_what_is_not_committed_is_built_and_the_tree_stays_as_it_was(tree: Path) -> None:
    (tree / "a.txt").write_text("2")
    (tree / "b.txt").write_text("new")
    (tree / "c.log").write_text("ignored")
    git(tree, "checkout", "-q", "--detach")
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


def test_a_commit_is_built_once_and_if_the_build_is_another_from_the_start(tree: Path) -> None:
    checkouts = Checkouts(tree)
    build = ["sh", "-c", f"echo built >> built.txt; echo built >> {tree}/.git/times"]
    built = [checkouts.built(checkouts.commit("HEAD"), each) for each in (build, build, [*build, "more"])][-1]
    assert (built / "built.txt").read_text() == "built\n"
    assert (tree / ".git" / "times").read_text() == "built\n" * 2


@pytest.mark.parametrize("name", ["CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "STREAMBENCH_PROFILE"])
def test_other_flags_make_another_build(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for value in ("true --first", "true --other", "true --other"):
        monkeypatch.setenv(name, value)
        checkouts = Checkouts(tree)
        built = checkouts.built(checkouts.commit("HEAD"), ["sh", "-c", f'echo "${name}" >> {tree}/.git/times'])
    assert json.loads(built.with_suffix(".json").read_text())["flags"][name] == "true --other"
    assert (tree / ".git" / "times").read_text() == "true --first\ntrue --other\n"


def test_other_packages_or_another_compiler_make_another_build(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = ["sh", "-c", f"echo built >> {tree}/.git/times"]
    compiler = tree / ".git" / "c++"
    for version, cython in (("1", "3.0"), ("2", "3.0"), ("2", "3.1"), ("2", "3.1")):
        compiler.write_text(f"#!/bin/sh\necho {version}\n")
        compiler.chmod(0o755)
        monkeypatch.setenv("CXX", str(compiler))
        monkeypatch.setattr(module, "version", lambda name, cython=cython: cython)
        checkouts = Checkouts(tree)
        checkouts.built(checkouts.commit("HEAD"), build)
    assert (tree / ".git" / "times").read_text() == "built\n" * 3


@pytest.mark.parametrize("ended", [NoVerdictError, KeyboardInterrupt])
def test_what_half_a_build_has_left_is_not_built_upon(
    tree: Path, monkeypatch: pytest.MonkeyPatch, ended: type[BaseException]
) -> None:
    head = Checkouts(tree).commit("HEAD")
    with monkeypatch.context() as patched:
        if ended is KeyboardInterrupt:
            patched.setattr("streambench.lab.gate.checkouts.started", broken_off)
        with pytest.raises(ended):
            Checkouts(tree).built(head, ["sh", "-c", "echo half > half.txt; exit 1"])
    built = Checkouts(tree).built(head, ["sh", "-c", "test ! -e half.txt && echo whole > whole.txt"])
    assert (built / "whole.txt").exists()


@contextmanager
def broken_off(*given: Any) -> Iterator[None]:
    """Ctrl-C when the command has done its work."""
    with started(*given) as process:
        process.wait()
        raise KeyboardInterrupt
    yield


def test_half_a_checkout_is_not_taken_for_whole(tree: Path) -> None:
    checkouts = Checkouts(tree)
    head = checkouts.commit("HEAD")
    git(tree, "worktree", "add", "-q", "--detach", "--lock", str(checkouts.folder / head), head)
    (checkouts.folder / head / "a.txt").unlink()  # a gate that was killed while git made it, so far
    assert (checkouts.built(head, BUILD) / "a.txt").exists()


@pytest.mark.usefixtures("few_are_kept")
def test_the_builds_that_were_used_longest_ago_go(tree: Path) -> None:
    for _ in range(FEW + 1):
        next_commit_built(tree, ["true"])
    assert len(list(Checkouts(tree).folder.glob("*.json"))) == FEW
    assert len(git(tree, "worktree", "list").splitlines()) == 1 + FEW


@pytest.mark.usefixtures("few_are_kept")
def test_builds_that_failed_are_not_kept_for_ever_either(tree: Path) -> None:
    for _ in range(FEW + 1):
        with pytest.raises(NoVerdictError):
            next_commit_built(tree, ["false"])
    assert len(git(tree, "worktree", "list").splitlines()) == 1 + FEW
    assert len(list(Checkouts(tree).folder.glob("*.log"))) == FEW


@pytest.mark.usefixtures("few_are_kept")
def test_what_another_gate_runs_is_neither_forgotten_nor_built_anew(tree: Path) -> None:
    other = Checkouts(tree)
    first = other.commit("HEAD")
    used = other.built(first, BUILD)
    for _ in range(FEW):
        next_commit_built(tree, ["true"])
    assert (used / "built.txt").exists()
    assert Checkouts(tree).built(first, BUILD) == used
    with pytest.raises(NoVerdictError, match="another gate runs commit"):
        Checkouts(tree).built(first, [*BUILD, "more"])


def test_a_gate_in_a_hook_runs_no_hook_and_leaves_the_callers_index_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tree / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tree}/.git/hooked\n")
    hook.chmod(0o755)
    index = tree / ".git" / "index"
    before = index.read_bytes()
    for name, value in (("GIT_DIR", tree / ".git"), ("GIT_INDEX_FILE", index), ("GIT_WORK_TREE", tree)):
        monkeypatch.setenv(name, str(value))
    (tree / "a.txt").write_text("2")
    checkouts = Checkouts(tree)
    assert (checkouts.built(checkouts.working_tree(), BUILD) / "a.txt").read_text() == "2"
    assert not (tree / ".git" / "hooked").exists()
    assert index.read_bytes() == before


def test_a_branch_without_a_commit_is_built_as_it_is(tree: Path) -> None:
    git(tree, "checkout", "-q", "--orphan", "fresh")
    checkouts = Checkouts(tree)
    assert (checkouts.built(checkouts.working_tree(), BUILD) / "a.txt").read_text() == "1"


def test_a_revision_is_whatever_git_takes_for_one_commit(tree: Path) -> None:
    checkouts = Checkouts(tree)
    git(tree, "tag", "-a", "-m", "one", "tagged")
    assert {checkouts.commit(each) for each in (":/more", "tagged", "HEAD")} == {git(tree, "rev-parse", "HEAD")}
    for wrong in ("", "^HEAD", "HEAD..HEAD", "HEAD:a.txt", "HEAD^{tree}", "--help"):
        with pytest.raises(NoVerdictError, match="there is no revision"):
            checkouts.commit(wrong)


def test_a_folder_whose_name_is_no_text_is_a_repository_too(tree: Path) -> None:
    folder = tree / os.fsdecode(b"r\xff")
    folder.mkdir()
    git(folder, "init", "-q")
    assert Checkouts(folder).root == folder


def test_what_is_no_working_tree_and_what_was_not_fetched_is_told(tree: Path, tmp_path_factory: Factory) -> None:
    folder = tmp_path_factory.mktemp("clones")
    git(tree, "branch", "older")
    commit(tree)
    git(tree, "clone", "-q", "--bare", str(tree), str(folder / "bare"))
    with pytest.raises(NoVerdictError, match=r"needs the working tree of a git repository: .* must be run in a work"):
        Checkouts(folder / "bare")
    git(tree, "clone", "-q", "--depth", "1", f"file://{tree}", str(folder / "shallow"))
    with pytest.raises(NoVerdictError, match=r"no revision 'older' .*git fetch .*this clone is shallow"):
        Checkouts(folder / "shallow").commit("older")


def test_a_git_that_hangs_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkouts = Checkouts(tree)
    fake = tree / ".git" / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nsleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("streambench.lab.gate.git.LONGEST", 0.1)
    with pytest.raises(NoVerdictError, match="git rev-parse was not done"):
        checkouts.commit("HEAD")


def test_a_failing_build_says_its_last_line(tree: Path) -> None:
    checkouts = Checkouts(tree)
    with pytest.raises(NoVerdictError, match="no such module"):
        checkouts.built(checkouts.commit("HEAD"), ["sh", "-c", "echo no such module; exit 1"])
