"""Which column of a user's file becomes which column of a table: given on the command line, in TOML, or from Python."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from streambench.datagen.errors import DatagenError

TIME_COLUMNS = {
    "store_sales": ("ss_sold_date_sk", "ss_sold_time_sk"),
    "web_clickstreams": ("wcs_click_date_sk", "wcs_click_time_sk"),
}

# The short names a user may write for a table's columns. `ts` stands for both time columns.
ALIASES: dict[str, dict[str, str]] = {
    "store_sales": {
        "date_sk": "ss_sold_date_sk",
        "time_sk": "ss_sold_time_sk",
        "ticket": "ss_ticket_number",
        "item": "ss_item_sk",
        "store": "ss_store_sk",
        "customer": "ss_customer_sk",
        "quantity": "ss_quantity",
        "net_paid": "ss_net_paid",
    },
    "web_clickstreams": {
        "date_sk": "wcs_click_date_sk",
        "time_sk": "wcs_click_time_sk",
        "user": "wcs_user_sk",
        "item": "wcs_item_sk",
        "sales": "wcs_sales_sk",
        "page": "wcs_web_page_sk",
    },
    "item": {"item": "i_item_sk", "category": "i_category_id", "price": "i_current_price"},
    "web_page": {"page": "wp_web_page_sk", "type": "wp_type"},
}

# Without these the table is of no use to any query; the rest may stay unmapped (null).
REQUIRED: dict[str, tuple[str, ...]] = {
    "store_sales": ("ss_ticket_number", "ss_item_sk"),
    "web_clickstreams": ("wcs_user_sk",),
    "item": ("i_item_sk", "i_category_id"),
    "web_page": ("wp_web_page_sk", "wp_type"),
}

# Columns that may not be null once they are mapped: the harness refuses a null there.
NOT_NULL: dict[str, tuple[str, ...]] = {
    "store_sales": ("ss_ticket_number", "ss_item_sk", "ss_net_paid"),
    "web_clickstreams": (),
    "item": ("i_item_sk",),
    "web_page": ("wp_web_page_sk",),
}

# Keys that mean the same thing in several tables share one dictionary, so that they can be joined.
SHARED_KEYS = {
    "ss_item_sk": "item",
    "wcs_item_sk": "item",
    "i_item_sk": "item",
    "wcs_web_page_sk": "page",
    "wp_web_page_sk": "page",
    "ss_customer_sk": "customer",
    "wcs_user_sk": "customer",
    "ss_ticket_number": "ticket",
    "wcs_sales_sk": "sales",
    "ss_store_sk": "store",
    "i_category_id": "category",
}

TIMESTAMP_DEFAULT = "yyyy-MM-dd HH:mm:ss"
EPOCHS = {"epoch": 1, "epoch-ms": 1000}
_TOML_KEYS = ("table", "where", "dictionary", "null", "columns", "timestamp", "drop", "csv")
_CSV_KEYS = ("delimiter", "header", "encoding", "multiline")


@dataclass(frozen=True)
class ColumnMapping:
    """How a file becomes a table.

    `columns` maps a full column name, or `ts`, to a column of the file (`ts` may join several with `+`);
    `drop` lists (column of the file, value) pairs whose rows are left out; `where` is a SQL condition over the file's
    columns that a row must meet; `dictionary` lists the keys that get a dictionary even if they are integers;
    `null` lists texts that mean "no value". The last four say how a CSV file is written.
    """

    table: str | None = None
    columns: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    timestamp_format: str | None = None
    drop: tuple[tuple[str, str], ...] = ()
    where: str | None = None
    dictionary: tuple[str, ...] = ()
    null: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    multiline: bool | None = None

    def over(self, other: ColumnMapping) -> ColumnMapping:
        """This mapping laid over `other`: what is set here wins, lists and columns are joined."""
        merged: dict[str, Any] = {}
        for entry in fields(self):
            mine, theirs = getattr(self, entry.name), getattr(other, entry.name)
            if isinstance(mine, dict):
                merged[entry.name] = {**theirs, **mine}
            elif isinstance(mine, tuple):
                merged[entry.name] = (*theirs, *(value for value in mine if value not in theirs))
            else:
                merged[entry.name] = theirs if mine is None else mine
        return ColumnMapping(**merged)

    def resolved(self, all_columns: Iterable[str]) -> ColumnMapping:
        """The same with every short name replaced by the table's column name.

        `all_columns` are the table's columns. DatagenError for an unknown table or name, a column mapped twice,
        or a column that is needed and not mapped.
        """
        table = check_table(self.table)
        known = list(all_columns)
        columns: dict[str, str | tuple[str, ...]] = {}
        for name, source in self.columns.items():
            full = _full_name(table, name, known)
            if full in columns:
                raise DatagenError(f"Column {full} of {table} is mapped twice: keep one mapping for it.")
            columns[full] = source
        dictionary = tuple(_full_name(table, name, known) for name in self.dictionary)
        for full in dictionary:
            if full not in SHARED_KEYS and not full.endswith("_sk"):
                raise DatagenError(
                    f"{full} is not a key, so it cannot have a dictionary: leave --dictionary out for it."
                )
            if full not in columns:
                raise DatagenError(f"--dictionary names {full}, which is not mapped: add --map for it.")
        _check_complete(table, columns)
        return replace(self, table=table, columns=columns, dictionary=dictionary)

    def described(self) -> dict[str, Any]:
        """What is set, ready for a manifest."""
        found = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {name: value for name, value in found.items() if value not in (None, (), {})}


def check_table(table: str | None) -> str:
    """The table's name if it is one that ingest can make; DatagenError otherwise."""
    if table is None:
        raise DatagenError(
            f"Say which table the file becomes: --table {'|'.join(ALIASES)} (or `table` in the TOML file)."
        )
    if table not in ALIASES:
        raise DatagenError(f"{table!r} is not a table that ingest makes: choose one of {', '.join(ALIASES)}.")
    return table


