"""Generates a data directory: the tables in replay order, and the manifest last."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from streambench.datagen import buckets, manifest, model, spark
from streambench.datagen.deal import deal
from streambench.datagen.make.clicks import clicks
from streambench.datagen.make.dimensions import ads, date_dim, item, web_page
from streambench.datagen.make.edge_rows import edges_of
from streambench.datagen.make.events import events
from streambench.datagen.make.failures import spark_failures
from streambench.datagen.make.sales import sales_order, sales_rest
from streambench.datagen.progress import Progress, watched
from streambench.datagen.replay import write_in_replay_order

HASHING = "hashes and manifest"


def generate(
    out: Path | str,
    options: model.Options,
    *,
    master: str = "local[*]",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the tables that `options` describe into `out`; returns the manifest.

    After an error or Ctrl-C Spark is stopped and what was written is removed; should that be impossible, the marker
    `_INCOMPLETE` stays. Raises DatagenError for a directory in use or one that cannot be written to, or a Spark that
    cannot run.
    """
    manifest.refuse_in_use(out, overwrite)  # before the seconds that Spark takes to start
    begun = False
    try:
        with spark.running(master, "streambench data generate") as session:
            spark.require_names(session.sparkContext, out)
            begun = True
            manifest.start(out, overwrite)
            with spark_failures(f"generating {out}"):
                files = _write(session, Path(out), options, progress)
                versions = spark.versions()
            return _finish(Path(out), options, files, versions, progress)
    except BaseException:
        if begun:  # and Spark is stopped by now, so that no task writes any more
            manifest.abandon(out)
        raise


def _write(session: Any, out: Path, options: model.Options, progress: Progress | None) -> dict[str, list[str]]:
    context = session.sparkContext
    written = {}
    for name, frame in (
        ("item", item(session, options)),
        ("web_page", web_page(session, options)),
        ("date_dim", date_dim(session)),
        ("ads", ads(session, options)),
    ):
        with watched(context, name, 1, progress):
            written[name] = write_in_replay_order(frame, name, out, 1)
    of_sales: dict[str, Any] = {"ties": ("line",), "complete": sales_rest(options)}
    for name, rows_of, rows, more in (
        ("store_sales", sales_order, options.expected_sales, of_sales),
        ("web_clickstreams", clicks, options.sizes.expected_clicks, {}),
        ("ad_events", events, options.sizes.events, {}),
    ):
        files = options.partitions or model.files_for(rows)
        tasks = 2 * files
        # The range partitioning first samples all tasks, then runs them again; that edges count the tickets is little.
        with watched(context, name, 2 * tasks + files, progress):
            written[name] = write_in_replay_order(rows_of(session, options, tasks), name, out, files, **more)
    if options.buckets is not None:
        for table in buckets.KEYS:
            written[table] = deal(out, table, written[table], options.buckets)
    return written


def _finish(
    out: Path,
    options: model.Options,
    files: dict[str, list[str]],
    versions: dict[str, str],
    progress: Progress | None,
) -> dict[str, Any]:
    sizes = options.sizes
    facts = sizes.expected_clicks + options.expected_sales + sizes.events
    expected = facts + sizes.items + sizes.pages + model.ADS + model.CALENDAR_DAYS
    hashed = 0

    def count(rows: int) -> None:
        nonlocal hashed
        hashed += rows
        if progress is not None:
            progress(HASHING, min(0.99, hashed / expected))

    described = {**dataclasses.asdict(options), "sizes": dataclasses.asdict(sizes)}
    described["edges"] = edges_of(options).counts
    described["first_date"] = model.FIRST_DATE.isoformat()
    whole = manifest.finish(out, kind="datagen", parameters=described, versions=versions, tables=files, progress=count)
    if progress is not None:
        progress(HASHING, 1.0)
    return whole
