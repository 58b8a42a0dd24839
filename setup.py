"""Build the compiled modules of pyx/ and queries/.

Cython finds ``cimport streambench.pyx.unit`` by file path, never through ``package_dir``, so the
top-level source folders are linked into the package once and every tool then sees one plain tree.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import boost_headers
from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, find_packages, setup

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "streambench"
LINKED = ("pyx", "queries", "datagen")
for name in LINKED:
    link = PACKAGE / name
    if not link.exists():  # a source distribution already holds real folders
        link.symlink_to(Path("..") / name, target_is_directory=True)

PROFILES = {
    "release": {"compile": ["-O3"], "link": []},
    "unoptimised": {"compile": ["-O0"], "link": []},  # for checks of the package
    "tsan": {"compile": ["-O1", "-g1", "-fsanitize=thread"], "link": ["-fsanitize=thread"]},
    "asan": {
        "compile": ["-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"],
        "link": ["-fsanitize=address,undefined"],
    },
}
PROFILE_NAME = os.environ.get("STREAMBENCH_PROFILE", "release")
PROFILE = PROFILES[PROFILE_NAME]
INSTRUMENTED = PROFILE_NAME in ("tsan", "asan")
JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
Options.fast_fail = True


def version() -> str:
    text = (PACKAGE / "version.py").read_text()
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found, "streambench/version.py must set __version__"
    return found.group(1)


def extensions() -> list[Extension]:
    found = []
    for folder in ("pyx",) if INSTRUMENTED else ("pyx", "queries"):  # the runtime's own tests need no query
        for source in sorted((PACKAGE / folder).rglob("*.pyx")):
            relative = source.relative_to(ROOT)
            found.append(
                Extension(
                    ".".join(relative.with_suffix("").parts),
                    [str(relative)],
                    language="c++",
                    include_dirs=[str(boost_headers.get_include())],
                    extra_compile_args=["-std=c++20", "-pthread", *PROFILE["compile"]],
                    extra_link_args=["-pthread", *PROFILE["link"]],
                )
            )
    return found


setup(
    version=version(),
    package_dir={"": "."},  # a plain path entry for `pip install -e .`
    packages=find_packages(".", include=["streambench", "streambench.*"]),
    package_data={"": ["*.pxd", "*.pyx", "*.sql"], "streambench": ["py.typed"]},
    options={"build_ext": {"parallel": JOBS}},
    ext_modules=cythonize(
        extensions(),
        include_path=["."],
        nthreads=JOBS,
        # The sanitizers share C++ sources, which are not the release's: their reports cite .pyx lines.
        build_dir="build/instrumented" if INSTRUMENTED else None,
        annotate=not INSTRUMENTED,
        emit_linenums=INSTRUMENTED,
        compiler_directives={
            "language_level": "3",
            "embedsignature": True,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "auto_pickle": False,  # an operator's state lives in C++
        },
    ),
)
