"""Where a column of the table comes from: a column of the file as it stands, or an expression over several."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.expression import Expression, parsed
from streambench.datagen.ingest.numbers import of_numbers, texts
from streambench.datagen.ingest.source import Source, listed

_SIGNS = frozenset('+-*/()"')


@dataclass(frozen=True)
class Column:
    """A mapped column of the table: `sources` are those of the file, `null` the texts that mean "no value"."""

    target: str
    sources: tuple[str, ...]
    null: tuple[str, ...]
    expression: Expression | None = None

    @property
    def shown(self) -> str:
        """The column of the file, or the expression, as the user wrote it."""
        return self.sources[0] if self.expression is None else self.expression.text

    def values(self, columns: pa.RecordBatch, kind: str) -> tuple[pa.Array, np.ndarray, np.ndarray]:
        """The values, where there is something to make a value of, and where a text of `null` was taken for none.

        An expression gives numbers, of the type `kind`: null, too, where one does not fit or cannot be computed.
        """
        cleaned = [_cleaned(columns.column(name), self.null) for name in self.sources]
        nulled = np.logical_or.reduce([mask for _, mask in cleaned])
        present = np.logical_and.reduce([np.array(values.is_valid()) for values, _ in cleaned])
        if self.expression is None:
            return cleaned[0][0], present, nulled
        operands = [texts(values).to_pylist() for values, _ in cleaned]
        return of_numbers(self.expression.values(operands), kind), present, nulled


def bound(target: str, text: str, null: tuple[str, ...], kind: str, source: Source) -> Column:
    """Where `target`, a column of the type `kind`, comes from: a column of just that name, or else an expression.

    DatagenError that names the first column which the file does not have.
    """
    if text in source.columns or not _SIGNS & set(text):
        check_there(text, source)
        return Column(target, (text,), null)
    try:
        expression = parsed(text)
    except DatagenError as problem:
        raise DatagenError(f"{source.files[0].name} has no column {text!r}, and {problem}") from None
    for name in expression.columns:
        check_there(name, source, f" (for {target}={text})")
    if expression.tree == ("column", 0):
        return Column(target, expression.columns, null)
    if kind == "string":
        raise DatagenError(f"{target} holds texts and {text!r} gives numbers: map one column of the file.")
    return Column(target, expression.columns, null, expression)


def check_there(name: str, source: Source, why: str = "") -> None:
    """DatagenError, with names that are near, where the file has no column of this name."""
    if name in source.columns:
        return
    near = _near(name, source.columns)
    meant = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    raise DatagenError(
        f"{source.files[0].name} has no column {name!r}{why}: its columns are {listed(source.columns)}{meant}"
    )


def _near(name: str, names: Iterable[str]) -> list[str]:
    by_lower = {known.lower(): known for known in names}
    return [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=2, cutoff=0.7)]


def _cleaned(column: pa.Array, null: tuple[str, ...]) -> tuple[pa.Array, np.ndarray]:
    """A column of the file with null for what means "no value", and where a text of `null` did so."""
    if pa.types.is_floating(column.type):  # pandas writes a missing integer as NaN
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if not null:
        return column, np.zeros(len(column), bool)
    nulled = pc.fill_null(pc.is_in(texts(column), value_set=pa.array(null, pa.string())), False)
    return pc.if_else(nulled, pa.scalar(None, column.type), column), np.array(nulled)
