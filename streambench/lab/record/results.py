"""Result documents: append-only, dated JSON files, one per machine and run, that hold how and where they were measured.

A document is {"schema", "kind", "created", "version", "git", "machine", "warnings", "parameters", "runs", "summary"};
a file has all but the summary. `results/README.md` tells what each holds.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from streambench.errors import StreambenchError
from streambench.lab import atomic_file
from streambench.lab.host.machine import slug, title
from streambench.lab.record import (
    cluster_bench_summary,
    gate_summary,
    join_summary,
    limits_summary,
    peers_summary,
    perf_summary,
    rate_search_summary,
    simulation_summary,
    snet_summary,
    stream_bench_summary,
    sweep_summary,
    topk_summary,
    validation_summary,
)
from streambench.lab.record.configuration import complete
from streambench.lab.record.kind_command import command_of
from streambench.lab.record.run import Plain, Row
from streambench.lab.record.summary import summarise
from streambench.version import __version__

__all__ = ["SCHEMA", "check_folder", "commit", "document", "read", "read_of", "summarise", "whole", "write"]

SUMMARIES = (
    *(cluster_bench_summary, gate_summary, join_summary, limits_summary, peers_summary),
    *(perf_summary, rate_search_summary, simulation_summary, snet_summary, stream_bench_summary, sweep_summary),
    *(topk_summary, validation_summary),
)
"""Of each kind that is not summed up as a bench's runs are."""

SCHEMA = 2
DIGITS = 9  # of a number that is not whole: a clock's last digits are noise, and take a tenth of a file
PROBE_BYTES = 1 << 20  # a journal and a result take less
REQUIRED = ("kind", "created", "version", "machine", "parameters", "runs")
# At least one folder and a name, after a drive, a home sign or nothing: "/a/b", "~/a", "C:\\a\\b"; never "tuples/s".
ENCODED = (
    "latency_histogram",
    "latency_end_to_end_histogram",
    "samples",  # of a profile
)  # texts that may look like paths, and are none
EXACT = (*ENCODED, "micro", "profiles", "times_ns")  # all digits: what was asked for, and what is simulated again
PATH = re.compile(r"(?<![\w.:/\\-])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\'\",;:()]+[/\\])*([^\s/\\'\",;:()]+)")


