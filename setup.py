"""Build the compiled modules of pyx/, of queries/ and of the laboratory.

Cython finds ``cimport streambench.pyx.tuples.unit`` by file path, never through ``package_dir``, so the
top-level source folders are linked into the package once and every tool then sees one plain tree.
"""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import boost_headers
from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "streambench"
LINKED = ("pyx", "queries", "datagen")
# The rooms of the laboratory whose modules are built with the runtime; others compile theirs when they measure.
LABORATORY = ("lab/data", "lab/host", "lab/measure/topk", "lab/measure/joins", "lab/measure/order")
for name in LINKED:
    link = PACKAGE / name
    if not link.exists():  # a source distribution already holds real folders
        link.symlink_to(Path("..") / name, target_is_directory=True)

PROFILES = {
    "release": {"compile": ["-O3", "-g0"], "link": []},  # Python's own flags may ask for -g, which takes a fifth longer
    "tsan": {"compile": ["-O1", "-g1", "-DSTREAMBENCH_CHECKED", "-fsanitize=thread"], "link": ["-fsanitize=thread"]},
    # A null pointer faults anyway, as does a vector that is not aligned; one that leaves its object is found by the
    # address sanitizer where it is followed. Together they are half of the time to compile it.
    "asan": {
        "compile": [
            *("-O1", "-g1", "-DSTREAMBENCH_CHECKED", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"),
            "-fno-sanitize=null,alignment,pointer-overflow,object-size",
        ],
        "link": ["-fsanitize=address,undefined"],
    },
}
PROFILE_NAME = os.environ.get("STREAMBENCH_PROFILE", "release")
PROFILE = PROFILES[PROFILE_NAME]
INSTRUMENTED = PROFILE_NAME in ("tsan", "asan")
ANNOTATED = bool(os.environ.get("STREAMBENCH_ANNOTATE"))  # see `make annotate`
JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# What Cython needs for arrays, once instead of in each of the ten modules that take one: it is most of their code.
SHARED_UTILITY = "streambench.pyx.shared_utility"
# What tells a simulated machine something, or holds what does, is called by a name of equal length there: C++ sources
# count the characters of strings. The others of these rooms compute alike on any machine, and are built once.
BUILT_ONCE = (
    "profile|serial_engine|partitioned_worklist|scheduler|heuristics|choice_log|controller_constants|core_costs|"
    "cost_model|keeping_up|looks|plan(?!s_)|sizing|trials|waiting"
)
SIMULATED = re.compile(
    rf"streambench\.pyx(?=\.(?:(?:engine|ordered|schemes)\.(?!{BUILT_ONCE})|machine\.(?:idle|parking)))"
)
FOR_SIMULATED = ("-DSTREAMBENCH_SIMULATED", "-DCYTHON_COMPRESS_STRINGS=0", "-Wno-unused-function")
# What nearly every module includes is parsed once: a quarter of the time that compiling takes, a third with sanitizers.
COMMON_HEADERS = (
    *("Python.h", "algorithm", "atomic", "chrono", "cmath", "condition_variable", "cstdint", "cstdlib", "cstring"),
    *("ctime", "ios", "mutex", "new", "stdexcept", "thread", "typeinfo", "unordered_map", "utility", "vector"),
    *("pthread.h", "x86intrin.h"),
)
# Relative: a compiler's cache knows it in any folder. Precompiled, it holds the headers of one Python.
COMMON_HEADER = Path("build") / "headers" / f"{PROFILE_NAME}-{sys.implementation.cache_tag}.h"
COMPILE = ["-std=c++20", "-pthread", *PROFILE["compile"]]
Options.fast_fail = True


def version() -> str:
    text = (PACKAGE / "version.py").read_text()
    match = re.search(r'__version__ = "([^"]+)"', text)
    assert match, "streambench/version.py must set __version__"
    return match.group(1)


def use_compiler_cache() -> None:
    """Compile through ccache or sccache where one is on the PATH."""
    os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")  # or it keeps nothing that begins precompiled
    os.environ.setdefault("CCACHE_PCH_EXTSUM", "1")  # a precompiled header is never the same twice; its sum is
    cache = shutil.which("ccache") or shutil.which("sccache")
    for variable in ("CC", "CXX") if cache else ():
        compiler = os.environ.get(variable) or sysconfig.get_config_var(variable) or ""
        if compiler and "cache" not in Path(compiler.split()[0]).name:
            os.environ[variable] = f"{cache} {compiler}"


class BuildInPlace(build_ext):
    """Compiles modules where they belong, so that what lies there tells what is out of date.

    Setuptools compares with a copy in ``build/``, or in pip's temporary folder: ``pip install -e .`` and ``build_ext
    --inplace`` would each compile everything.
    """

    def run(self) -> None:
        if self.inplace:
            self.build_lib = "."
        super().run()

    def build_extensions(self) -> None:
        self.precompile()
        super().build_extensions()

    def precompile(self) -> None:
        """Parse the common headers, where the compiler is GCC; where it is not, modules include them as they are."""
        compiler = [*self.compiler.compiler_so_cxx, f"-I{sysconfig.get_path('include')}", *COMPILE]
        text = "".join(f"#if __has_include(<{each}>)\n#include <{each}>\n#endif\n" for each in COMMON_HEADERS)
        said = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False).stdout
        made_of = f"{compiler} {said} {sys.version} {text}"
        precompiled, total = Path(f"{COMMON_HEADER}.gch"), Path(f"{COMMON_HEADER}.gch.sum")
        if total.exists() and total.read_text() == made_of:
            return
        COMMON_HEADER.parent.mkdir(parents=True, exist_ok=True)
        COMMON_HEADER.write_text(text)
        for each in (total, precompiled):
            each.unlink(missing_ok=True)
        if "Free Software Foundation" not in said:
            return
        command = [*compiler, "-x", "c++-header", str(COMMON_HEADER), "-o", str(precompiled)]
        if not subprocess.run(command, env={**os.environ, "CCACHE_DISABLE": "1"}, check=False).returncode:
            total.write_text(made_of)

    def build_extension(self, ext: Extension) -> None:
        """For a wheel, copy what is up to date in place."""
        in_place, target = Path(self.get_ext_filename(ext.name)), Path(self.get_ext_fullpath(ext.name))
        current = PROFILE_NAME == "release" and not newer_group([*ext.sources, *ext.depends], str(in_place))
        if current and in_place.resolve() != target.resolve():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(in_place, target)
        super().build_extension(ext)

    def copy_extensions_to_source(self) -> None:
        """They are there."""


