"""Compile the micro pipeline: run by `built.build`. The peer is left out where oneTBB's headers are not installed."""

import sys
from pathlib import Path

from compile_extensions import compile_extensions, extension

PREFIX = Path(sys.prefix)
USUAL = {
    "compile_args": ("-pthread",),
    "include_dirs": [".", str(PREFIX / "include")],
    "depends": [str(each) for each in sorted(Path().glob("*.h"))],
}

found = [extension("micro_operators", **USUAL), extension("micro_fused", **USUAL)]
if (PREFIX / "include/oneapi/tbb/parallel_pipeline.h").exists():
    library = str(PREFIX / "lib")
    tbb = {"libraries": ["tbb"], "library_dirs": [library], "runtime_library_dirs": [library]}
    found.append(extension("micro_tbb", **USUAL, **tbb))

compile_extensions(found, include_path=("../pacing",))
