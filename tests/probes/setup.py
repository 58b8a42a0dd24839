"""Compile the probes as a third party would: against the installed package's ``.pxd`` files.

``compiled`` calls it, and knows which; STREAMBENCH_PROFILE as for the package itself, because a probe must be
instrumented as the runtime is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from compiled import PROFILE, sources
from Cython.Build import cythonize
from setuptools import Extension, setup

import streambench

HERE = Path(__file__).resolve().parent
FLAGS = {
    "release": ["-O1", "-g0"],
    "tsan": ["-O1", "-g1", "-DSTREAMBENCH_CHECKED", "-fsanitize=thread"],
    "asan": [
        *("-O1", "-g1", "-DSTREAMBENCH_CHECKED", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"),
        "-fno-sanitize=null,alignment,pointer-overflow,object-size",
    ],
}[PROFILE]
# What the package's build has parsed already, where it was this compiler: a third of the time.
COMMON = HERE.parents[1] / "build" / "headers" / f"{PROFILE}-{sys.implementation.cache_tag}.h"
if Path(f"{COMMON}.gch").exists():
    FLAGS += ["-include", str(COMMON)]

setup(
    name="probes",
    ext_modules=cythonize(
        [
            Extension(
                source.stem,
                [str(source)],
                language="c++",
                include_dirs=[streambench.get_include()],
                extra_compile_args=["-std=c++20", "-pthread", *FLAGS],
                depends=[str(HERE / "setup.py")],
                extra_link_args=["-pthread", *[flag for flag in FLAGS if flag.startswith("-fsanitize")]],
            )
            for source in sources(HERE)
        ],
        include_path=[streambench.get_include(), str(HERE)],
        build_dir=os.environ["CPP_FOLDER"],
        nthreads=2,
        compiler_directives={"language_level": "3", "boundscheck": False, "wraparound": False, "auto_pickle": False},
    ),
    options={"build_ext": {"parallel": 2}},
)