def extensions() -> list[Extension]:
    modules = [
        Extension(
            SHARED_UTILITY,
            [SHARED_UTILITY.replace(".", "/") + ".c"],
            extra_compile_args=["-pthread", *PROFILE["compile"], "-O1"],  # it is called a few times for each batch
            extra_link_args=["-pthread", *PROFILE["link"]],
            depends=["setup.py"],
        )
    ]
    # The runtime's own tests need no query, no simulator, and none of the twins that take the time.
    for folder in ("pyx", *LABORATORY) if INSTRUMENTED else ("pyx", *LABORATORY, "queries"):
        for source in sorted((PACKAGE / folder).rglob("*.pyx")):
            if INSTRUMENTED and (source.parent.name == "simulate" or source.stem.endswith("_profiled")):
                continue
            relative = source.relative_to(ROOT)
            modules.append(
                Extension(
                    ".".join(relative.with_suffix("").parts),
                    [str(relative)],
                    language="c++",
                    include_dirs=[str(boost_headers.get_include())],
                    extra_compile_args=["-include", str(COMMON_HEADER), "-Winvalid-pch", *COMPILE],
                    extra_link_args=["-pthread", *PROFILE["link"]],
                    depends=["setup.py"],  # the flags are in it
                )
            )
    return modules


def with_simulated(modules: list[Extension]) -> list[Extension]:
    """These, and ``streambench.sim``: what a simulated machine runs, from the same C++ sources once more.

    There the runtime tells the machine what it does, see ``pyx/machine/simulated.pxd``. The simulator's own modules,
    which are built once, call that.
    """
    simulated = []
    for each in modules:
        name = SIMULATED.sub("streambench.sim", each.name)
        is_simulator = each.name.startswith("streambench.pyx.simulate.")
        if INSTRUMENTED or ANNOTATED or (name == each.name and not is_simulator):
            continue
        text = SIMULATED.sub("streambench.sim", Path(each.sources[0]).read_text())
        source = Path("build", "simulated", each.sources[0])
        if not source.exists() or source.read_text() != text:
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(text)
        one = each if is_simulator else copy.copy(each)
        one.name, one.sources = name, [str(source)]
        one.extra_compile_args = [*each.extra_compile_args, *FOR_SIMULATED]
        simulated += [] if is_simulator else [one]
    return [*modules, *simulated]


use_compiler_cache()
setup(
    version=version(),
    package_dir={"": "."},  # a plain path entry for `pip install -e .`
    packages=find_packages(".", include=["streambench", "streambench.*"]),
    package_data={
        "": ["*.pxd", "*.pyi", "*.pyx", "*.h", "*.sql", "*.lark", "*.snet"],
        "streambench.lab.evaluation": ["run.sh"],
        "streambench": ["py.typed"],
        "streambench.lab.report": ["page/*"],
    },
    cmdclass={"build_ext": BuildInPlace},
    options={"build_ext": {"parallel": JOBS}},
    ext_modules=with_simulated(
        cythonize(
            extensions(),
            include_path=["."],
            nthreads=JOBS,
            # The sanitizers share C++ sources, apart from those in place; where Cython has a cache, all are one text.
            build_dir="build/instrumented" if INSTRUMENTED else "build/annotated" if ANNOTATED else None,
            cache=os.environ.get("CYTHON_CACHE_DIR", False),  # of who has asked for one, as CI does
            annotate=ANNOTATED,
            shared_utility_qualified_name=SHARED_UTILITY,
            emit_linenums=True,  # the sanitizers' reports cite .pyx lines
            compiler_directives={
                "language_level": "3",
                "embedsignature": True,
                "boundscheck": False,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": False,
                "auto_pickle": False,  # an operator's state lives in C++
            },
        )
    ),
)