def from_pairs(pairs: Iterable[str]) -> dict[str, str | tuple[str, ...]]:
    """`NAME=COLUMN` texts of the command line as a dict; DatagenError where one is not of that form or comes twice."""
    columns: dict[str, str | tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, source = pair.partition("=")
        if not equals or not name.strip() or not source:
            raise DatagenError(f"--map {pair!r} is not of the form NAME=COLUMN, such as --map item=Product.")
        if name.strip() in columns:
            raise DatagenError(f"--map {name.strip()} is given twice: keep one.")
        columns[name.strip()] = source
    return columns


def drops_from_pairs(pairs: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """`COLUMN=VALUE` texts as pairs; the value may be empty, which drops rows without one."""
    drops = []
    for pair in pairs:
        column, equals, value = pair.partition("=")
        if not equals or not column:
            raise DatagenError(f"--drop {pair!r} is not of the form COLUMN=VALUE, such as --drop Item=NONE.")
        drops.append((column, value))
    return tuple(drops)


def from_toml(path: str | Path) -> ColumnMapping:
    """Read a mapping from a TOML file; DatagenError where it is missing, not TOML, or holds an unknown key."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            document = tomllib.load(file)
    except FileNotFoundError:
        raise DatagenError(f"There is no mapping file {path}: check the name given to --mapping.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise DatagenError(f"Mapping file {path} is not valid TOML: {problem}.") from None
    except OSError as problem:
        raise DatagenError(f"Mapping file {path} cannot be read: {problem.strerror}.") from None
    _known_keys(path, "", document, _TOML_KEYS)
    timestamp = _section(path, document, "timestamp", ("format",))
    csv = _section(path, document, "csv", _CSV_KEYS)
    return ColumnMapping(
        table=_typed(path, "table", document.get("table"), str),
        columns={name: _source(path, name, value) for name, value in _section(path, document, "columns").items()},
        timestamp_format=_typed(path, "timestamp.format", timestamp.get("format"), str),
        drop=tuple(
            (column, text)
            for column, values in _section(path, document, "drop").items()
            for text in _texts(path, f"drop.{column}", values)
        ),
        where=_typed(path, "where", document.get("where"), str),
        dictionary=_texts(path, "dictionary", document.get("dictionary", [])),
        null=_texts(path, "null", document.get("null", [])),
        delimiter=_typed(path, "csv.delimiter", csv.get("delimiter"), str),
        header=_typed(path, "csv.header", csv.get("header"), bool),
        encoding=_typed(path, "csv.encoding", csv.get("encoding"), str),
        multiline=_typed(path, "csv.multiline", csv.get("multiline"), bool),
    )


def _full_name(table: str, name: str, known: list[str]) -> str:
    full = ALIASES[table].get(name, name)
    if full in known or (full == "ts" and table in TIME_COLUMNS):
        return full
    short = [*(["ts"] if table in TIME_COLUMNS else []), *ALIASES[table]]
    raise DatagenError(
        f"{name!r} is no column of {table}: map {', '.join(short)}, or a full column name such as {known[0]}."
    )


def _check_complete(table: str, columns: MappingABC[str, object]) -> None:
    if table in TIME_COLUMNS:
        whole, parts = "ts" in columns, [part in columns for part in TIME_COLUMNS[table]]
        if whole and any(parts):
            raise DatagenError("The time is mapped twice: map either ts, or date_sk and time_sk.")
        if not whole and not all(parts):
            raise DatagenError(
                f"{table} needs the time of each row: map ts=COLUMN (or ts=DATE+TIME), or both date_sk and time_sk."
            )
    short = {full: name for name, full in ALIASES[table].items()}
    missing = [short[full] for full in REQUIRED[table] if full not in columns]
    if missing:
        raise DatagenError(f"{table} needs {' and '.join(missing)}: add --map {missing[0]}=COLUMN.")


def _known_keys(path: Path, where: str, section: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in section:
        if key not in known:
            place = f" in [{where}]" if where else ""
            raise DatagenError(f"Mapping file {path} has an unknown key {key!r}{place}: known are {', '.join(known)}.")


def _section(path: Path, document: dict[str, Any], name: str, known: tuple[str, ...] | None = None) -> dict[str, Any]:
    section = document.get(name, {})
    if not isinstance(section, dict):
        raise DatagenError(f"Mapping file {path}: [{name}] must be a section of keys and values.")
    if known is not None:
        _known_keys(path, name, section, known)
    return section


def _typed(path: Path, key: str, value: Any, kind: type) -> Any:
    if value is not None and not isinstance(value, kind):
        wanted = "true or false" if kind is bool else "a text in quotes"
        raise DatagenError(f"Mapping file {path}: {key} must be {wanted}, not {value!r}.")
    return value


def _source(path: Path, name: str, value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str) and value:
        return value
    if name == "ts" and isinstance(value, list) and value and all(isinstance(part, str) and part for part in value):
        return tuple(value)
    raise DatagenError(f"Mapping file {path}: columns.{name} must be a column of your file as a text, not {value!r}.")


def _texts(path: Path, key: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in values):
        raise DatagenError(f"Mapping file {path}: {key} must be a text or a list of texts, not {value!r}.")
    return tuple(values)
