"""The software that ran and built streambench: versions of Python, its libraries, Java, Cython and the compiler."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from streambench.version import __version__

UNKNOWN = "unknown"
LIBRARIES = ("numpy", "pyarrow", "duckdb", "pyspark")
# Both stand in every compiled module: the compiler's own comment, and the name under which Cython shares its types.
COMPILER = re.compile(rb"(?:GCC: \([^)\0]{0,60}\) |(?:Apple |[A-Z][a-z]+ )?clang version )\d+(?:\.\d+)+")
CYTHON = re.compile(rb"_cython_(\d+)_(\d+)_(\w+?)(?=\0)")
RELEASE = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)


def versions() -> dict[str, str]:
    """Name -> version, "unknown" for what is missing; imports nothing, and starts at most `java -version`."""
    named = {"streambench": __version__, "python": f"{platform.python_implementation()} {platform.python_version()}"}
    named["cython"], named["compiler"] = built_with(Path(__file__).parents[2])
    for name in LIBRARIES:
        try:
            named[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            named[name] = UNKNOWN
    named["java"] = java_version()
    return named


def built_with(package: Path) -> tuple[str, str]:
    """Cython's and the compiler's versions, read from a compiled module of the package."""
    cython = compiler = UNKNOWN
    for folder in ("pyx", "queries"):
        for pattern in ("*.so", "*.pyd"):
            for module in sorted((package / folder).rglob(pattern)):
                marks = _marks(module)  # a module without classes does not bear Cython's mark
                cython = marks[0] if cython == UNKNOWN else cython
                compiler = marks[1] if compiler == UNKNOWN else compiler
                if UNKNOWN not in (cython, compiler):
                    return cython, compiler
    return cython, compiler


def java_version() -> str:
    """The version of the Java that Spark would start: JAVA_HOME's, else the one on the PATH.

    A Java without a file ``release`` is started and asked, which takes a part of a second of all cores.
    """
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not program:
        return UNKNOWN
    with suppress(OSError):
        released = RELEASE.search(
            (Path(program).resolve().parent.parent / "release").read_text("utf-8", errors="replace")
        )
        if released:
            return released[1]
    try:
        answer = subprocess.run(
            [program, "-version"], capture_output=True, encoding="utf-8", errors="replace", timeout=20, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    match = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return match.group(1) if match else UNKNOWN


def _marks(module: Path) -> tuple[str, str]:
    try:
        content = module.read_bytes()
    except OSError:
        return UNKNOWN, UNKNOWN
    cython, compiler = CYTHON.search(content), COMPILER.search(content)
    return (
        ".".join(part.decode() for part in cython.groups()) if cython else UNKNOWN,
        compiler.group(0).decode(errors="replace") if compiler else UNKNOWN,
    )
