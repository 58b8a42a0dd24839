"""Our operators in oneTBB's ordered pipeline, compiled on first use where oneTBB is installed."""

from __future__ import annotations

import functools
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy.typing as npt

from streambench.errors import StreambenchError
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf.compiled import compile_changed, load

FOLDER, ENGINE = Path(__file__).parent, "tbb_engine"
HEADER = "oneapi/tbb/parallel_pipeline.h"
LIBRARY = "libtbb.so"
MISSING = "oneTBB is not installed: pip install tbb tbb-devel"


def there() -> bool:
    """Is oneTBB installed, with its headers?"""
    return _include() is not None and _library() is not None


@functools.cache
def build() -> None:
    """Compile the engine where its sources have changed, once a process.

    Raises StreambenchError where oneTBB is not there, or the engine does not compile.
    """
    include, library = _include(), _library()
    if include is None or library is None:
        raise StreambenchError(f"{MISSING}.")
    folders = {"include_dirs": [str(include)], "library_dirs": [str(library)], "runtime_library_dirs": [str(library)]}
    compile_changed(FOLDER, [{"name": ENGINE, "libraries": ["tbb"], **folders}])


def execute(pipeline: Pipeline, threads: int, token: int, live: int) -> npt.NDArray[Any]:
    """Execute a new pipeline with tokens of ``token`` tuples, ``live`` of them under way, by the engine as it was built
    last; the seconds that each token took from the first operator until the sink had processed it.

    Raises StreambenchError where it was not built, RuntimeError for a tuple that an operator refuses.
    """
    (module,) = load(FOLDER, [ENGINE])
    for each in pipeline.operators:
        each.prepare(1)
    waits: npt.NDArray[Any] = module.TbbEngine(pipeline.operators, token, live).run(threads)
    return waits


def _include() -> Path | None:
    header = _file("tbb-devel", HEADER)
    return header and header.parents[2]


def _library() -> Path | None:
    library = _file("tbb-devel", LIBRARY) or _file("tbb", LIBRARY)
    return library and library.parent


def _file(distribution: str, name: str) -> Path | None:
    """A file that a package from PyPI has put somewhere."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    places = (Path(str(each.locate())).resolve() for each in files if str(each).endswith(f"/{name}"))
    return next((each for each in places if each.exists()), None)
