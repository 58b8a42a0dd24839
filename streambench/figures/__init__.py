"""Figures drawn from result files: only what was measured, each with the data behind it as CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from streambench.figures import scaling

FIGURES: dict[str, Callable[[Mapping[str, Any], Path], list[Path]]] = {"scaling": scaling.draw}


def draw(document: Mapping[str, Any], out: Path | str) -> list[Path]:
    """Draw every figure of a result document into a folder; returns the files written.

    Raises StreambenchError where the document holds nothing that a figure can show, or a file cannot be written.
    """
    return [path for make in FIGURES.values() for path in make(document, Path(out))]
