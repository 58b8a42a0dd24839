"""Which column of a user's file becomes which column of a table: given on the command line, in TOML, or from Python."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field, fields, replace
from typing import Any

from streambench.datagen.errors import DatagenOptionError
from streambench.datagen.tables import TABLES


@dataclass(frozen=True)
class Named:
    """A column of a table with the short name that a user may write for it.

    Keys that mean the same thing in several tables share one dictionary, of the name `shared`, so that they can be
    joined. Without a `needed` column the table is of no use to any query; the rest may stay unmapped (null). A `filled`
    one may not be null once it is mapped: the harness refuses a null there.
    """

    short: str
    name: str
    shared: str | None = None
    needed: bool = False
    filled: bool = False


_NAMED = {
    "store_sales": (
        Named("date_sk", "ss_sold_date_sk"),
        Named("time_sk", "ss_sold_time_sk"),
        Named("ticket", "ss_ticket_number", "ticket", needed=True, filled=True),
        Named("item", "ss_item_sk", "item", needed=True, filled=True),
        Named("store", "ss_store_sk", "store"),
        Named("customer", "ss_customer_sk", "customer"),
        Named("quantity", "ss_quantity"),
        Named("net_paid", "ss_net_paid", filled=True),
    ),
    "web_clickstreams": (
        Named("date_sk", "wcs_click_date_sk"),
        Named("time_sk", "wcs_click_time_sk"),
        Named("user", "wcs_user_sk", "customer", needed=True),
        Named("item", "wcs_item_sk", "item"),
        Named("sales", "wcs_sales_sk", "sales"),
        Named("page", "wcs_web_page_sk", "page"),
    ),
    "ad_events": (
        Named("date_sk", "ae_date_sk"),
        Named("time_sk", "ae_time_sk"),
        Named("ad", "ae_ad_sk", "ad", needed=True),
        Named("event", "ae_event_type", needed=True),
        Named("user", "ae_user_sk", "customer"),
        Named("page", "ae_page_sk", "page"),
    ),
    "item": (
        Named("item", "i_item_sk", "item", needed=True, filled=True),
        Named("category", "i_category_id", "category", needed=True),
        Named("price", "i_current_price"),
    ),
    "web_page": (
        Named("page", "wp_web_page_sk", "page", needed=True, filled=True),
        Named("type", "wp_type", needed=True),
    ),
    "ads": (
        Named("ad", "a_ad_sk", "ad", needed=True, filled=True),
        Named("campaign", "a_campaign_sk", "campaign", needed=True),
    ),
}
ALIASES = {table: {one.short: one.name for one in columns} for table, columns in _NAMED.items()}
NOT_NULL = {table: {one.name for one in columns if one.filled} for table, columns in _NAMED.items()}
SHARED_KEYS = {one.name: one.shared for columns in _NAMED.values() for one in columns if one.shared is not None}
# `ts` stands for both.
TIME_COLUMNS = {name: table.time_columns for name, table in TABLES.items() if table.is_stream}

TIMESTAMP_DEFAULT = "yyyy-MM-dd HH:mm:ss"
EPOCHS = {"epoch": 1, "epoch-ms": 1000}
EVERY = "*"  # in `null`: every mapped column but the time


@dataclass(frozen=True)
class ColumnMapping:
    """How a file becomes a table.

    `columns` maps a column of the table, or `ts`, to a column of the file or to an expression over several (for `ts`,
    `+` joins texts instead); `drop` lists (column of the file, value) pairs whose rows are left out; `where` is a SQL
    condition over the file's columns that a row must meet; `dictionary` lists the keys that get a dictionary even if
    they are integers; `null` maps a column of the table, or `*` for every one, to the texts that mean "no value" in
    it. The last four say how a CSV file is written.
    """

    table: str | None = None
    columns: MappingABC[str, str | tuple[str, ...]] = field(default_factory=dict)
    timestamp_format: str | None = None
    drop: tuple[tuple[str, str], ...] = ()
    where: str | None = None
    dictionary: tuple[str, ...] = ()
    null: dict[str, tuple[str, ...]] = field(default_factory=dict)
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    multiline: bool | None = None

    def over(self, other: ColumnMapping) -> ColumnMapping:
        """This mapping laid over `other`: what is set here wins, lists and columns are joined."""
        merged: dict[str, Any] = {}
        for entry in fields(self):
            mine, theirs = getattr(self, entry.name), getattr(other, entry.name)
            if entry.name == "null":
                merged["null"] = {
                    name: _joined(theirs.get(name, ()), mine.get(name, ())) for name in {**theirs, **mine}
                }
            elif isinstance(mine, dict):
                merged[entry.name] = {**theirs, **mine}
            elif isinstance(mine, tuple):
                merged[entry.name] = _joined(theirs, mine)
            else:
                merged[entry.name] = theirs if mine is None else mine
        return ColumnMapping(**merged)

    def resolved(self, all_columns: Iterable[str]) -> ColumnMapping:
        """The same with every short name replaced by the table's column name.

        `all_columns` are the table's columns. DatagenOptionError for an unknown table or name, a column mapped twice,
        or a column that is needed and not mapped.
        """
        table = check_table(self.table)
        known = list(all_columns)
        columns: dict[str, str | tuple[str, ...]] = {}
        for name, source in self.columns.items():
            full = _full_name(table, name, known)
            if full in columns:
                raise DatagenOptionError(f"Column {full} of {table} is mapped twice: keep one mapping for it.")
            columns[full] = source
        dictionary = tuple(_full_name(table, name, known) for name in self.dictionary)
        for full in dictionary:
            if full not in SHARED_KEYS and not full.endswith("_sk"):
                raise DatagenOptionError(
                    f"{full} is not a key, so it cannot have a dictionary: leave --dictionary out for it."
                )
            if full not in columns:
                raise DatagenOptionError(f"--dictionary names {full}, which is not mapped: add --map for it.")
        null: dict[str, tuple[str, ...]] = {}
        for name, texts in self.null.items():
            full = name if name == EVERY else _full_name(table, name, known)
            if full == "ts" or full in TIME_COLUMNS.get(table, ()):
                raise DatagenOptionError(
                    "--null names the time, which every row must have: leave rows out with --drop instead."
                )
            if full != EVERY and full not in columns:
                raise DatagenOptionError(f"--null names {full}, which is not mapped: add --map for it.")
            null[full] = _joined(null.get(full, ()), texts)
        _check_complete(table, columns)
        return replace(self, table=table, columns=columns, dictionary=dictionary, null=null)

    def null_texts(self, target: str) -> tuple[str, ...]:
        """The texts that mean "no value" in a column of the table, given by its full name."""
        return _joined(self.null.get(EVERY, ()), self.null.get(target, ()))

    def described(self) -> dict[str, Any]:
        """What is set, ready for a manifest."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, (), {})}


