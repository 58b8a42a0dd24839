"""Modules of own pipelines, as a user writes them, in a folder of a test's own."""

from __future__ import annotations

import itertools
import sys
import textwrap
from pathlib import Path

import pytest

TUPLES = 3000
KEEP = "SELECT ts, ss_ticket_number, ss_item_sk FROM stream WHERE ss_store_sk IN (1, 2) ORDER BY stream_row"
COUNT = """
SELECT key, value, result, count(*) OVER (PARTITION BY key ORDER BY stream_row) AS so_far
FROM stream ORDER BY stream_row;
"""
HEAD = f"""
import numpy as np

import streambench
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource
from streambench.queries.baselines.micro_operators import Count, DigestSink
from streambench.queries.q1.operators import KeepLines

random = np.random.default_rng(3)
arrays = [random.integers(0, 40, {TUPLES}) for _ in range(4)]
NAMES = ("ts", "ss_ticket_number", "ss_item_sk", "ss_store_sk")
calls = 0


def pipeline(source, *operators):
    return streambench.Pipeline([source, *operators, TableSink()])


def keep():
    global calls
    calls += 1
    return pipeline(TableSource(arrays, NAMES), KeepLines(stores=[1, 2]))


def count():
    return pipeline(TableSource(arrays[:3], ("key", "value", "result")), Count(40))


@streambench.stateless(appends="twice", numba=False)
def doubled(n, twice):
    twice[:] = 2 * n


def over(data):
    return pipeline(streambench.ArrowSource(data, nulls={{"day": -1}}), doubled)


def batches():
    return pipeline(BatchSource(iter([arrays]), NAMES), KeepLines(stores=[1, 2]))
"""
_numbers = itertools.count()


class OwnModule:
    """A module in ``folder``, the current one of the test; each has a name of its own, as modules are imported once."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.folder = folder
        self.name = f"own_{next(_numbers)}"
        self.file = folder / f"{self.name}.py"
        self.file.write_text(HEAD + textwrap.dedent(more))

    def __getitem__(self, function: str) -> str:
        return f"{self.name}:{function}"

    def sql(self, text: str) -> Path:
        """A file that holds it."""
        file = self.folder / f"{self.name}.sql"
        file.write_text(text)
        return file


def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> OwnModule:
    """A module of the functions above and ``more``, in a folder that is the current one, and not on the path yet."""
    folder = tmp_path / "mine"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    return OwnModule(folder, more)
