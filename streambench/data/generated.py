"""The generated data directory of given parameters, under `data/`: made when it is first needed, then kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streambench.data.catalog import MANIFEST, MARKER
from streambench.datagen.tables import TABLES


def require_scale(scale_factor: float) -> None:
    """Raises DatagenError for a scale factor that no data can have."""
    from streambench.datagen.model import Options

    Options(scale_factor=scale_factor)


def generated(
    scale_factor: float,
    days: int = 30,
    seed: int = 1,
    profile: str = "session",
    progress: Callable[[str, float], None] | None = None,
) -> Path:
    """The directory of these parameters of `streambench datagen`, generated unless it is there with all its tables.

    ``progress`` is called with the step and the fraction of it that is done. Raises DatagenError.
    """
    path = Path("data") / f"sf{scale_factor:g}-{days}d-{profile}-seed{seed}"
    whole = all((path / name).is_dir() for name in TABLES)  # an earlier version made fewer
    if not (path / MANIFEST).exists() or (path / MARKER).exists() or not whole:
        from streambench import datagen

        datagen.generate(
            path,
            scale_factor=scale_factor,
            days=days,
            seed=seed,
            profile=profile,
            overwrite=path.exists(),
            progress=progress,
        )
    return path