def check_table(table: str | None) -> str:
    """The table's name if it is one that ingest can make; DatagenOptionError otherwise."""
    if table is None:
        raise DatagenOptionError(
            f"Say which table the file becomes: --table {'|'.join(ALIASES)} (or `table` in the TOML file)."
        )
    if table not in ALIASES:
        raise DatagenOptionError(f"{table!r} is not a table that ingest makes: choose one of {', '.join(ALIASES)}.")
    return table


def from_pairs(pairs: Iterable[str]) -> dict[str, str | tuple[str, ...]]:
    """`NAME=COLUMN` texts of the command line as a dict; DatagenOptionError where one is of another form or doubled."""
    columns: dict[str, str | tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, source = pair.partition("=")
        if not equals or not name.strip() or not source:
            raise DatagenOptionError(f"--map {pair!r} is not of the form NAME=COLUMN, such as --map item=Product.")
        if name.strip() in columns:
            raise DatagenOptionError(f"--map {name.strip()} is given twice: keep one.")
        columns[name.strip()] = source
    return columns


def drops_from_pairs(pairs: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """`COLUMN=VALUE` texts as pairs; the value may be empty, which drops rows without one."""
    drops = []
    for pair in pairs:
        column, equals, value = pair.partition("=")
        if not equals or not column:
            raise DatagenOptionError(f"--drop {pair!r} is not of the form COLUMN=VALUE, such as --drop Item=NONE.")
        drops.append((column, value))
    return tuple(drops)


def nulls_from_pairs(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """`NAME=TEXT` texts as the texts of each column; DatagenOptionError where one is not of that form."""
    nulls: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise DatagenOptionError(
                f"--null {pair!r} does not say for which column: write NAME=TEXT, such as --null sales={pair or 0}, "
                f"or '{EVERY}={pair or 0}' for every mapped column."
            )
        nulls[name.strip()] = _joined(nulls.get(name.strip(), ()), (text,))
    return nulls


def _joined(first: tuple[Any, ...], then: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*first, *then)))


def _full_name(table: str, name: str, known: list[str]) -> str:
    full = ALIASES[table].get(name, name)
    if full in known or (full == "ts" and table in TIME_COLUMNS):
        return full
    short = [*(["ts"] if table in TIME_COLUMNS else []), *ALIASES[table]]
    raise DatagenOptionError(
        f"{name!r} is no column of {table}: map {', '.join(short)}, or a full column name such as {known[0]}."
    )


def _check_complete(table: str, columns: MappingABC[str, object]) -> None:
    if table in TIME_COLUMNS:
        whole, parts = "ts" in columns, [part in columns for part in TIME_COLUMNS[table]]
        if whole and any(parts):
            raise DatagenOptionError("The time is mapped twice: map either ts, or date_sk and time_sk.")
        if not whole and not all(parts):
            raise DatagenOptionError(
                f"{table} needs the time of each row: map ts=COLUMN (or ts=DATE+TIME), or both date_sk and time_sk."
            )
    missing = [one.short for one in _NAMED[table] if one.needed and one.name not in columns]
    if missing:
        raise DatagenOptionError(f"{table} needs {' and '.join(missing)}: add --map {missing[0]}=COLUMN.")
