"""Ingest in this process: for files that fit in memory, without the wait for a cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streambench.datagen.encoding import arrow_options
from streambench.datagen.ingest.dictionary import read_names
from streambench.datagen.ingest.keys import KeyColumn
from streambench.datagen.ingest.measure import Measured, Twins
from streambench.datagen.ingest.numbers import ARROW
from streambench.datagen.ingest.rows import Binding, name_of
from streambench.datagen.progress import Progress
from streambench.parquet_file import arrow_name


class Local:
    """The engine that holds all usable rows in memory; with `most` it reads no more than about so many rows."""

    def __init__(self, binding: Binding, progress: Progress | None = None, most: int | None = None) -> None:
        self._binding, self._most = binding, most
        self._progress = progress or (lambda name, fraction: None)
        self._usable: list[tuple[pa.RecordBatch, np.ndarray]] = []  # and which of their keys are below 0
        self._rows = pa.table({})
        self.complete = True

    def versions(self) -> dict[str, str]:
        """For the manifest."""
        import sys

        return {"python": sys.version.split()[0], "pyarrow": pa.__version__}

    def measure(self) -> Measured:
        """Read the rows, which are kept in memory."""
        measured, pieces = Measured(), self._binding.source.pieces()
        self._progress("reading", 0.0)
        for number, piece in enumerate(pieces):
            for judged in self._binding.judged(piece):
                if self._most is not None and measured.read >= self._most:
                    self.complete = False
                    return measured
                measured.add(Measured.of(judged, self._binding))
                fine = judged.chosen & (judged.reason < 0)
                self._usable.append((judged.table.filter(pa.array(fine)), judged.negative[fine]))
            self._progress("reading", (number + 1) / len(pieces))
        return measured

    def keep(self, coded: Collection[str]) -> None:
        """Keep the rows that are usable if these keys get a dictionary."""
        bits = ~self._binding.bits(coded)
        kept = [batch.filter(pa.array((negative & bits) == 0)) for batch, negative in self._usable]
        self._rows = pa.Table.from_batches(kept, schema=self._binding.schema)
        self._usable = []

    def without_twins(self, key: KeyColumn) -> Twins:
        """Keep the first row of each value of the key."""
        encoded = self._rows[name_of(key.target)].combine_chunks().dictionary_encode()
        _, firsts, counts = np.unique(np.array(encoded.indices), return_index=True, return_counts=True)
        twice = pc.take(encoded.dictionary, pa.array(np.flatnonzero(counts > 1)))
        self._rows = self._rows.take(pa.array(np.sort(firsts)))
        return Twins(len(twice), min(twice.to_pylist(), key=str.encode, default=""), int((counts - 1).sum()))

    def names(self, key: KeyColumn, old: Path | None) -> Iterator[pa.Array]:
        """The names of a key, those of the dictionary `old` too, each once in ascending order of their bytes."""
        names = pc.unique(self._rows[name_of(key.target)]).drop_null()
        if old is not None:
            names = pc.unique(pa.concat_arrays([names, read_names(old)]))
        yield names.take(pc.sort_indices(names))

    def table(self, names: Mapping[str, pa.Array]) -> pa.Table:
        """The table in replay order; `names` are the dictionaries of the keys that have one."""
        layout, rows = self._binding.layout, self._rows
        columns = {}
        for column, kind in layout.columns:
            if column in names:
                codes = pc.index_in(rows[name_of(column)], value_set=names[column])
                columns[column] = codes.cast(ARROW[kind])
            elif column in rows.column_names:
                columns[column] = rows[column].cast(ARROW[kind])
            else:
                columns[column] = pa.nulls(len(rows), ARROW[kind])
        if "i_category_id" in names and "i_category" not in rows.column_names:
            columns["i_category"] = rows[name_of("i_category_id")]
        # Every key is 0 or more, so that -1 puts nulls first; the sort is stable, the rows lie in their files' order.
        keys = [np.array(pc.fill_null(columns[name], -1)) for name in layout.order_columns]
        return pa.table(columns).take(pa.array(np.lexsort(keys[::-1])))

    def write(self, staging: Path, dictionaries: Mapping[str, Path], files: int) -> None:
        """Write the table's files in replay order."""
        self._progress("sorting and writing", 0.0)
        table = self.table({column: read_names(file) for column, file in dictionaries.items()})
        folder = staging / self._binding.layout.name
        folder.mkdir()
        options = arrow_options(self._binding.layout)
        each = -(-len(table) // files)
        for number, start in enumerate(range(0, len(table), each)):
            part = table.slice(start, each)
            pq.write_table(part, arrow_name(folder / f"part-{number:05d}.parquet"), **options)
            self._progress("sorting and writing", (start + len(part)) / len(table))
