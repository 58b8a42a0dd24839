"""The compiled modules of the micro pipeline."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace

from built import build
from pacing import compiled as pacing


@functools.cache
def compiled() -> SimpleNamespace:
    """Everything that the modules define; ``tbb_pipeline`` is None where oneTBB is not installed.

    Raises StreambenchError when they do not compile.
    """
    pacing.compiled()  # the fused loop needs it
    *modules, peer = build(Path(__file__).resolve().parent, ("micro_operators", "micro_fused"), ("micro_tbb",))
    found = {name: value for each in modules for name, value in vars(each).items() if name[0] != "_"}
    return SimpleNamespace(**found, tbb_pipeline=peer and peer.tbb_pipeline)
