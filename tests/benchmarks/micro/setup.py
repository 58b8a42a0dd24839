"""Compile the micro pipeline against the installed package's ``.pxd`` files, with its optimisation.

``python setup.py build_ext --build-lib DIR --build-temp DIR``, with CPP_FOLDER for the C++ sources. The peer is left
out where oneTBB's headers are not installed in this environment.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import streambench

HERE = Path(__file__).resolve().parent
PACING = HERE.parent / "pacing"
PREFIX = Path(sys.prefix)
HEADERS = [str(each) for each in sorted(HERE.glob("*.h"))]


def extension(name: str, **further: list[str]) -> Extension:
    return Extension(
        name,
        [str(HERE / f"{name}.pyx")],
        language="c++",
        include_dirs=[str(HERE), str(PREFIX / "include")],
        depends=HEADERS,
        extra_compile_args=["-std=c++20", "-O3", "-pthread"],
        **further,
    )


found = [extension("micro_operators"), extension("micro_fused")]
if (PREFIX / "include/oneapi/tbb/parallel_pipeline.h").exists():
    library = str(PREFIX / "lib")
    found.append(extension("micro_tbb", libraries=["tbb"], library_dirs=[library], runtime_library_dirs=[library]))

setup(
    name="micro",
    ext_modules=cythonize(
        found,
        include_path=[streambench.get_include(), str(HERE), str(PACING)],
        build_dir=os.environ["CPP_FOLDER"],
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "auto_pickle": False,
        },
    ),
    options={"build_ext": {"parallel": 2}},
)
