"""A command that is run on both sides: its words, what its JSON says, and whether its answer is right."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from streambench.data_folder import data_files
from streambench.errors import DataError
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.settings import LENGTHS, places

TABLE, COLUMN = "web_clickstreams", "wcs_item_sk"
MOST_ITEMS = 10_000  # in a lap
COUNTED = "topk {items} --column item"
ROW_GROUP = 1 << 16  # the threads of topk share a file's row groups
RATES = {
    "run": "throughput",
    "topk": "updates_per_second",
    "bench topk": "updates_per_second",
    "join": "tuples_per_second",
}
"""By command: what its JSON calls its rate."""
QUANTILES = ("p50", "p99")
LEAST, GREATEST = 1e-100, 1e100  # of what is measured: ratios of any two are numbers
MOST_SHOWN = 60  # characters of a value that is refused


@dataclass(frozen=True)
class Workload:
    """``template``: a command of streambench with places for what a gate knows (see ``settings``)."""

    name: str
    template: str

    def __post_init__(self) -> None:
        if self.kind not in RATES:
            raise NoVerdictError(f"{self.name}: a gate runs {', '.join(RATES)}, not {self.kind!r}: see gate.toml")
        if self.kind == "topk" and not self.template.startswith(COUNTED):
            raise NoVerdictError(f"{self.name}: counts can be checked of `{COUNTED} ...` only: see gate.toml")

    @property
    def kind(self) -> str:
        first, *_ = words = shlex.split(self.template)
        return " ".join(words[:2]) if first == "bench" else first

    @property
    def repeatable(self) -> bool:
        """Whether more laps make it longer."""
        return not LENGTHS.isdisjoint(places(self.template))

    @property
    def over_data(self) -> bool:
        """Whether it needs a data directory."""
        return not {"data", "items"}.isdisjoint(places(self.template))

    def words(self, laps: int, workers: int, data: Path | None, scratch: Path) -> list[str]:
        """The command's words. Raises NoVerdictError where it needs data and there is none."""
        values = {"laps": str(laps), "workers": str(workers), "scratch": str(scratch)}
        if self.over_data:
            if data is None:
                raise NoVerdictError(f"{self.name} needs a data directory: give one with --data")
            values |= {"data": str(data), "items": str(scratch / f"items-{laps}.parquet")}
        if "items" in places(self.template) and not Path(values["items"]).exists():
            write_items(data, laps, Path(values["items"]))
        quiet = [] if self.kind == "bench topk" else ["--quiet"]
        return [word.format(**values) for word in shlex.split(self.template)] + [*quiet, "--json", "-"]

    def metrics(self, said: Mapping[str, Any]) -> dict[str, float]:
        """What was measured, by metric; what a command says nothing of is left out. Raises ValueError for what is said
        and is no number of its kind."""
        latency = {} if said.get("latency") is None else said["latency"]
        if not isinstance(latency, Mapping):
            raise ValueError(f"latency is {shortened(latency)}, which holds no quantiles")
        metrics = {"throughput": said.get(RATES[self.kind])} | {name: latency.get(name) for name in QUANTILES}
        return {name: positive(name, each) for name, each in metrics.items() if each is not None}


def positive(name: str, value: Any) -> float:
    """The number. Raises ValueError, which begins with its name, for what has no ratio to another."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not LEAST <= value <= GREATEST:
        raise ValueError(f"{name} is {shortened(value)}, which is no number above 0")
    return float(value)


def shortened(value: Any) -> str:
    """A value as JSON, its beginning if it is long."""
    text = json.dumps(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def fingerprint(said: Mapping[str, Any]) -> str | None:
    """What is the same in every right run: the digest of the output; None of a command that has none."""
    digest = said.get("digest")
    return None if digest is None else str(digest)


def write_items(data: Path | None, laps: int, file: Path) -> None:
    """The first items that users clicked on, ``laps`` times one after the other, at the times 0, 1, ..."""
    assert data is not None
    items = np.tile(_items(data), laps)
    times = np.arange(len(items), dtype=np.int64)
    pq.write_table(pa.table({"ts": times, "item": items}), file, row_group_size=ROW_GROUP)


def check_counts(items: Path, counted: Path) -> None:
    """Raise NoAnswerError where a count does not hold how often its item occurs, or a frequent item has none."""
    table, true = pq.read_table(counted), _true_counts(items)
    for row in table.to_pylist():
        if not row["lower"] <= true.get(row["item"], 0) <= row["estimate"]:
            raise NoAnswerError(
                f"item {row['item']} occurs {true.get(row['item'], 0)} times, not {row['lower']} to more"
            )
    least = min(table["estimate"].to_pylist(), default=0)
    missing = [item for item, n in true.items() if n > least and item not in set(table["item"].to_pylist())]
    if missing:
        raise NoAnswerError(f"item {missing[0]} occurs more often than the last of the list, and is not in it")


@cache
def _items(data: Path) -> np.ndarray[Any, Any]:
    try:
        files = [str(file) for file in data_files(data / TABLE)]
        column = ds.dataset(files, format="parquet").to_table(columns=[COLUMN])[COLUMN]
    except (OSError, pa.ArrowException, DataError) as error:
        raise NoVerdictError(f"{data / TABLE} cannot be read: name a data directory with --data") from error
    items: np.ndarray[Any, Any] = column.drop_null().to_numpy()[:MOST_ITEMS]
    return items


@cache
def _true_counts(items: Path) -> dict[int, int]:
    counts = pc.value_counts(pq.read_table(items)["item"])
    return {each["values"]: each["counts"] for each in counts.to_pylist()}
