"""Files that a command reads, and must not write over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from streambench.errors import StreambenchError


def keep_inputs(places: Mapping[str, Path], files: Iterable[Path], named: Sequence[str], used: str) -> None:
    """Raise StreambenchError for an output, by its option, that is one of ``files``, or would be one the next time.

    ``named``: what the user named, files or folders; ``used``: what is done with them, as in "a folder that is joined".
    """
    folders = {Path(each).resolve() for each in named if Path(each).is_dir()}
    inputs = {file.resolve() for file in files}
    for option, path in places.items():
        if path.resolve() in inputs:
            raise StreambenchError(f"{option} {path} is one of the files to be {used}: choose another place.")
        if path.suffix == ".parquet" and path.resolve().parent in folders:
            raise StreambenchError(f"{option} {path} is in a folder that is {used}: choose another place.")
