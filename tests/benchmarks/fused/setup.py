"""Compile the hand-fused loops against the installed package's ``.pxd`` files, with its optimisation.

``python setup.py build_ext --build-lib DIR --build-temp DIR``, with CPP_FOLDER for the C++ sources.
"""

from __future__ import annotations

import os
from pathlib import Path

import boost_headers
from Cython.Build import cythonize
from setuptools import Extension, setup

import streambench

HERE = Path(__file__).resolve().parent
PACING = HERE.parent / "pacing"

setup(
    name="fused_loops",
    ext_modules=cythonize(
        [
            Extension(
                "fused_loops",
                [str(HERE / "fused_loops.pyx")],
                language="c++",
                include_dirs=[str(boost_headers.get_include())],
                extra_compile_args=["-std=c++20", "-O3"],
            )
        ],
        include_path=[streambench.get_include(), str(PACING)],
        build_dir=os.environ["CPP_FOLDER"],
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
)
