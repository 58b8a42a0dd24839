"""A mapping from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.mapping import EVERY, ColumnMapping

_TOML_KEYS = ("table", "where", "dictionary", "null", "columns", "timestamp", "drop", "csv")
_CSV_KEYS = ("delimiter", "header", "encoding", "multiline")


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
    if "null" in document and not isinstance(document["null"], dict):
        raise DatagenError(
            f'Mapping file {path}: null must say for which column: a section [null] with NAME = "TEXT", '
            f'or "{EVERY}" = "TEXT" for every mapped column.'
        )
    null = _section(path, document, "null")
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
        null={name: _texts(path, f"null.{name}", value) for name, value in null.items()},
        delimiter=_typed(path, "csv.delimiter", csv.get("delimiter"), str),
        header=_typed(path, "csv.header", csv.get("header"), bool),
        encoding=_typed(path, "csv.encoding", csv.get("encoding"), str),
        multiline=_typed(path, "csv.multiline", csv.get("multiline"), bool),
    )


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
        expected = "true or false" if kind is bool else "a text in quotes"
        raise DatagenError(f"Mapping file {path}: {key} must be {expected}, not {value!r}.")
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
