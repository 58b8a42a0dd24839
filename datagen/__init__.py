"""Data for the benchmark: the queries' tables at any size (`generate`), and the check of a data directory (`check`).

    >>> from streambench.datagen import check, generate
    >>> manifest = generate("data/sf0.01", scale_factor=0.01)  # doctest: +SKIP
    >>> check("data/sf0.01").ok  # doctest: +SKIP
    True

Importing this package needs neither Java nor Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if __name__ != "streambench.datagen":
    raise ImportError("import streambench.datagen, not datagen")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streambench.datagen.checking.check import DataReport

__all__ = ["check", "generate"]


def generate(
    out: Path | str,
    *,
    scale_factor: float = 1.0,
    days: int = 30,
    seed: int = 1,
    profile: str = "session",
    master: str = "local[*]",
    overwrite: bool = False,
    partitions: int | None = None,
    edges: bool = True,
    buckets: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Write the tables at `scale_factor` (0.001 or more) into the directory `out`; returns the manifest.

    The streams span `days` days of event time, but for ad_events, which span the first hour. The same `seed` gives the
    same rows in the same order, whatever `master`, cores and `partitions` (files of each fact table; by default chosen
    from the scale factor) are.
    `profile` is "session" (clicks of a visit follow each other within minutes) or "pdgf" (each at a random second
    of its day). `edges` lays rows at the edges of what the queries compare, such as gaps of exactly an hour; the
    manifest's parameters count them by name. `buckets`: clicks lie in so many files by user instead, sales by ticket,
    each file in replay order, as runs on a cluster want them. `overwrite` replaces a directory that datagen or ingest
    made. `progress` is called with a table's name and the fraction of it that is done.

    Raises DatagenError for an option that cannot be met, a directory in use or one that cannot be written to, or a
    Spark that cannot run.
    """
    from streambench.extras import require

    require("streambench.datagen.generate", "pyspark")
    from streambench.datagen.make.generator import generate as run
    from streambench.datagen.model import Options

    options = Options(
        scale_factor=scale_factor,
        days=days,
        seed=seed,
        profile=profile,
        partitions=partitions,
        edges=edges,
        buckets=buckets,
    )
    return run(out, options, master=master, overwrite=overwrite, progress=progress)


def check(directory: Path | str, *, progress: Callable[[str, float], None] | None = None) -> DataReport:
    """Compare a data directory with its manifest, with its replay order and with the expected distributions.

    Raises DatagenError for a directory that is missing or incomplete; what does not match is in the report.
    """
    from streambench.extras import require

    require("streambench.datagen.check", "pyspark")
    from streambench.datagen.checking.check import check as run

    return run(directory, progress=progress)
