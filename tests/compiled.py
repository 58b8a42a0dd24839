"""Compiled modules of tests, below ``build/``: a compiler is started only when what they are made of has changed."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import boost_headers
import Cython

import streambench

BUILD = Path(__file__).resolve().parents[1] / "build"
PROFILE = os.environ.get("STREAMBENCH_PROFILE", "release")
TOOLS = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
SUFFIXES = (".pyx", ".pxd", ".h", ".py")
# Probes of tests that no sanitizer runs (SANITIZED_TESTS in the Makefile): an instrumented build leaves them out.
NOT_SANITIZED = {
    f"probe_{name}"
    for name in (
        *("counts", "crew", "ingress", "keep_rows", "keyed_state", "rule_breakers", "scatter", "scheduling", "seats"),
        "snet_boxes",
    )
}


class NotCompiledError(Exception):
    """A set-up failed; the text is what it printed last."""


def sources(folder: Path) -> list[Path]:
    """What ``compiled`` makes modules of; under a sanitizer without the simulator's, which the package then lacks."""
    found = folder.glob("*.pyx")
    if PROFILE == "release":
        return sorted([*found, *folder.glob("simulator/*.pyx")])
    return sorted(each for each in found if each.stem not in NOT_SANITIZED)


def compiled(folder: Path, name: str) -> list[ModuleType]:
    """The modules of the folder's ``.pyx`` files, by its ``setup.py``, built in ``build/NAME-PROFILE``.

    Its set-up finds in CPP_FOLDER where C++ sources go, which are the same for all profiles. Raises NotCompiledError
    where they do not compile.
    """
    into, cpp = BUILD / f"{name}-{PROFILE}", BUILD / f"{name}-cpp"
    with locked(into), locked(cpp):
        _build(folder, into, cpp)
    sys.path.insert(0, str(into))
    try:
        return [importlib.import_module(each.stem) for each in sources(folder)]
    finally:
        sys.path.remove(str(into))


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A folder that is there, and that no other session of tests uses meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def ingredients(folder: Path) -> str:
    """A digest of all that the folder's modules are made of: its sources, the package's declarations, the tools."""
    package = Path(streambench.get_include()) / "streambench"
    own = [each for each in folder.rglob("*") if each.suffix in SUFFIXES]
    rooms = [package / room for room in ("pyx", "queries")]
    declarations = [each for room in rooms for ending in ("pxd", "h") for each in room.rglob(f"*.{ending}")]
    digest = hashlib.sha256()
    for path in (*sorted(own), *sorted(declarations)):
        digest.update(f"{path}\n{path.read_text()}\n".encode())
    tools = [os.environ.get(each) for each in TOOLS]
    digest.update(
        repr((sys.version, sys.prefix, Cython.__version__, boost_headers.get_include(), PROFILE, tools)).encode()
    )
    return digest.hexdigest()


def _build(folder: Path, into: Path, cpp: Path) -> None:
    made_of, stamp = ingredients(folder), into / "made-of"
    endings = sysconfig.get_config_var("EXT_SUFFIX")
    there = all((into / (each.stem + endings)).exists() for each in sources(folder))
    if there and stamp.exists() and stamp.read_text() == made_of:
        return
    stamp.unlink(missing_ok=True)
    environment = {**os.environ, "CPP_FOLDER": str(cpp), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("LD_PRELOAD", None)  # a compiler under a sanitizer only gets slow
    options = ["--build-lib", str(into), "--build-temp", str(into / "o")]
    command = [sys.executable, "setup.py", "-q", "build_ext", *options]
    made = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NotCompiledError(f"{folder.name} does not compile:\n{made.stdout[-4000:]}\n{made.stderr[-4000:]}")
    stamp.write_text(made_of)
