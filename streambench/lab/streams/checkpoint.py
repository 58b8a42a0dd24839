"""What a checkpoint was made for, so that it is never gone on with for something else."""

from __future__ import annotations

import json
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab import atomic_file
from streambench.lab.streams.terms import StreamTerms

FORMAT = 1
"""Of the buckets' state and of the output: a stream goes on only where it is the same."""
NAME = "stream.json"


def claim(terms: StreamTerms) -> bool:
    """Note what a new checkpoint is for, or check what an old one was made for; True where the stream goes on.

    Raises StreambenchError for a checkpoint of another stream, query or format, a folder that is none, a socket's,
    whose rows cannot be had again, and an output folder of another checkpoint.
    """
    place, now = terms.checkpoint / NAME, _described(terms)
    if place.exists():
        _require_same(terms, _read(terms), now)
        if terms.source == "socket" and any(terms.spark_checkpoint.glob("offsets/*")):
            raise StreambenchError(
                f"{terms.checkpoint} is of a socket, whose rows cannot be had again: begin with a new --checkpoint, or "
                "read from files or Kafka."
            )
        return True
    for folder, option in ((terms.checkpoint, "--checkpoint"), (terms.output, "--out")):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StreambenchError(f"{folder} holds something else than this stream: give another {option}.")
    terms.checkpoint.mkdir(parents=True, exist_ok=True)
    atomic_file.replace(place, json.dumps(now, indent=2).encode())
    return False


def has_planned(terms: StreamTerms) -> bool:
    """Is there a micro-batch of which it is written how far it goes, and not that it is done?"""
    planned, done = (
        {int(each.name) for each in (terms.spark_checkpoint / log).glob("[0-9]*")} for log in ("offsets", "commits")
    )
    return max(planned, default=-1) > max(done, default=-1)


def _described(terms: StreamTerms) -> dict[str, Any]:
    names = ("query", "parameter_set", "source", "place", "topic", "rate", "lateness", "buckets")
    named = {name: getattr(terms, name) for name in names}
    paths = {"data": terms.data and str(terms.data.resolve()), "out": str(terms.output.resolve())}
    return {"format": FORMAT, **named, **paths}


def _read(terms: StreamTerms) -> dict[str, Any]:
    try:
        content = json.loads((terms.checkpoint / NAME).read_text("utf-8"))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise StreambenchError(f"{terms.checkpoint / NAME} is damaged: begin with a new --checkpoint.")
    return content


def _require_same(terms: StreamTerms, before: dict[str, Any], now: dict[str, Any]) -> None:
    if before.get("format") != FORMAT:
        raise StreambenchError(
            f"{terms.checkpoint} is of another version of streambench (format {before.get('format')}, this one has "
            f"{FORMAT}): go on with that version, or begin with a new --checkpoint."
        )
    for name, value in now.items():
        if before.get(name) != value:
            raise StreambenchError(
                f"{terms.checkpoint} was made with {name} {before.get(name)}, not {value}: give what it was made "
                "with, or a new --checkpoint."
            )
