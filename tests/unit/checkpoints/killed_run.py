"""A run that is to be killed: revenue by country, from Parquet to Parquet, by a window and functions; as a program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import streambench
from streambench import window


@streambench.mapped(appends={"net": "float64"}, numba=False)
def net(price: Any) -> Any:
    return price / 1.2


@streambench.keyed(key="user", state=[("n", "int64")], appends={"visit": "int64"}, numba=False)
def numbered(state: Any, user: Any) -> Any:
    state.n += 1
    return state.n


def pipeline(data: Path, out: Path, suffix: str) -> streambench.Pipeline:
    """From ``data`` to files in ``out``."""
    sink: Any = streambench.ParquetSink if suffix == ".parquet" else streambench.IpcSink
    bounds = {"start": "ts", "end": "ts"}
    first = window({"net": ("sum", "net"), "visit": ("max", "visit")}, time="ts", size="1min", by="country")
    return streambench.Pipeline(
        [
            streambench.ArrowSource(data, time="ts"),
            net,
            numbered,
            streambench.tap(sink(out / "visits", file_rows=7000, batch_rows=500)),
            first,
            sink(out / f"minutes{suffix}", batch_rows=64, restore=bounds),
        ]
    )


if __name__ == "__main__":
    data, out, suffix, how = sys.argv[1:]
    made = pipeline(Path(data), Path(out), suffix)
    options: dict[str, Any] = json.loads(how)
    with made.start(checkpoint=Path(out) / "state", every="20ms", pin=False, **options) as run:
        print("on", flush=True)
    print(json.dumps(run.result().checkpoints), flush=True)
