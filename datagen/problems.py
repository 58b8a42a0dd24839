"""What executors lack, whatever they are to do: from Spark's pages of traces, as one sentence."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from streambench.datagen.errors import DatagenError

SHARED = "put it on a file system that the driver and all executors share, under the same path."
_SHIP = "install the wheel there, or ship it with `streambench spark bundle` (docs/cluster.md)"
OF_EXECUTORS: tuple[tuple[str, str], ...] = (
    (r"streambench\.[\w.]*Error: ([^\n]+)", "{0}"),
    (r"No module named '([\w.]+)'", f"the executors' Python has no {{0}}: {_SHIP}."),
    (
        r"worker has different version: (\d+\.\d+)\S* than that in driver:\s*(\d+\.\d+)",
        "the executors run Python {0} and the driver {1}: let PYSPARK_PYTHON name the same minor version there.",
    ),
    (
        r'Cannot run program "([^"]+)"',
        f"the executors have no Python at {{0}}: let PYSPARK_PYTHON name one that they have, and {_SHIP}.",
    ),
    (
        r"No space left on device|Disk quota exceeded|File too large",
        "a disk of an executor is full: make room where Spark writes (spark.local.dir), or use more partitions; no "
        "result was written.",
    ),
    (
        r"(?:No such file or directory: |Failed to open local file )'([^']+)'"
        r"|file:/*(/[^\n]+?)\.? +(?:File )?does not exist",
        "an executor does not see {0}: " + SHARED,
    ),
)
"""A pattern in what Spark says, and the sentence for it."""


def known(text: str, sentences: tuple[tuple[str, str], ...] = OF_EXECUTORS) -> str | None:
    """The sentence for the earliest of ``sentences`` whose pattern is found in Spark's ``text``, or None."""
    for pattern, sentence in sentences:
        match = re.search(pattern, text)
        if match is not None:
            return sentence.format(*filter(None, match.groups()))
    return None


def root_cause(text: str) -> str:
    """What Spark's pages of traces come down to: a known sentence, or else the last cause, or the first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("at ")]
    causes = [line.removeprefix("Caused by:").strip() for line in lines if line.startswith("Caused by:")]
    return known(text) or (causes[-1:] or lines or ["no reason given"])[0]


def require_seen(file: Path) -> None:
    """Raise DatagenError, for the driver to tell, where this executor does not see a file of the driver's."""
    if not file.exists():
        raise DatagenError(f"an executor ({socket.gethostname()}) does not see {file}: {SHARED}")
