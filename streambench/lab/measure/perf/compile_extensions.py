"""Compile .pyx files of the current folder: ``python -m`` this, with FOLDER for the modules, what they are as JSON, and
where the package lies.

A program of its own, which `compiled` calls: what a compilation does to a process is gone with it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "auto_pickle": False,
}
FLAGS = ["-std=c++20", "-O3", "-g0", "-pthread"]  # as the package is compiled


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
