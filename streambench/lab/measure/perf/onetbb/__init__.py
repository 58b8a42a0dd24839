"""oneTBB's ordered pipeline over the micro pipeline's stream, compiled on first use where oneTBB is installed."""

from __future__ import annotations

import functools
from importlib import metadata
from pathlib import Path
from types import ModuleType

from streambench.errors import StreambenchError
from streambench.lab.measure.perf.compiled import compiled as compile_modules
from streambench.queries import baselines

HEADER = "oneapi/tbb/parallel_pipeline.h"
LIBRARY = "libtbb.so"
MISSING = "oneTBB is not installed: pip install tbb tbb-devel"


def there() -> bool:
    """Is oneTBB installed, with its headers?"""
    return _include() is not None and _library() is not None


@functools.cache
def compiled() -> ModuleType:
    """The module ``onetbb``. Raises StreambenchError where it is not there, or does not compile."""
    (module,) = compile_modules(Path(__file__).parent, [{"name": "onetbb", **build_settings()}])
    return module


def build_settings() -> dict[str, list[str]]:
    """What a module that uses oneTBB is compiled with, ``pinned.h`` here included.

    Raises StreambenchError where oneTBB is not there.
    """
    include, library = _include(), _library()
    if include is None or library is None:
        raise StreambenchError(f"{MISSING}.")
    arithmetic = str(Path(str(baselines.__file__)).parent)
    return {
        "include_dirs": [str(include), arithmetic, str(Path(__file__).parent)],
        "libraries": ["tbb"],
        "library_dirs": [str(library)],
        "runtime_library_dirs": [str(library)],
    }


def _include() -> Path | None:
    found = _file("tbb-devel", HEADER)
    return found and found.parents[2]


def _library() -> Path | None:
    found = _file("tbb-devel", LIBRARY) or _file("tbb", LIBRARY)
    return found and found.parent


def _file(distribution: str, name: str) -> Path | None:
    """A file that a package from PyPI has put somewhere."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    found = (Path(str(each.locate())).resolve() for each in files if str(each).endswith(f"/{name}"))
    return next((each for each in found if each.exists()), None)
