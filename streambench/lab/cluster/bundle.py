"""What executors need that have nothing but Python: this package and what its tasks import, as one archive."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import IO

from streambench.errors import StreambenchError
from streambench.version import __version__

FROM_SPARK = {"pyspark", "py4j"}
"""Spark ships these to its Python workers itself."""

SOURCES = {".pyx", ".pxd", ".cpp", ".c", ".pyc", ".h"}
_IMPORTED = """
import importlib.util, json, sys
from pyspark.sql.streaming.proto import StateMessage_pb2
from streambench.lab.cluster import run, task
from streambench.queries import query
from streambench.lab.streams import processor
if importlib.util.find_spec("confluent_kafka"):
    import confluent_kafka
[query.find(name) for name in query.names()]
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def distributions() -> list[str]:
    """The names of the installed distributions that tasks import, those of streams too, this package's own left out.

    Found by importing in a process of its own what a task imports, and Kafka's client where it is
    installed. Raises StreambenchError where that fails.
    """
    process = subprocess.run(
        [sys.executable, "-c", _IMPORTED], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if process.returncode:
        raise StreambenchError(
            f"tasks cannot be imported here ({(process.stderr.splitlines() or ['?'])[-1]}): install again."
        )
    owners = packages_distributions()
    owned = {owner for name in json.loads(process.stdout) for owner in owners.get(name, ())}
    return sorted(owned - FROM_SPARK - {"streambench", "setuptools", "pip"})


def write(file: IO[bytes]) -> list[str]:
    """Write the archive, a .tar.gz whose top is a folder for PYTHONPATH; returns the distributions in it."""
    names = distributions()
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=3) as archive:
        for place, source in _package():
            archive.add(source, place)
        for name in names:
            for place, source in _files(name):
                archive.add(source, place)
        bundle = {
            "streambench": __version__,
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "with": {name: distribution(name).version for name in names},
        }
        content = json.dumps(bundle, indent=2).encode()
        about = tarfile.TarInfo("streambench-bundle.json")
        about.size = len(content)
        archive.addfile(about, io.BytesIO(content))
    return names


def _package() -> Iterator[tuple[str, Path]]:
    """This package's files; what an installation in place links to comes as if it were there."""
    top = Path(__file__).parents[2]
    for each in sorted(_walked(top)):
        yield str(Path("streambench") / each.relative_to(top)), each.resolve()


def _walked(folder: Path) -> Iterator[Path]:
    for each in folder.iterdir():
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _walked(each)
        elif each.suffix not in SOURCES:
            yield each


def _files(name: str) -> Iterator[tuple[str, Path]]:
    for each in distribution(name).files or ():
        source = Path(str(each.locate()))
        if ".." not in each.parts and each.suffix != ".pyc" and "tests" not in each.parts and source.is_file():
            yield str(each), source
