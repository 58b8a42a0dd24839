"""Programs whose labels take several words in FRONT: others stand before theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from streambench.snet.labels import labels_of
from streambench.snet.syntax import Label, Program

STRADDLING = 60
"""As many before: of the program's own one is in the first word, the others are in the second."""
FAR = 250
"""As many before: the program's own are in the fifth word."""


@contextmanager
def many_labels(before: int) -> Iterator[None]:
    """So many labels come first in all programs."""

    def more(program: Program) -> list[Label]:
        return [*(f"before{k}" for k in range(before)), *labels_of(program)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streambench.snet.front_tables.labels_of", more)
        yield
