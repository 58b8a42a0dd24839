"""The rows of a user's file, judged: left out by wish, unusable for a reason that is told, or kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_keys import KeyColumn, cleaned, is_negative, key_columns, profile
from streambench.datagen.ingest_mapping import NOT_NULL, ColumnMapping
from streambench.datagen.ingest_source import FILE, PLACE, ROW, UNFIT, Source, listed, quoted
from streambench.datagen.ingest_time import LAST_DATE_SK, seconds_since_1900, time_sources
from streambench.datagen.tables import SECONDS_PER_DAY, TABLES

_LONGEST_LINE = 100


@dataclass(frozen=True)
class Judged:
    """The rows with everything that is computed from them.

    `frame` holds the user's columns and their places, `ts` is the event time (None for a table without),
    `keys` and `values` (target column to typed expression) the mapped columns, `wanted` is false for rows that
    --drop or --where leaves out.
    """

    mapping: ColumnMapping
    source: Source
    frame: DataFrame
    ts: Column | None
    keys: list[KeyColumn]
    values: dict[str, Column]
    wanted: Column

    def measure(self) -> dict[str, Any]:
        """One pass: how many rows there are and are wanted, how many of them might be unusable, what the keys are."""
        suspect = self.reason(frozenset(key.target for key in self.keys)).isNotNull()
        aggregates = {"read": F.count(F.lit(1)), "wanted": F.count_if(self.wanted)}
        aggregates["suspect"] = F.count_if(self.wanted & suspect)
        for key in self.keys:
            aggregates |= profile(key, self.wanted & self.frame[UNFIT].isNull())
        row = self.frame.agg(*(value.alias(name) for name, value in aggregates.items())).first()
        assert row is not None
        return dict(row.asDict())

    def reason(self, coded: Collection[str]) -> Column:
        """Why a row cannot be used, as an index into `reasons()`; null if it can. `coded` keys have a dictionary."""
        checks = self._checks(coded)
        return F.coalesce(*(F.when(wrong, F.lit(index)) for index, (wrong, _, _) in enumerate(checks)))

    def usable(self, coded: Collection[str]) -> DataFrame:
        """The rows that are kept."""
        return self.frame.where(self.wanted & self.reason(coded).isNull())

    def unusable(self, coded: Collection[str]) -> tuple[int, str]:
        """How many wanted rows cannot be used, and where the first is, what it holds and what is wrong with it."""
        shown = self.source.columns if self.source.kind == "csv" else self._mapped_sources()
        cells = F.struct(*(F.col(quoted(name)).cast("string").alias(f"c{i}") for i, name in enumerate(shown)))
        unfit = F.col(UNFIT).alias("unfit")
        first = F.min(F.struct(*PLACE, self.reason(coded).alias("reason"), cells.alias("cells"), unfit))
        rows = self.frame.where(self.wanted & self.reason(coded).isNotNull())
        found = rows.agg(F.count(F.lit(1)).alias("count"), first.alias("first")).first()
        assert found is not None
        if not found["count"]:
            return 0, ""
        told = self._told(
            coded, found["first"].asDict(recursive=True), dict(zip(shown, found["first"]["cells"], strict=True))
        )
        return int(found["count"]), told

    def _told(self, coded: Collection[str], first: dict[str, Any], cells: dict[str, str | None]) -> str:
        _, sources, text = self._checks(coded)[first["reason"]]
        name = unquote(str(first[FILE])).rpartition("/")[2]
        place = f"a row of {name}"
        if self.source.kind == "parquet":
            place = f"row {first[ROW]} (from 0) of {name}"
        elif (line := self.source.line_of(name, list(cells.values()), first["unfit"])) is not None:
            place = f"line {line} of {name}"
        held = ", ".join(
            f"{source} = {'(empty)' if cells[source] is None else repr(cells[source])}" for source in sources
        )
        if first["unfit"] is not None:
            held = repr(first["unfit"][:_LONGEST_LINE])
        return f"{place}: {text} ({held})"

    def _mapped_sources(self) -> tuple[str, ...]:
        """The columns of the file that anything is made of, each once."""
        found = list(time_sources(self.mapping, self.source)) if self.ts is not None else []
        found += [str(source) for name, source in self.mapping.columns.items() if name != "ts"]
        return tuple(dict.fromkeys(found))

    def _checks(self, coded: Collection[str]) -> list[tuple[Column, tuple[str, ...], str]]:
        """Every way in which a row can be unusable: the condition, the columns to show, and the words."""
        table = str(self.mapping.table)
        checks: list[tuple[Column, tuple[str, ...], str]] = [
            (self.frame[UNFIT].isNotNull(), (), "it has more or fewer values than there are columns")
        ]
        if self.ts is not None:
            names = time_sources(self.mapping, self.source)
            checks.append((self.ts.isNull(), names, self._time_words()))
        for key in self.keys:
            where = (key.source,)
            checks.append((key.unusable, where, f"{key.target} cannot be made of it, {key.complaint}"))
            if not key.nullable:
                checks.append((key.name.isNull(), where, f"{key.target} must not be empty"))
            if key.target not in coded:
                checks.append((is_negative(key), where, f"{key.target} must not be negative"))
        raw = {target: self._cleaned(str(self.mapping.columns[target])) for target in self.values}
        for target, typed in self.values.items():
            where = (str(self.mapping.columns[target]),)
            kind = dict(TABLES[table].columns)[target]
            checks.append((raw[target].isNotNull() & typed.isNull(), where, f"{target} ({kind}) cannot be made of it"))
            if target in NOT_NULL[table]:
                checks.append((raw[target].isNull(), where, f"{target} must not be empty once it is mapped"))
        return checks

    def _time_words(self) -> str:
        if "ts" not in self.mapping.columns:
            return f"date_sk must be 0 to {LAST_DATE_SK} and time_sk 0 to {SECONDS_PER_DAY - 1}"
        wanted = self.mapping.timestamp_format
        written = f"written as {wanted!r}" if wanted else "written as 'yyyy-MM-dd HH:mm:ss' (say --timestamp-format)"
        return f"it is no time from 1900 to 9999 {written}"

    def _cleaned(self, source: str) -> Column:
        return cleaned(source, self.frame.schema, self.mapping.null)


def judge(mapping: ColumnMapping, source: Source, frame: DataFrame) -> Judged:
    """Bind a resolved mapping to a file's rows; DatagenError for a type, format or condition that does not fit."""
    assert mapping.table is not None
    table, types = TABLES[mapping.table], frame.schema
    keys = key_columns(mapping, types, decoded=source.kind == "csv")
    taken = {"ts", table.date_column, table.time_column} | {key.target for key in keys}
    kinds = dict(table.columns)
    values = {
        target: cleaned(str(name), types, mapping.null).try_cast(kinds[target])
        for target, name in mapping.columns.items()
        if target not in taken
    }
    ts = seconds_since_1900(mapping, source, types) if table.is_stream else None
    return Judged(mapping, source, frame, ts, keys, values, _wanted(mapping, frame, types))


