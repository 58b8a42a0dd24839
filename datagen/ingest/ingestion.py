"""A user's own CSV or Parquet becomes a table of a data directory, in replay order, with dictionaries for its names.

>>> from streambench.datagen.ingest import ColumnMapping, ingest
>>> columns = {"ts": "Date+Time", "ticket": "Transaction", "item": "Item"}
>>> bakery = ColumnMapping(table="store_sales", columns=columns, drop=(("Item", "NONE"),))
>>> ingest("bakery.csv", bakery, out="data/bakery").kept  # doctest: +SKIP
20507

Importing this needs neither Java nor Spark, nor does a file that fits in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds

from streambench.datagen.buckets import KEYS, require_buckets
from streambench.datagen.deal import deal
from streambench.datagen.errors import DatagenError, DatagenOptionError
from streambench.datagen.ingest.describe import Contents, Preview, contents, preview
from streambench.datagen.ingest.dictionary import FOLDER
from streambench.datagen.ingest.keys import LIMIT, LIMITS, KeyColumn
from streambench.datagen.ingest.local import Local
from streambench.datagen.ingest.mapping import SHARED_KEYS, ColumnMapping, check_table
from streambench.datagen.ingest.measure import Measured
from streambench.datagen.ingest.rows import Binding, bind
from streambench.datagen.ingest.source import Source
from streambench.datagen.ingest.target import Target, choose, undone_on_failure
from streambench.datagen.progress import Progress
from streambench.datagen.tables import TABLES
from streambench.parquet_file import arrow_name

if TYPE_CHECKING:
    from streambench.datagen.ingest.spark import OnSpark

    # Both call the same functions for what a row means: an engine only brings rows to them, removes duplicates, sorts
    # and writes, in the order measure, keep, without_twins, names, write. So both write the same table.
    Engine = Local | OnSpark

ENGINES = ("auto", "local", "spark")
LOCAL_BYTES = 64 << 20
"""Up to so many bytes, unpacked, a file is ingested in this process: it takes about twenty times as much memory."""

PREVIEW_ROWS = 100_000
"""A dry run of a file that is larger reads about so many rows of it."""

_ROWS_PER_FILE = 2_000_000


@dataclass
class Summary:
    """What an ingest did, or would do.

    Rows: `read` from the file, `left_out` by --drop and --where, `skipped` because they could not be used, `kept`,
    which is those written, in so many `files` and `bytes` (0 of a dry run).
    `first` and `last` are the event times of the stream in seconds since 1900-01-01 (None for item and web_page),
    `distinct` counts each mapped key column's values, `nulls` each mapped column's nulls, `nulled` the values that
    --null took for none in usable rows, `dictionaries` the names that each dictionary now holds. A dry run has a
    `preview` and no manifest; `whole` is false where it read only the beginning of the file.
    """

    table: str
    directory: Path
    read: int
    left_out: int
    skipped: int
    kept: int
    first: int | None = None
    last: int | None = None
    distinct: dict[str, int] = field(default_factory=dict)
    nulls: dict[str, int] = field(default_factory=dict)
    nulled: dict[str, int] = field(default_factory=dict)
    dictionaries: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)
    preview: Preview | None = None
    whole: bool = True
    files: int = 0
    bytes: int = 0

    def tell(self, held: Contents) -> None:
        """Take over what the table holds."""
        self.first, self.last, self.distinct, self.nulls = held.first, held.last, held.distinct, held.nulls
        self.notes += held.notes


def ingest(
    source: str | Path,
    mapping: ColumnMapping,
    *,
    out: str | Path | None = None,
    into: str | Path | None = None,
    overwrite: bool = False,
    skip_bad_rows: bool = False,
    dry_run: bool = False,
    engine: str = "auto",
    master: str | None = None,
    partitions: int | None = None,
    buckets: int | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Turn a CSV or Parquet file, or a folder of them, into one table of a data directory.

    `out` is a new directory (`overwrite` replaces one that streambench made); `into` is one that ingest made before,
    which gets one more table (`overwrite` replaces that table). A row that cannot be used (no such time, a missing or
    negative key, a value of the wrong type) is an error, unless `skip_bad_rows` is set: then it is left out and
    counted. `dry_run` writes nothing: the summary's `preview` shows the first rows as they would be.

    `engine` is "local" (this process), "spark", or "auto": local up to `LOCAL_BYTES`, unless a Spark `master` is named
    (by default `local[*]`). The table is the same. `partitions` is the number of files to write. With `buckets` it lies
    in so many files by key instead, each in replay order, as runs on a cluster want it. `progress` is called with the
    step and the fraction of it that is done.

    DatagenError says in one sentence what does not fit. After any failure a new directory is gone again and one
    that was to get another table is as it was.
    """
    table = check_table(mapping.table)
    if partitions is not None and partitions < 1:
        raise DatagenOptionError(f"--partitions must be 1 or more, not {partitions}.")
    require_buckets(buckets)
    if buckets is not None and table not in KEYS:
        raise DatagenOptionError(f"--buckets is for {' and '.join(KEYS)}, not for {table}: leave it out.")
    if buckets is not None and partitions is not None:
        raise DatagenOptionError("--partitions and --buckets both say how many files there are: leave out one of them.")
    opened = Source.open(source, mapping)
    binding = bind(mapping.resolved(TABLES[table].names), opened)
    local = _is_local(engine, master, opened)
    unsaid = dry_run and out is None and into is None
    target = Target(Path(), table) if unsaid else choose(out, into, table, overwrite, Path(source))
    if dry_run:
        return _dry_run(binding, target, Local(binding, progress, None if local else PREVIEW_ROWS), skip_bad_rows)
    with undone_on_failure(target), _engine(binding, target, local, master, progress) as work:
        summary, coded = _judged(work, binding, target, skip_bad_rows)
        target.begin()
        dictionaries = {}
        for key in coded:
            names = work.names(key, target.dictionary(key.shared))
            dictionaries[key.target], summary.dictionaries[key.shared] = target.stage_dictionary(key.shared, names)
        work.write(target.staging, dictionaries, partitions or -(-summary.kept // _ROWS_PER_FILE))
        files = sorted((target.staging / table).glob("part-*.parquet"))
        if buckets is not None:
            named = deal(target.staging, table, [f"{table}/{file.name}" for file in files], buckets)
            files = [target.staging / name for name in named]
        summary.tell(contents(binding, ds.dataset([arrow_name(file) for file in files]), target.staging))
        parameters = _parameters(binding, dictionaries, target, summary)
        if buckets is not None:
            parameters["tables"][table]["buckets"] = buckets
        summary.manifest = target.commit(parameters, _dictionaries(parameters), work.versions())
        written = summary.manifest["tables"][table]["files"]
        summary.files, summary.bytes = len(written), sum((target.path / name).stat().st_size for name in written)
    return summary


def _dry_run(binding: Binding, target: Target, work: Local, skip: bool) -> Summary:
    summary, coded = _judged(work, binding, target, skip)
    summary.whole = work.complete
    names = {key.target: next(work.names(key, target.dictionary(key.shared))) for key in coded}
    summary.dictionaries = {key.shared: len(names[key.target]) for key in coded}
    table = work.table(names)
    summary.tell(contents(binding, table))
    summary.preview = preview(binding, table, names)
    return summary


def _judged(work: Engine, binding: Binding, target: Target, skip: bool) -> tuple[Summary, list[KeyColumn]]:
    """Read the rows and decide which are kept and which keys get a dictionary; nothing is written."""
    measured = work.measure()
    coded = _coded(binding, measured, target)
    targets = frozenset(key.target for key in coded)
    skipped = _skipped(binding, measured, targets, skip)
    work.keep(targets)
    left_out = measured.read - measured.chosen
    if measured.chosen > skipped:
        skipped += _twins(work, binding, skip)
    summary = Summary(binding.layout.name, target.path, measured.read, left_out, skipped, measured.chosen - skipped)
    if not summary.kept:
        counts = f"{left_out:,} left out by --drop and --where, {skipped:,} could not be used"
        held = f"{measured.read:,} were read, {counts}" if measured.read else "it holds none"
        raise DatagenError(f"No row of {binding.source.path.name} is left: {held}.")
    summary.nulled = dict(measured.nulled(binding, targets))
    return summary, coded


def _coded(binding: Binding, measured: Measured, target: Target) -> list[KeyColumn]:
    """The key columns that go through a dictionary."""
    coded = []
    for key in binding.keys:
        # Names need one; integers do where it is asked for, where others already have one, or where they are too large.
        by_request = key.target in binding.mapping.dictionary or target.dictionary(key.shared) is not None
        too_large = measured.largest.get(key.target, -1) >= LIMITS.get(key.shared, LIMIT)
        if not (by_request or too_large or measured.named[key.target] > 0):
            continue
        coded.append(key)
        for other, (_, holds) in target.users_of(key.shared).items():
            if holds == "integer":
                raise DatagenError(
                    f"{target.path} holds the {key.shared} keys of {other} as integers, and column "
                    f"{key.column.shown!r} needs a dictionary: ingest {other} again with --dictionary for them, then "
                    "this file."
                )
    return coded


def _skipped(binding: Binding, measured: Measured, coded: Collection[str], skip: bool) -> int:
    """How many rows cannot be used; an error that shows the first of them unless they may be skipped."""
    count, first = measured.unusable(binding, coded)
    if first is not None and not skip:
        rows = "1 row" if count == 1 else f"{count:,} rows"
        place = binding.source.place_of(first.file, first.row)
        raise DatagenError(
            f"{rows} of {measured.read:,} cannot be used, the first is {place}: "
            f"{first.words}; mend the file or the mapping, or add --skip-bad-rows to leave such rows out."
        )
    return count


def _twins(work: Engine, binding: Binding, skip: bool) -> int:
    """A table that is looked up by key must hold each key once; with `skip` the first row of each key stays."""
    if binding.layout.is_stream:
        return 0
    twins = work.without_twins(next(key for key in binding.keys if key.target == binding.layout.names[0]))
    if twins.names and not skip:
        raise DatagenError(
            f"Table {binding.layout.name} must hold each key once, and {twins.names:,} come more than once, such as "
            f"{twins.first!r}: mend the file, or add --skip-bad-rows to keep the first row of each."
        )
    return twins.rows


@contextmanager
def _engine(
    binding: Binding, target: Target, local: bool, master: str | None, progress: Progress | None
) -> Iterator[Engine]:
    if local:
        yield Local(binding, progress)
        return
    from streambench.datagen.ingest.spark import on_spark

    with on_spark(master or "local[*]", binding, target.staging, progress) as work:
        yield work


def _is_local(engine: str, master: str | None, source: Source) -> bool:
    if engine not in ENGINES:
        raise DatagenOptionError(f"{engine!r} is no engine of ingest: choose one of {', '.join(ENGINES)}.")
    if engine == "local" and master is not None:
        raise DatagenOptionError("--master is for Spark: leave it out, or say --engine spark.")
    return engine == "local" or (engine == "auto" and master is None and source.size() <= LOCAL_BYTES)


def _parameters(binding: Binding, coded: Collection[str], target: Target, summary: Summary) -> dict[str, Any]:
    """For the manifest: what each table of the directory was made of and what its keys hold."""
    tables = {name: target.held["parameters"]["tables"][name] for name in target.other_tables}
    tables[summary.table] = {
        "source": binding.source.path.name,
        "mapping": binding.mapping.described(),
        "rows": {name: getattr(summary, name) for name in ("read", "left_out", "skipped", "kept")},
        "keys": {key.target: "dictionary" if key.target in coded else "integer" for key in binding.keys},
    }
    return {"tables": tables}


def _dictionaries(parameters: dict[str, Any]) -> dict[str, str]:
    """Every column of every table that has a dictionary, and its file."""
    return {
        column: f"{FOLDER}/{SHARED_KEYS.get(column, column)}.parquet"
        for table in parameters["tables"].values()
        for column, holds in table["keys"].items()
        if holds == "dictionary"
    }


__all__ = ["ColumnMapping", "Summary", "ingest"]
