"""Recorded decisions of a controller in the files of ``recorded/``, which hold a list of sequences each.

Of each: the pipeline, how the controller was made, and a row of numbers for each decision (see
``RecordedController.recorded``), column by column as differences from row to row.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from streambench.execution.decisions import Decisions
from streambench.lab.record.decision_log import differences, summed

HERE = Path(__file__).parent / "recorded"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sequence(Decisions):
    """The decisions of one run, or of a part of it."""

    name: str

    @classmethod
    def named(cls, name: str, decisions: Decisions, most: int) -> Sequence:
        """At most so many, from the first on."""
        held = {each.name: getattr(decisions, each.name) for each in fields(Decisions)}
        return cls(**{**held, "rows": decisions.rows[:most]}, name=name)


def write(name: str, sequences: list[Sequence]) -> None:
    with gzip.GzipFile(HERE / name, "wb", mtime=0) as file:
        file.write(json.dumps([_plain(each) for each in sequences], separators=(",", ":")).encode())


def read(name: str) -> list[Sequence]:
    with gzip.open(HERE / name) as file:
        return [_sequence(each) for each in json.load(file)]


def _plain(sequence: Sequence) -> dict[str, Any]:
    how = dict(sequence.how)
    cuts = how.pop("cuts")
    return {
        "name": sequence.name,
        "kinds": sequence.kinds,
        "columns": sequence.widths,
        "partitions": sequence.partitions,
        "workers": sequence.workers,
        "how": how,
        "cuts": cuts,
        "ns_per_tick": sequence.ns_per_tick,
        "begun": sequence.begun,
        "due": sequence.due,
        "rows": [differences(column) for column in sequence.rows.T],
    }


def _sequence(held: dict[str, Any]) -> Sequence:
    rows = np.stack([summed(column) for column in held.pop("rows")], axis=1)
    how = {**held.pop("how"), "cuts": tuple(held.pop("cuts"))}
    names = ("source", *held["kinds"], "sink")
    return Sequence(names=names, widths=held.pop("columns"), how=how, rows=rows, asked=len(rows), **held)