def document(
    kind: str,
    parameters: Mapping[str, Any],
    runs: Sequence[Mapping[str, Any]],
    machine: Mapping[str, Any],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """A result document of now. `machine` and `warnings` are those found before the first run, when it was idle."""
    return {
        **head(kind, machine),
        "warnings": list(warnings),
        "parameters": dict(parameters),
        "runs": [dict(run) for run in runs],
        "summary": _summary(kind, runs),
    }


def head(kind: str, machine: Mapping[str, Any], schema: int = SCHEMA) -> dict[str, Any]:
    """What every document begins with: of what kind it is, and when, by what and where it was made."""
    return {
        "schema": schema,
        "kind": kind,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "git": commit(),
        "machine": dict(machine),
    }


def write(document: Mapping[str, Any], folder: Path | str = "results") -> Path:
    """Write the document to <folder>/<UTC date and time>-<machine>-<kind>.json and return that path.

    Never overwrites, and leaves no partial file. Paths in it are cut down to their last name, numbers that are not
    finite become null. Raises StreambenchError where the file cannot be written.
    """
    created = datetime.fromisoformat(str(document["created"])).astimezone(UTC)
    stem = f"{created:%Y%m%dT%H%M%SZ}-{slug(document['machine'])}-{document['kind']}"
    folder = Path(folder)
    names = (f"{stem}{more}.json" for more in itertools.chain([""], (f"-{n}" for n in range(2, 1000))))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return atomic_file.create(folder, names, content(document))
    except OSError as error:
        raise _cannot_write(folder, error) from error


def content(document: Mapping[str, Any]) -> bytes:
    """The document as a file has it: without the summary, which ``read`` computes; paths cut down to their last name,
    numbers that are not finite null."""
    kept = {name: value for name, value in document.items() if name != "summary"}
    return (json.dumps(plain(kept), separators=(",", ":"), allow_nan=False) + "\n").encode()


NAME_ONE = "name one that bench, sweep, perf or another command that measures has written to results/"


def _not_json(path: Path, error: ValueError) -> str:
    if not path.stat().st_size:
        return "it is empty"
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    whole = path.read_bytes().rstrip().endswith((b"}", b"]"))
    return f"it is not JSON ({error})" if whole else "it is not JSON, or ends in its middle"


def read(path: Path | str, instead: str = NAME_ONE) -> dict[str, Any]:
    """The document in a file, with its summary computed from its runs. ``instead``: what to do where it is no result
    file.

    Raises StreambenchError where it is missing, not JSON, of another schema, or not whole.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StreambenchError(f"the result file {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise StreambenchError(f"{path} is not a result file: {_not_json(path, error)}; {instead}") from error
    if not isinstance(content, dict) or "schema" not in content:
        raise StreambenchError(f"{path} is not a result file: it has no schema version; {instead}")
    if content["schema"] != SCHEMA:
        raise StreambenchError(
            f"{path} has schema {content['schema']!r}, and streambench {__version__} reads schema {SCHEMA}: read it "
            "with the version that wrote it, or measure again"
        )
    missing = [name for name in REQUIRED if name not in content]
    if missing:
        one = "one run of `streambench run --json`, and" if "query" in content else "not a whole result file:"
        raise StreambenchError(f"{path} is {one} it lacks {', '.join(missing)}; {instead}")
    if not isinstance(content["kind"], str):
        raise StreambenchError(f"{path} is not a whole result file: its kind is {content['kind']!r}; {instead}")
    with whole(path, "its date is not told"):
        datetime.fromisoformat(content["created"])
    with whole(path, "its machine is not told"):
        title(content["machine"])
    with whole(path, "its parameters are not told"):
        dict(content["parameters"].items())
    with whole(path, "its runs cannot be summed up"):
        for run in content["runs"]:
            complete(run)
        content["summary"] = _summary(content["kind"], content["runs"])
    return content


def read_of(path: Path | str, kind: str) -> dict[str, Any]:
    """The document of that ``kind`` in a file, to be shown. Raises StreambenchError as ``read`` does, for another kind,
    and for one without runs, of which there is nothing to show."""
    document = read(path)
    if document.get("kind") != kind:
        raise StreambenchError(
            f"{path} is a result of `{command_of(document.get('kind'))}`, not of `{command_of(kind)}`"
        )
    if not document["runs"]:
        raise StreambenchError(f"{path} holds no runs, so there is nothing to show: name another result")
    return document


@contextmanager
def whole(path: Path | str, otherwise: str) -> Iterator[None]:
    """What takes the parts of a result file apart: where one is missing or of a wrong type, StreambenchError says what
    cannot be told ``otherwise``."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        raise StreambenchError(
            f"{path} is not a whole result file: {otherwise} ({type(problem).__name__}: {problem})"
        ) from problem


def check_folder(folder: Path) -> None:
    """Raise StreambenchError for a folder that no result can be written to, as far as can be seen before a long run.

    Nothing is left behind, and a folder that is not there yet is not made.
    """
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        atomic_file.probe(there, PROBE_BYTES)
    except OSError as error:
        raise _cannot_write(folder, error) from error


def commit() -> str | None:
    """The source tree's git commit, with "-dirty" when it has changes; of a pack the commit that it was made of.

    None where this is neither.
    """
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():  # an installed package may lie inside someone else's repository
        return os.environ.get("STREAMBENCH_COMMIT") or None
    revision = _git(root, "rev-parse", "--short=12", "HEAD")
    if not revision:
        return None
    # New result files do not change what was measured.
    return revision + ("-dirty" if _git(root, "status", "--porcelain", "--", ".", ":!results") else "")


def _summary(kind: str, runs: Sequence[Plain]) -> list[Row]:
    summaries: dict[str, Callable[[Sequence[Plain]], list[Row]]] = {each.KIND: each.rows for each in SUMMARIES}
    return {**summaries, gate_summary.PROOF: gate_summary.proof_rows}.get(kind, summarise)(runs)


def _cannot_write(folder: Path, error: OSError) -> StreambenchError:
    return StreambenchError(
        f"the result cannot be written to {folder}: {error.strerror or error}; "
        "make room or choose another folder with --results"
    )


def plain(value: Any) -> Any:
    """The value as JSON can hold it, floats with the digits that are kept, without paths."""
    if isinstance(value, Mapping):
        return {str(key): item if key in EXACT else plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return value if value.is_integer() else float(f"{value:.{DIGITS}g}")
    if isinstance(value, Path):
        return value.name
    if isinstance(value, str):
        return PATH.sub(r"\1", value)
    return value


def _git(root: Path, *words: str) -> str:
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
