"""The pack: a folder that measures this checkout on a machine without network, compiler, Spark or Java."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import requires
from pathlib import Path

from streambench.errors import StreambenchError
from streambench.lab.answers import oracle
from streambench.lab.answers.oracle_cache import CACHE
from streambench.lab.atomic_file import probe
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.evaluation.parts import QUERIES, SCALES
from streambench.lab.record.results import commit
from streambench.version import __version__

CARRIED = ("click", "lark", "rich")
"""What the parts import beside the package and what run.sh asks of the machine; each comes with what it needs."""

DESCRIPTION = "pack.json"
MOST_BYTES = 40_000_000
ROOT = Path(__file__).resolve().parents[3]

Progress = Callable[[str], None]
"""Called with what is being done."""


def pack(out: Path, python: str | None = None, progress: Progress = lambda what: None) -> int:
    """Write the pack as the folder ``out``, a pack before or not there; returns its bytes.

    ``python``: a version such as 3.12, or an interpreter; None: this one. Raises StreambenchError where this is no
    checkout, something else stands at ``out``, the interpreter is missing or lacks what compiling takes, a wheel cannot
    be had, or the pack is too large.
    """
    if not (ROOT / "setup.py").exists():
        raise StreambenchError("a pack is made of a checkout, and this is an installed package: clone the repository.")
    out = out.absolute()  # `.` has no name
    _require_pack(out)
    interpreter = _interpreter(python)
    (ROOT / "build").mkdir(exist_ok=True)
    draft = out.parent / f".{out.name}-{os.getpid()}"
    try:
        _fill(draft, interpreter, progress)
        size = sum(path.stat().st_size for path in draft.rglob("*") if path.is_file())
        if size > MOST_BYTES:
            raise StreambenchError(f"the pack would have {size:,} bytes, and at most {MOST_BYTES:,} are allowed.")
        shutil.rmtree(out, ignore_errors=True)
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return size


def _require_pack(out: Path) -> None:
    """Nothing but a pack is ever replaced, and nothing is compiled for a place that cannot be written."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise StreambenchError(f"{out} is no folder that can be replaced: name another one.")
    try:
        if out.exists() and any(out.iterdir()) and not (out / DESCRIPTION).is_file():
            raise StreambenchError(f"{out} holds other things than a pack, which would be lost: name a folder to come.")
        out.parent.mkdir(parents=True, exist_ok=True)
        probe(out.parent, 1)
    except OSError as problem:
        raise StreambenchError(f"{out} cannot be written ({problem.strerror}): name another folder.") from None


def _fill(folder: Path, interpreter: str, progress: Progress) -> None:
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    version = _asked(interpreter, "import sys; print('%d.%d' % sys.version_info[:2])")
    progress(f"compiling the package for Python {version}")
    with (ROOT / "build" / "pack.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two compilers would share what is half-written
        builder = _builder(interpreter, version)
        _pip(builder, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT))
    progress("fetching the wheels of " + ", ".join(CARRIED))
    _pip(interpreter, "download", "--only-binary=:all:", "--dest", str(wheels), *_requirements())
    for name, scale in SCALES.items():
        progress(f"data of scale factor {scale:g}, and SQL's answers over them")
        data = folder / "data" / name
        shutil.copytree(generated(scale), data, ignore=shutil.ignore_patterns(CACHE))
        for query in QUERIES:
            oracle.carry(Catalog.open(data), query)
        shutil.rmtree(data / CACHE, ignore_errors=True)
    made_of = {"python": version, "version": __version__, "commit": commit()}
    (folder / DESCRIPTION).write_text(json.dumps(made_of, indent=1) + "\n", "utf-8")
    script = Path(__file__).with_name("run.sh").read_text("utf-8")
    script = script.replace("@PYTHON@", version).replace("@COMMIT@", made_of["commit"] or "")
    (folder / "run.sh").write_text(script, "utf-8")
    (folder / "run.sh").chmod(0o755)


def _builder(interpreter: str, version: str) -> str:
    """An interpreter with what compiling takes: this one, or one that is kept in `build/` for the next pack."""
    if interpreter == sys.executable:
        return interpreter
    kept = ROOT / "build" / f"python-{version}"
    builder = str(kept / "bin" / "python")
    if not _succeeds(builder, "import Cython, boost_headers, setuptools, wheel"):
        subprocess.run([interpreter, "-m", "venv", "--clear", kept], check=True)
        needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
        _pip(builder, "install", "wheel", *needed)
    return builder


def _requirements() -> list[str]:
    """The carried distributions, in the versions that the package asks for."""
    wanted = (each.partition(";")[0].strip() for each in requires("streambench") or ())
    return sorted({each for each in wanted if re.split(r"[^\w-]", each)[0] in CARRIED})


def _interpreter(python: str | None) -> str:
    """The interpreter's path: an interpreter as it is, of a version the one on the PATH, or pyenv's."""
    if python is None:
        return sys.executable
    if not python.replace(".", "").isdigit():
        found = shutil.which(python)
    else:
        versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
        every = [
            shutil.which(f"python{python}"),
            *map(str, sorted(versions.glob(f"{python}*/bin/python3"), reverse=True)),
        ]
        found = next((each for each in every if each and _succeeds(each, "import pip")), None)
    if found is None or not _succeeds(found, "import pip"):
        raise StreambenchError(
            f"there is no Python {python} with pip: install it (pyenv install {python}), or name an interpreter."
        )
    if not _succeeds(found, "import os, sysconfig; assert os.path.exists(sysconfig.get_path('include') + '/Python.h')"):
        raise StreambenchError(f"{found} lacks Python's C headers: install them, or name another interpreter.")
    return found


def _succeeds(interpreter: str, code: str) -> bool:
    try:
        return not subprocess.run([interpreter, "-c", code], capture_output=True, check=False).returncode
    except OSError:
        return False


def _asked(interpreter: str, code: str) -> str:
    return subprocess.run(
        [interpreter, "-c", code], capture_output=True, encoding="utf-8", errors="replace", check=True
    ).stdout.strip()


def _pip(interpreter: str, *words: str) -> None:
    command = [interpreter, "-m", "pip", "--disable-pip-version-check", "-q", *words]
    made = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if made.returncode:
        log = ROOT / "build" / "pack.log"
        log.write_text(made.stdout + made.stderr, "utf-8")
        raise StreambenchError(f"`pip {words[0]}` failed for {interpreter}: {log} says why.")
