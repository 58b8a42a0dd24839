"""Tries an installed wheel as a library, with NumPy and pyarrow alone: pipelines, joins, top-k.

``python try_library.py``, by the Python that it is installed for. What an extra brings counts as missing where it is
installed. Exits with 1 and a sentence where something is not as it should be.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import streambench
from streambench.extras import EXTRAS

OF_EXTRAS = {package for packages in EXTRAS.values() for package in packages} - {"pandas"}  # which Arrow looks for
sys.modules |= dict.fromkeys([*OF_EXTRAS, "streambench.queries", "streambench.datagen"])  # None: is not there

ROWS = pa.table({"ts": range(500), "sensor": [n % 7 for n in range(500)], "reading": [n * n % 31 for n in range(500)]})


@streambench.keyed(key="sensor", state=[("highest", "int64")], emits=("sensor", "record"))
def record(state, sensor, reading):  # type: ignore[no-untyped-def]
    """A reading above all before it of its sensor."""
    if reading > state.highest:
        state.highest = reading
        return sensor, reading
    return None


def pipelines(file: Path) -> None:
    """Records of each sensor, from a Parquet file."""
    pq.write_table(ROWS, file)
    pipeline = streambench.Pipeline([streambench.ArrowSource(file), record, streambench.TableSink()])
    result = pipeline.run(workers=2, pin=False)
    highest: dict[int, int] = {}
    right = []
    for row in ROWS.to_pylist():
        if row["reading"] > highest.get(row["sensor"], 0):
            highest[row["sensor"]] = row["reading"]
            right.append({"sensor": row["sensor"], "record": row["reading"]})
    require(result.tuples == ROWS.num_rows, f"{result.tuples} tuples were read, not {ROWS.num_rows}")
    require(pipeline.sink.to_arrow().to_pylist() == right, "the pipeline's records are wrong")


def joins() -> None:
    """Rows of one sensor that are at most 20 apart."""
    found = streambench.join(ROWS, ROWS, window=20, equal=[("sensor", "sensor")], threads=2)
    rows = ROWS.to_pylist()
    right = sum(a["sensor"] == b["sensor"] and abs(a["ts"] - b["ts"]) <= 20 for a in rows for b in rows)
    require(found.num_rows == right, f"the join has {found.num_rows} rows, not {right}")


def topk() -> None:
    """The counts of a column with few items are exact."""
    counted = streambench.TopK(counters=100)
    counted.update(ROWS.column("reading"))
    answer = counted.answer()
    found = dict(zip(answer.items.to_pylist(), answer.estimates.tolist(), strict=True))
    require(found == Counter(ROWS.column("reading").to_pylist()), "the counts are wrong")


def extras() -> None:
    """What needs an extra names it."""
    try:
        from streambench.lab import load_results  # noqa: F401
    except ImportError as problem:
        require("pip install 'streambench[lab]'" in str(problem), f"it says {problem}")
    else:
        sys.exit("try_library: the laboratory came without its extra")


def require(right: bool, otherwise: str) -> None:
    if not right:
        sys.exit(f"try_library: {otherwise}")


def main() -> None:
    """Try all of it."""
    with tempfile.TemporaryDirectory() as folder:
        pipelines(Path(folder) / "rows.parquet")
    joins()
    topk()
    extras()
    print(f"streambench {streambench.__version__}, Python {sys.version.split()[0]}: the library is right by itself")


if __name__ == "__main__":
    main()
