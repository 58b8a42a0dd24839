"""Our operators in oneTBB's ordered pipeline, compiled on first use where oneTBB is installed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.compiled import compile_changed, load

NAME = "tbb_engine"


def build() -> None:
    """Compile the module ``tbb_engine``. Raises StreambenchError where oneTBB is not there, or it does not compile."""
    compile_changed(Path(__file__).parent, [{"name": NAME, **onetbb.build_settings()}])


def loaded() -> ModuleType:
    """The module as it was built last. Raises StreambenchError where it was not."""
    (module,) = load(Path(__file__).parent, [NAME])
    return module
