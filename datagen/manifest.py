"""The manifest of a data directory: written last, so that an interrupted run is never taken for a finished one."""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from streambench.datagen.content import content_hash
from streambench.datagen.errors import DatagenError
from streambench.datagen.manifest_shape import misshapen
from streambench.datagen.tables import TABLES
from streambench.lab import atomic_file
from streambench.version import __version__

SCHEMA = 1
KINDS = ("datagen", "ingest")
FILE = "manifest.json"
MARKER = "_INCOMPLETE"
_MARKER_TEXT = "streambench: this directory is being written, or its writing was interrupted.\n"


def start(out: Path | str, overwrite: bool = False) -> None:
    """Make `out` ready to be written: an empty directory but for the marker `_INCOMPLETE`.

    What is there already stays, unless `overwrite` is given and it was made by datagen or ingest: then their
    own files go, and nothing else. Raises DatagenError for a directory in use or made by somebody else.
    """
    refuse_in_use(out, overwrite)
    out = Path(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / MARKER).write_text(
            _MARKER_TEXT, "utf-8"
        )  # first: if the deletion is cut short, the rest is still known as ours
        _remove_own(out)
    except OSError as error:
        raise _cannot_write(out, error) from error


def refuse_in_use(out: Path | str, overwrite: bool) -> None:
    """What `start` refuses, before slow work: a directory that is in use, or cannot be written to. Leaves nothing."""
    folder = out = Path(out)
    try:
        if out.exists() and not out.is_dir():
            raise DatagenError(f"{out} is a file: choose a directory.")
        if out.is_dir() and any(out.iterdir()):
            _refuse_data(out, overwrite)
        while not folder.exists():
            folder = folder.parent
        atomic_file.probe(folder, 1)
    except OSError as error:
        raise _cannot_write(out, error) from error


def reopen(out: Path | str) -> dict[str, Any]:
    """Mark a finished directory as being written again (to add a table); returns its manifest."""
    content = read(out)
    (Path(out) / MARKER).write_text(_MARKER_TEXT, "utf-8")
    return content


def finish(
    out: Path | str,
    *,
    kind: str,
    parameters: Mapping[str, Any],
    versions: Mapping[str, str],
    tables: Mapping[str, Sequence[str]],
    dictionaries: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Count and hash the tables' files, put the manifest in place at once, and only then take the marker away.

    `tables` maps each table to its files (relative to `out`, in replay order), `dictionaries` each column that has
    one to its file. `progress` is called with the number of rows hashed since the last call. Returns the manifest.
    """
    out = Path(out)
    described = {}
    for name, files in tables.items():
        rows, digest = content_hash([out / file for file in files], progress)
        described[name] = {"rows": rows, "files": list(files), "sha256": digest}
    manifest = {
        "schema": SCHEMA,
        "kind": kind,
        "version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "parameters": dict(parameters),
        "versions": dict(versions),
        "tables": described,
        "dictionaries": dict(dictionaries or {}),
    }
    atomic_file.replace(out / FILE, (json.dumps(manifest, indent=2) + "\n").encode())
    (out / MARKER).unlink(missing_ok=True)
    return manifest


def read(out: Path | str) -> dict[str, Any]:
    """The manifest of a finished directory.

    Raises DatagenError where the directory is missing, incomplete, or has no manifest that streambench wrote.
    """
    out = Path(out)
    if not out.is_dir():
        raise DatagenError(f"{out} is no directory: make one with `streambench data generate --out {out}`.")
    if (out / MARKER).exists():
        raise DatagenError(f"{out} is incomplete (its writing was interrupted): make it again with --overwrite.")
    content = _load(out)
    if content is None:
        raise DatagenError(
            f"{out} has no {FILE} of streambench: make it with `streambench data generate` or `data ingest`."
        )
    if content["schema"] != SCHEMA:
        raise DatagenError(f"{out / FILE} has schema {content['schema']}, this version reads {SCHEMA}: make it again.")
    wrong = misshapen(content) or _lacking(content)
    if wrong is not None:
        raise DatagenError(f"{out / FILE} is damaged ({wrong}): make the data again.")
    return content


def _lacking(content: dict[str, Any]) -> str | None:
    """What the manifest does not say of a table though it lists it."""
    for name, entry in content["tables"].items():
        if not {"rows", "files", "sha256"} <= entry.keys():
            return f"table {name} lacks its rows, its files or their hash"
        if content["kind"] == "ingest":
            try:
                keys = content["parameters"]["tables"][name]["keys"]
                known = all(isinstance(held, str) for held in keys.values())
            except (KeyError, TypeError, AttributeError):
                known = False
            if not known:
                return f"the parameters do not say what keys table {name} has"
    return None


def abandon(out: Path | str) -> None:
    """After a failure: remove what was written, the marker last; if even that fails, the marker stays."""
    out = Path(out)
    if (out / MARKER).exists():
        with suppress(OSError):
            _remove_own(out)
            (out / MARKER).unlink()
            out.rmdir()


def is_ours(out: Path) -> bool:
    """Whether datagen or ingest made this directory: it has their manifest or their marker."""
    with suppress(OSError, UnicodeDecodeError):
        if (out / MARKER).read_text("utf-8") == _MARKER_TEXT:
            return True
    return _load(out) is not None


def _refuse_data(out: Path, overwrite: bool) -> None:
    if not is_ours(out):
        raise DatagenError(f"{out} holds files that streambench did not make: choose an empty or new directory.")
    if not overwrite:
        state = "an interrupted run's data" if (out / MARKER).exists() else "data"
        raise DatagenError(f"{out} already holds {state}: choose another directory, or add --overwrite.")


def _cannot_write(out: Path | str, error: OSError) -> DatagenError:
    return DatagenError(f"Cannot write to {out} ({error.strerror}): choose another directory.")


def _load(out: Path) -> dict[str, Any] | None:
    try:
        content = json.loads((out / FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("kind") not in KINDS or not isinstance(content.get("tables"), dict):
        return None
    return content if isinstance(content.get("schema"), int) else None


def _remove_own(out: Path) -> None:
    """Everything that streambench writes into a data directory, but for the marker."""
    for name in (*TABLES, "dictionaries", ".oracle"):
        path = out / name
        if path.is_symlink():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    for path in (out / FILE, *out.glob(".replay-order-*.json"), *out.glob(f"{atomic_file.PREFIX}*")):
        path.unlink(missing_ok=True)
