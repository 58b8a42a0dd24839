"""Checks a data directory: files and hashes against the manifest, replay order, and the promised distributions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from streambench.datagen import manifest, model
from streambench.datagen.checking.distributions import check_distributions
from streambench.datagen.checking.integrity import check_integrity
from streambench.datagen.checking.report import DataReport, Finding
from streambench.datagen.errors import DatagenError, DatagenOptionError
from streambench.datagen.progress import Progress
from streambench.datagen.tables import TABLES

__all__ = ["DataReport", "Finding", "check"]


def check(directory: Path | str, *, progress: Progress | None = None) -> DataReport:
    """Look at everything that the manifest promises; a directory from ingest has no promised distributions.

    Raises DatagenError for a directory that is missing, incomplete, or has a manifest that makes no sense.
    """
    directory = Path(directory)
    described = manifest.read(directory)
    options = _options(directory, described) if described["kind"] == "datagen" else None
    report = DataReport()
    streams = [name for name in described["tables"] if name in TABLES and TABLES[name].is_stream]
    total = sum(entry["rows"] * (2 if name in streams else 1) for name, entry in described["tables"].items())
    read = 0

    def count(rows: int) -> None:
        nonlocal read
        read += rows
        if progress is not None:
            progress("hashes and order", min(1.0, read / max(1, total)))

    check_integrity(directory, described, report, count)
    if options is None:
        return report
    absent = [name for name in TABLES if name not in described["tables"]]
    report.same("tables missing", ", ".join(absent) or "none", "none")
    empty = [name for name, entry in described["tables"].items() if not entry["rows"]]
    report.same("tables without rows", ", ".join(empty) or "none", "none")
    if any(finding.expected == "readable" or finding.name.endswith("columns") for finding in report.failed):
        return report  # there is nothing sound to measure
    if absent or empty:
        return report

    def tell(done: float) -> None:
        if progress is not None:
            progress("distributions", done)

    tell(0.0)
    try:
        check_distributions(directory, described, options, report, tell)
    except duckdb.Error as error:
        report.fault("distributions", str(error).splitlines()[0])
    tell(1.0)
    return report


def _options(directory: Path, described: dict[str, Any]) -> model.Options:
    """The options that the directory was generated with."""
    names = ("scale_factor", "days", "seed", "profile", "edges")
    parameters = described.get("parameters")
    if not isinstance(parameters, dict) or any(name not in parameters for name in names):
        raise DatagenError(f"{directory / manifest.FILE} lacks the parameters {', '.join(names)}: make the data again.")
    try:
        return model.Options(**{name: parameters[name] for name in names[:-1]}, edges=bool(parameters["edges"]))
    except DatagenOptionError as error:  # nobody asked for them now
        raise DatagenError(f"{directory / manifest.FILE} names parameters that cannot be: {error}") from None
