"""Commits side by side: a git worktree for each, built once and kept for the next gate.

They lie in the repository's own git directory, under names of one length, so that neither the user's tree nor a path's
length makes a difference. What is not committed is built, too: as a commit that no branch knows.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from streambench.gate.errors import NoVerdictError

FOLDER = "streambench-gate"
PACKAGES = ("Cython", "numpy", "setuptools", "boost-headers")
FLAGS = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "STREAMBENCH_PROFILE")
KEPT = 6  # builds; the one that was used longest ago goes first
NOBODY = {  # one tree is one commit, whoever asks, whenever
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "streambench gate"), ("EMAIL", "gate@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}


class Checkouts:
    """Of the repository in which ``folder`` lies. Raises NoVerdictError where there is none."""

    def __init__(self, folder: Path) -> None:
        self._at = folder
        self.root = Path(self._git("rev-parse", "--show-toplevel"))
        self._at = self.root
        common = Path(self._git("rev-parse", "--git-common-dir"))
        self.folder = (self.root / common).resolve() / FOLDER

    def commit(self, revision: str) -> str:
        """The commit that a revision names. Raises NoVerdictError where it names none."""
        try:
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except NoVerdictError:
            raise NoVerdictError(
                f"there is no revision {revision!r} in {self.root.name}: name a commit, a branch or a tag "
                "(a shallow clone has few: fetch the whole history)"
            ) from None

    def working_tree(self) -> str:
        """A commit of the files as they are now, those included that git does not know and does not ignore."""
        with tempfile.TemporaryDirectory(prefix="streambench-gate-") as scratch:
            index = Path(scratch) / "index"
            own = Path(self._git("rev-parse", "--git-path", "index"))
            if (self.root / own).exists():
                shutil.copyfile(self.root / own, index)
            changed = {"GIT_INDEX_FILE": str(index)}
            self._git("add", "--all", **changed)
            tree = self._git("write-tree", **changed)
        if tree == self._git("rev-parse", "HEAD^{tree}"):
            return self.commit("HEAD")
        return self._git("commit-tree", tree, "-p", "HEAD", "-m", "the working tree", **NOBODY)

    def built(self, commit: str, build: Sequence[str]) -> Path:
        """The commit's files, built. Raises NoVerdictError with the last line that the build said."""
        done = self.folder / f"{commit}.json"
        wanted = {"build": list(build), "python": sys.version, "base": sys.base_prefix, **_tools()}
        with self._alone():
            tree = self.checked_out(commit)
            if not done.exists() or json.loads(done.read_text()) != wanted:
                self._build(tree, build)
                done.write_text(json.dumps(wanted))
            done.touch()  # used just now
            self._forget_old()
        return tree

    def checked_out(self, commit: str) -> Path:
        """The commit's files, built or not."""
        tree = self.folder / commit
        if not (tree / ".git").exists():
            shutil.rmtree(tree, ignore_errors=True)
            (self.folder / f"{commit}.json").unlink(missing_ok=True)
            self._git("worktree", "prune")
            self._git("-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach", str(tree), commit)
        return tree

    def _build(self, tree: Path, build: Sequence[str]) -> None:
        log = self.folder / f"{tree.name}.log"
        with log.open("w") as file:
            try:
                code = subprocess.run(
                    build, cwd=tree, env=environment(tree), stdout=file, stderr=subprocess.STDOUT, check=False
                ).returncode
            except OSError as error:
                raise NoVerdictError(f"{build[0]} cannot be run ({error.strerror}): see gate.toml") from error
        if code:
            said = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
            raise NoVerdictError(f"commit {tree.name[:12]} cannot be built ({(said or ['?'])[-1]}): see {log}")

    def _forget_old(self) -> None:
        stamps = sorted(self.folder.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
        for stamp in stamps[KEPT:]:
            self._git("worktree", "remove", "--force", str(stamp.with_suffix("")))
            stamp.unlink()
            stamp.with_suffix(".log").unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No two gates check out or build at a time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _git(self, *words: str, **more: str) -> str:
        try:
            found = subprocess.run(
                ["git", "-C", str(self._at), *words], capture_output=True, text=True, env=os.environ | more, check=False
            )
        except OSError as error:
            raise NoVerdictError(f"git cannot be run: {error.strerror}") from error
        if found.returncode:
            said = found.stderr.strip().splitlines() or ["it says nothing"]
            raise NoVerdictError(f"git {words[0]} failed in {self._at}: {said[-1].removeprefix('fatal: ')}")
        return found.stdout.strip()


def _tools() -> dict[str, Any]:
    """What else a build depends on: builds by other ones would be compared instead of the commits."""
    compiler = shlex.split(os.environ.get("CXX") or os.environ.get("CC") or "c++")
    try:
        said = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        said = ""
    packages: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "compiler": said.partition("\n")[0],
        "flags": {name: os.environ.get(name) for name in FLAGS},
        "packages": packages,
    }


def environment(tree: Path) -> dict[str, str]:
    """That of what is built or run in ``tree``: its modules come first."""
    return {**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
