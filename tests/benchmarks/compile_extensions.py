"""How the benchmarks' modules are compiled: all alike, optimised as the package is by default."""

from __future__ import annotations

import os
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup

import streambench

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "auto_pickle": False,
}


def extension(name: str, *, compile_args: tuple[str, ...] = (), **further: Any) -> Extension:
    """The module ``name``, of ``name.pyx`` in the current folder."""
    return Extension(
        name, [f"{name}.pyx"], language="c++", extra_compile_args=["-std=c++20", "-O3", *compile_args], **further
    )


def compile_extensions(extensions: list[Extension], *, include_path: tuple[str, ...] = ()) -> None:
    """Do what ``setup.py``'s command line says; ``include_path``: where further ``.pxd`` files are.

    CPP_FOLDER in the environment is for the C++ sources. `built.build` sees to all of it.
    """
    setup(
        ext_modules=cythonize(
            extensions,
            include_path=[streambench.get_include(), ".", *include_path],
            build_dir=os.environ["CPP_FOLDER"],
            compiler_directives=DIRECTIVES,
        ),
        options={"build_ext": {"parallel": 2}},
    )
