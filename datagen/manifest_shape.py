"""The shape of a data directory's `manifest.json`: what is there has the type that its readers count on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_KINDS_OF_VALUE: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "a number of rows": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "a file name": lambda value: isinstance(value, str) and value != "" and value.isprintable(),
    "a list of file names": lambda value: isinstance(value, list) and all(map(_KINDS_OF_VALUE["a file name"], value)),
    "an object": lambda value: isinstance(value, dict),
}
_TOP = {"kind": "text", "parameters": "an object", "versions": "an object", "tables": "an object"}
_TABLE = {"rows": "a number of rows", "files": "a list of file names", "sha256": "text"}


def misshapen(manifest: Mapping[str, Any]) -> str | None:
    """What has a wrong type in the parsed `manifest`, such as `table item: files is not a list of file names`.

    What is missing is not looked at: what a reader cannot do without differs from one to the other.
    """
    wrong = _wrong(manifest, _TOP)
    if wrong is not None:
        return wrong
    for name, entry in manifest.get("tables", {}).items():
        if not name.isidentifier():
            return f"{name!r} is no name of a table"
        wrong = _wrong(entry, _TABLE) if isinstance(entry, dict) else "its entry is not an object"
        if wrong is not None:
            return f"table {name}: {wrong}"
    listed = manifest.get("dictionaries")
    if listed is None:
        return None
    if not isinstance(listed, dict):
        return "dictionaries is not an object"
    wrong = _wrong(listed, dict.fromkeys(listed, "a file name"))
    return None if wrong is None else f"dictionaries: {wrong}"


def _wrong(entry: Mapping[str, Any], kinds: Mapping[str, str]) -> str | None:
    for name, kind in kinds.items():
        if name in entry and not _KINDS_OF_VALUE[kind](entry[name]):
            return f"{name} is not {kind}"
    return None
