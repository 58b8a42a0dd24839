"""The newest result file of certain kinds: by the date and the kind in its name (`results.write`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from streambench.errors import StreambenchError
from streambench.lab.record.kind_command import command_of


def all_of(folder: Path | str, kinds: Sequence[str]) -> list[Path]:
    """All of them, oldest first."""
    ending = re.compile(rf"\d+T\d+Z-.*-\d+c-({'|'.join(kinds)})(-\d+)?\.json")
    return sorted(path for path in Path(folder).glob("*.json") if ending.fullmatch(path.name))


def newest(folder: Path | str, kinds: Sequence[str]) -> Path:
    """Raises StreambenchError where the folder has none."""
    files = all_of(folder, kinds)
    if not files:
        commands = " or ".join(f"`{command_of(kind)}`" for kind in kinds)
        raise StreambenchError(f"there is no result file of {commands} in {folder}: make one first")
    return files[-1]


def result_path(source: str, kinds: Sequence[str]) -> Path:
    """The file that ``source`` means: itself, the newest of a folder, or, for "latest", of results/."""
    path = Path("results") if source == "latest" else Path(source)
    return newest(path, kinds) if path.is_dir() or source == "latest" else path
