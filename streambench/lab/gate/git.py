"""git as a gate asks it: no hook of the user's runs, nobody is asked for a password, and no call waits for ever."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from streambench.lab.gate.errors import NoVerdictError
from streambench.lab.gate.process import MOST_SAID, started

SETTINGS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")
PROMPTS = {"GIT_TERMINAL_PROMPT": "0"}
CALLERS = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}
"""What a git that calls the gate, as a hook or by `rebase --exec`, says of its own repository and index."""

LONGEST = 600.0  # seconds: to check out a large tree from a slow disk takes some


def git(folder: Path, *words: str, **more: str) -> str:
    """What git says in ``folder``; ``more``: variables of its environment.

    Raises NoVerdictError with git's own reason where it fails, and where it does not end.
    """
    try:
        with started(["git", *SETTINGS, *words], folder, surroundings() | PROMPTS | more) as process:
            out, err = process.communicate(timeout=LONGEST)
    except OSError as error:
        raise NoVerdictError(f"git cannot be run in {folder}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise NoVerdictError(
            f"git {words[0]} was not done after {LONGEST:.0f} s in {folder}: look whether it waits for a disk, a lock "
            "or a password"
        ) from None
    if process.returncode:
        said = " ".join(err.split()) or "it says nothing"
        raise NoVerdictError(f"git {words[0]} failed in {folder}: {said.removeprefix('fatal: ')[:MOST_SAID]}")
    return out.rstrip("\n")


def surroundings() -> dict[str, str]:
    """The environment without what ties a git to another repository."""
    return {name: value for name, value in os.environ.items() if name not in CALLERS}