def check_columns(mapping: ColumnMapping, source: Source) -> None:
    """DatagenError that names the first column which the mapping asks for and the file does not have."""
    asked = [*(time_sources(mapping, source) if "ts" in mapping.columns else ())]
    asked += [str(name) for target, name in mapping.columns.items() if target != "ts"]
    asked += [column for column, _ in mapping.drop]
    for name in asked:
        if name not in source.columns:
            raise DatagenError(
                f"{source.files[0].name} has no column {name!r}: its columns are {listed(source.columns)}."
            )


def _wanted(mapping: ColumnMapping, frame: DataFrame, types: StructType) -> Column:
    wanted = F.lit(True)
    for column, value in mapping.drop:
        text = F.coalesce(F.col(quoted(column)).cast("string"), F.lit(""))
        wanted = wanted & (text != F.lit(value))
    if mapping.where is None:
        return wanted
    try:
        condition = F.expr(mapping.where)
        kind = frame.select(condition.alias("condition")).schema["condition"].dataType.simpleString()
    except (AnalysisException, ParseException) as problem:
        reason = " ".join(str(problem).split("\n\n")[0].split())
        raise DatagenError(f"The condition --where {mapping.where!r} does not fit the file: {reason}") from None
    if kind != "boolean":
        raise DatagenError(
            f"The condition --where {mapping.where!r} is a {kind}, not true or false: write a condition."
        )
    return wanted & F.coalesce(condition, F.lit(False))
