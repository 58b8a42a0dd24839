"""Compile what feeds the hand-fused loops.

``python setup.py build_ext --build-lib DIR --build-temp DIR``, with CPP_FOLDER for the C++ sources.
"""

from __future__ import annotations

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import streambench

HERE = Path(__file__).resolve().parent

setup(
    name="pacing",
    ext_modules=cythonize(
        [Extension("pace", [str(HERE / "pace.pyx")], language="c++", extra_compile_args=["-std=c++20", "-O3"])],
        include_path=[streambench.get_include()],
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
