"""The designs by the names that users choose them by."""

from __future__ import annotations

from streambench.pyx.heavy_hitters.summary import Summary

DESIGNS: dict[str, type[Summary]] = {}


def design_named(name: str) -> type[Summary]:
    """The class of the design of this name. Raises ValueError where there is none."""
    if name not in DESIGNS:
        raise ValueError(f"there is no design {name!r}: choose from {', '.join(DESIGNS)}")
    return DESIGNS[name]
