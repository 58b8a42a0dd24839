"""A query's stream as files that take long enough to read: its table's rows several times, each time moved on."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streambench.datagen.encoding import arrow_options
from streambench.datagen.tables import TABLES
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.columns import DATE_AND_TIME, sources
from streambench.lab.data.loader import RENUMBERED, REPLAY_ORDER
from streambench.lab.workloads.workload import Workload


def longer_files(workload: Workload, laps: int, folder: Path) -> Catalog:
    """A data directory in ``folder``, which is empty: the columns that the query reads and those of the replay order,
    ``laps`` times, as ingest writes them; and links to all other tables.
    """
    table, data = workload.query.table, workload.data
    for entry in data.path.iterdir():
        if entry.name.removesuffix(".parquet") not in (table, "manifest.json") and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry.resolve())
    query = workload.query
    read = [column for each in query.parameters.values() for column in query.columns(each)]  # SQL names them all
    names = list(dict.fromkeys(name for column in (*read, *REPLAY_ORDER[table]) for name in sources(table, column)))
    lap = pa.concat_tables(pq.read_table(file, columns=names) for file in data.table(table).files)
    (folder / table).mkdir()
    options = arrow_options(TABLES[table])
    group = options.pop("row_group_size")
    with pq.ParquetWriter(folder / table / "part-00000.parquet", lap.schema, **options) as writer:
        for number in range(laps):
            writer.write_table(_moved_on(lap, table, number), row_group_size=group)
    return Catalog.open(folder)


def _moved_on(lap: pa.Table, table: str, number: int) -> pa.Table:
    """The rows of lap ``number``: later days, further tickets and orders."""
    date = DATE_AND_TIME[table][0]
    for name in lap.column_names if number else ():
        bounds = pc.min_max(lap[name]).as_py() if name == date or name in RENUMBERED else None
        if bounds is not None and bounds["max"] is not None:
            step = bounds["max"] + 1 - (bounds["min"] if name == date else 0)
            field = lap.schema.field(name)  # all of it: Spark's tickets cannot be null
            moved = pc.add(lap[name], pa.scalar(number * step, field.type))
            lap = lap.set_column(lap.schema.get_field_index(name), field, moved)
    return lap
