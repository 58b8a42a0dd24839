"""An evaluation's archive: result files, logs and the machine. Written where it ran, read where its results belong."""

from __future__ import annotations

import io
import json
import re
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from streambench.errors import StreambenchError
from streambench.lab import atomic_file
from streambench.lab.evaluation.evaluate import PartRun
from streambench.lab.host.machine import describe, slug
from streambench.lab.record import results

MOST_BYTES = 15_000_000
TOP = "streambench-evaluation"
RESULT = re.compile(rf"{TOP}/results/(\d+T\d+Z-[a-z0-9-]+\.json)")


def write(folder: Path) -> tuple[Path, list[str]]:
    """Write the archive of an evaluation in ``folder`` beside what it holds; returns its path, and what was left out to
    keep it small: journals first, then logs. Raises StreambenchError where the results alone are too large, or the
    archive cannot be written.
    """
    when = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    files = [*_files(folder)]
    left_out: list[str] = []
    content = _packed(folder, files)
    droppable = sorted(files, key=lambda path: (not path.name.startswith("unfinished-"), -path.stat().st_size))
    for path in droppable:
        if len(content) <= MOST_BYTES:
            break
        if path.suffix != ".json":
            files.remove(path)
            left_out.append(str(path.relative_to(folder)))
            content = _packed(folder, files)
    if len(content) > MOST_BYTES:
        raise StreambenchError(
            f"the results are too large for an archive ({MOST_BYTES:,} bytes): take them from {folder}."
        )
    stem = f"{TOP}-{when}-{slug(describe())}"
    names = (f"{stem}{more}.tar.gz" for more in ("", *(f"-{n}" for n in range(2, 1000))))
    try:
        return atomic_file.create(folder, names, content), left_out
    except OSError as problem:
        reason = problem.strerror or problem
        raise StreambenchError(
            f"the archive cannot be written ({reason}): make room, or take the results from {folder / 'results'}."
        ) from problem


def take_in(archive: Path, folder: Path) -> tuple[list[Path], list[PartRun]]:
    """Put the archive's results into ``folder``; returns their paths, and how the parts went.

    A file that is there already is left as it is. Raises StreambenchError where the archive is none, holds a file that
    is no result, or one that differs from what is there: then nothing is put there.
    """
    parts: list[PartRun] = []
    found: dict[Path, bytes] = {}
    try:
        with tarfile.open(archive, "r:gz") as opened:
            for member in opened:
                if match := RESULT.fullmatch(member.name):
                    found[folder / match[1]] = _content(opened, member)
                elif member.name == f"{TOP}/evaluation.json":
                    parts = [PartRun(**each) for each in json.loads(_content(opened, member))["parts"]]
    except (OSError, EOFError, tarfile.TarError, zlib.error, LookupError, TypeError, ValueError) as problem:
        raise StreambenchError(f"{archive} is not an archive of `streambench evaluate` ({problem}).") from problem
    if not found:
        raise StreambenchError(f"{archive} holds no results: name an archive that `streambench evaluate` has written.")
    for path, content in found.items():
        if path.exists() and path.read_bytes() != content:
            raise StreambenchError(f"{path} is there and differs from the archive's: choose another folder.")
    with tempfile.TemporaryDirectory() as drafts:
        for path, content in found.items():
            draft = Path(drafts) / path.name
            draft.write_bytes(content)
            try:
                results.read(draft)
            except StreambenchError as problem:
                raise StreambenchError(f"{archive}: {str(problem).replace(str(draft), path.name)}") from problem
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in found.items():
        if not path.exists():
            atomic_file.create(folder, [path.name], content)
    return sorted(found), parts


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.glob("*")) if path.name.startswith(("machine.", "evaluation.")))
    for name in ("results", "logs"):
        yield from (path for path in sorted((folder / name).glob("*")) if path.is_file())


def _packed(folder: Path, files: list[Path]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        for path in files:
            archive.add(path, f"{TOP}/{path.relative_to(folder)}", filter=_of_nobody)
    return whole.getvalue()


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _content(opened: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = opened.extractfile(member)
    if file is None:
        raise ValueError(f"{member.name} is no file")
    return file.read()
