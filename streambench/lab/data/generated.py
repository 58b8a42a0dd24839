"""The generated data directory of given parameters, under `data/`: made when it is first needed, then kept."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streambench.datagen.tables import TABLES
from streambench.lab.data.catalog import MANIFEST, MARKER


def require_generated(**parameters: Any) -> None:
    """Raises DatagenError for a scale factor, days, seed or profile that no data can have."""
    from streambench.datagen.model import Options

    Options(**parameters)


def generated(
    scale_factor: float,
    days: int = 30,
    seed: int = 1,
    profile: str = "session",
    progress: Callable[[str, float], None] | None = None,
) -> Path:
    """The directory of these parameters, generated unless it is there with all its tables.

    ``progress`` is called with the step and the fraction of it that is done. Raises DatagenError.
    """
    require_generated(scale_factor=scale_factor, days=days, seed=seed, profile=profile)
    path = Path("data") / f"sf{scale_factor:g}-{days}d-{profile}-seed{seed}"
    if not _is_whole(path):
        with _alone(path):
            if not _is_whole(path):  # nor has another command just made it
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


def _is_whole(path: Path) -> bool:
    tables = all((path / name).is_dir() for name in TABLES)  # an earlier version made fewer
    return tables and (path / MANIFEST).exists() and not (path / MARKER).exists()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One command at a time generates it: what another one has begun looks like what one has broken off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f".{path.name}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
