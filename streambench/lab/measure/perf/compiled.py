"""Modules that are compiled when they are first needed: what only some machines have a library for.

Their sources are package data. What is compiled is kept: in ``build/`` of the source tree, elsewhere in the user's
cache folder. ``python -m`` this compiles those of the current folder, given the folder for the modules, what they are
as JSON, and where the package lies: what a compilation does to a process is gone with it.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from streambench.errors import StreambenchError
from streambench.version import __version__

Extension = dict[str, Any]
"""``name`` of a .pyx file, and what `setuptools.Extension` takes besides."""

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "auto_pickle": False,
}
FLAGS = ["-std=c++20", "-O3", "-g0", "-pthread"]  # as the package is compiled
ROOT = Path(__file__).resolve().parents[4]  # holds the package, and in a source tree its set-up
NEEDED = "this takes Cython, setuptools, boost-headers and a C++ compiler: pip install 'streambench[dev]'"


def compiled(folder: Path, extensions: Sequence[Extension]) -> list[ModuleType]:
    """The modules of the .pyx files in ``folder``, compiled when their sources have changed.

    Raises StreambenchError where that cannot be done.
    """
    compile_changed(folder, extensions)
    return load(folder, [str(each["name"]) for each in extensions])


def compile_changed(folder: Path, extensions: Sequence[Extension]) -> None:
    """The same without loading them."""
    into = _cache() / folder.name
    into.mkdir(parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # slow under a sanitizer
    environment["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if each)
    with (into / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a test and a measurement may both find the modules out of date
        command = [sys.executable, "-m", "streambench.lab.measure.perf.compiled", str(into)]
        process = subprocess.run(
            [*command, json.dumps(list(extensions)), str(ROOT)],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    if process.returncode:
        said = (process.stdout + process.stderr).strip()
        if "ModuleNotFoundError" in said:
            raise StreambenchError(f"{folder.name} is compiled when it is first measured; {NEEDED}.")
        raise StreambenchError(f"{folder.name} does not compile ({NEEDED}):\n{said[-3000:]}")


def load(folder: Path, names: Sequence[str]) -> list[ModuleType]:
    """The modules as they were compiled last. Raises StreambenchError where one was not, or its library has gone."""
    into = _cache() / folder.name
    sys.path.insert(0, str(into))
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as problem:
        raise StreambenchError(f"{folder.name} cannot be loaded: {problem}") from problem
    finally:
        sys.path.remove(str(into))


def _cache() -> Path:
    if (ROOT / "setup.py").exists():
        return ROOT / "build" / "perf"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "streambench" / __version__


def main(into: str, described: str, include: str) -> None:
    """Do what the command line says."""
    import boost_headers
    from Cython.Build import cythonize
    from setuptools import Extension, setup

    extensions = []
    for each in json.loads(described):
        name, flags = each.pop("name"), each.pop("compile_args", [])
        folders = [".", str(boost_headers.get_include()), *each.pop("include_dirs", [])]
        extensions.append(
            Extension(
                name,
                [f"{name}.pyx"],
                language="c++",
                extra_compile_args=[*FLAGS, *flags],
                include_dirs=folders,
                depends=[str(path) for path in sorted(Path().glob("*.h"))],
                **each,
            )
        )
    setup(
        script_args=["-q", "build_ext", "--build-lib", into, "--build-temp", f"{into}/o"],
        ext_modules=cythonize(  # type: ignore[no-untyped-call]
            extensions,
            include_path=[include, "."],
            build_dir=f"{into}/cpp",
            compiler_directives=DIRECTIVES,
        ),
        options={"build_ext": {"parallel": 2}},
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
