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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from streambench.lab.gate.errors import NoVerdictError
from streambench.lab.gate.git import git, surroundings
from streambench.lab.gate.process import reason, started

FOLDER, LOCK = "streambench-gate", "lock"
PACKAGES = ("Cython", "numpy", "setuptools", "boost-headers")
FLAGS = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "STREAMBENCH_PROFILE")
KEPT = 6  # commits; the one that was used longest ago goes first
NOBODY = {  # one tree is one commit, whoever asks, whenever
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "streambench gate"), ("EMAIL", "gate@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}


class Checkouts:
    """Of the repository in which ``folder`` lies. ``waiting``: called where another gate builds, which is waited for.
    Raises NoVerdictError where there is no repository.

    What a commit's files are is told by files beside them: how they were built (``.json``), what the build said
    (``.log``), and when they were used last (``.used``), which is locked while they are.
    """

    def __init__(self, folder: Path, waiting: Callable[[], None] = lambda: None) -> None:
        self._waiting = waiting
        try:
            self.root = Path(git(folder, "rev-parse", "--show-toplevel"))
        except NoVerdictError as problem:
            raise NoVerdictError(f"a gate needs the working tree of a git repository: {problem}") from problem
        self.folder = (self.root / self._git("rev-parse", "--git-common-dir")).resolve() / FOLDER
        self._used: dict[str, IO[str]] = {}

    def commit(self, revision: str) -> str:
        """The commit that a revision names. Raises NoVerdictError where it names none."""
        with suppress(NoVerdictError):
            commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
            if not commit.startswith("^"):  # what a range leaves out
                return self._git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
        shallow = self._git("rev-parse", "--is-shallow-repository") == "true"
        few = " (this clone is shallow: a workflow's checkout takes fetch-depth: 0)" if shallow else ""
        raise NoVerdictError(
            f"there is no revision {revision!r} in {self.root.name}: name a commit, a branch or a tag that is "
            f"there, or fetch it, such as by `git fetch origin main:main`{few}"
        )

    def working_tree(self) -> str:
        """A commit of the files as they are now, those included that git does not know and does not ignore."""
        with tempfile.TemporaryDirectory(prefix="streambench-gate-") as scratch:
            index = Path(scratch) / "index"
            own = self.root / self._git("rev-parse", "--git-path", "index")
            if own.exists():
                shutil.copy2(own, index)  # with its time: what was changed in the same second is read anew
            changed = {"GIT_INDEX_FILE": str(index)}
            self._git("add", "--all", **changed)
            tree = self._git("write-tree", **changed)
        try:
            head = self.commit("HEAD")
        except NoVerdictError:  # a branch of which nothing is committed yet
            return self._git("commit-tree", tree, "-m", "the working tree", **NOBODY)
        if tree == self._git("rev-parse", f"{head}^{{tree}}"):
            return head
        return self._git("commit-tree", tree, "-p", head, "-m", "the working tree", **NOBODY)

    def built(self, commit: str, build: Sequence[str]) -> Path:
        """The commit's files, built, and kept for as long as this object lives.

        Raises NoVerdictError with the last line that the build said, and where another gate uses another build of it.
        """
        recipe = {"build": list(build), "python": sys.version, "base": sys.base_prefix, **_tools()}
        with self._alone():
            used = self._use(commit)
            self._forget_old()
            if (stamp := self._how_built(commit)) != recipe:
                if not _lock(used, fcntl.LOCK_EX):
                    raise NoVerdictError(
                        f"another gate runs commit {commit[:12]}, built by other tools: wait until that has ended"
                    )
                if stamp:  # a build would take for done what another one has left
                    self._check_out(commit)
                tree = self.checked_out(commit)
                self._stamp(commit).unlink()  # what half a build leaves is not trusted
                self._build(tree, build)
                self._stamp(commit).write_text(json.dumps(recipe), "utf-8")
            _lock(used, fcntl.LOCK_SH)
        return self.folder / commit

    def checked_out(self, commit: str) -> Path:
        """The commit's files, built or not."""
        if self._how_built(commit) is None:
            self._check_out(commit)
        return self.folder / commit

    def _stamp(self, commit: str) -> Path:
        return self.folder / f"{commit}.json"

    def _how_built(self, commit: str) -> dict[str, Any] | None:
        """Nothing in it where the files are only checked out; None where they cannot be trusted to be whole."""
        try:
            stamp = json.loads(self._stamp(commit).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return stamp if isinstance(stamp, dict) and (self.folder / commit / ".git").exists() else None

    def _check_out(self, commit: str) -> None:
        self._remove(commit)
        # Twice forced: a checkout that was killed leaves its entry, locked.
        self._git("worktree", "add", "--force", "--force", "--quiet", "--detach", str(self.folder / commit), commit)
        self._stamp(commit).write_text("{}", "utf-8")

    def _remove(self, commit: str) -> None:
        self._stamp(commit).unlink(missing_ok=True)
        shutil.rmtree(self.folder / commit, ignore_errors=True)
        with suppress(NoVerdictError):  # git knows of none
            self._git("worktree", "remove", "--force", "--force", str(self.folder / commit))

    def _build(self, tree: Path, build: Sequence[str]) -> None:
        log = self.folder / f"{tree.name}.log"
        with log.open("w", encoding="utf-8") as file:
            try:
                with started(build, tree, environment(tree), file, subprocess.STDOUT) as process:
                    code = process.wait()
            except OSError as error:
                raise NoVerdictError(f"{build[0]} cannot be run ({error.strerror}): see gate.toml") from error
        if code:
            said = reason(log.read_text("utf-8", errors="replace"), code)
            raise NoVerdictError(f"commit {tree.name[:12]} cannot be built ({said}): see {log}")

    def _use(self, commit: str) -> IO[str]:
        """The file that tells when the commit was used last: just now."""
        if commit not in self._used:
            self._used[commit] = self._use_file(commit).open("a", encoding="utf-8")  # for as long as the files are used
        os.utime(self._use_file(commit))
        return self._used[commit]

    def _use_file(self, commit: str) -> Path:
        return self.folder / f"{commit}.used"

    def _forget_old(self) -> None:
        """Whatever became of them, failed builds too; but not what another gate runs."""
        times: dict[str, float] = {}
        for each in self.folder.iterdir():
            if each.name != LOCK:
                times[each.stem] = max(times.get(each.stem, 0.0), each.stat().st_mtime)
        for commit in sorted(times, key=lambda each: times[each], reverse=True)[KEPT:]:
            with self._use_file(commit).open("a", encoding="utf-8") as used:
                if _lock(used, fcntl.LOCK_EX):
                    self._remove(commit)
                    for rest in self.folder.glob(f"{commit}.*"):
                        rest.unlink()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No two gates check out or build at a time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("w", encoding="utf-8") as file:
            if not _lock(file, fcntl.LOCK_EX):
                self._waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _git(self, *words: str, **more: str) -> str:
        return git(self.root, *words, **more)


def _lock(file: IO[str], how: int) -> bool:
    """Whether the file could be locked at once; one that this process has locked before changes its lock."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _tools() -> dict[str, Any]:
    """What else a build depends on: builds by other ones would be compared instead of the commits."""
    compiler = shlex.split(os.environ.get("CXX") or os.environ.get("CC") or "c++")
    try:
        said = subprocess.run(
            [*compiler, "--version"], capture_output=True, encoding="utf-8", errors="replace", check=False
        ).stdout
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
    return {**surroundings(), "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
