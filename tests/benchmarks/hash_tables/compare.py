"""Which hash table should count keys: ``python tests/benchmarks/hash_tables/compare.py [--quick] [--markdown FILE]``.

Counts random 64-bit keys in units of 4096, as ``PairCounts`` does: with Boost's ``unordered_flat_map``; with our table,
key after key; with our table as it is used, a unit at a time, so that it can prefetch; with the standard library's
``unordered_map``; and with Abseil's ``flat_hash_map`` where that is installed (Debian: libabsl-dev and pkg-config). The
cases:

- *held*: all keys are in the table already. So many that they take 1 KB, half of the second-level cache, or far more
  than any cache (26 million keys).
- *window*: 4000 keys, nearly all new, then the table is emptied: Q1's hour. Emptying is not counted.
- *growth*: from an empty table to the most keys. Its memory is mapped and touched then, too, but the machine has it
  ready. The longest unit says for how long growth stops the stream.

Every table is measured in a process of its own, with huge pages and without (Linux lets a process forbid them), several
times and in turns. Nanoseconds per key: of the median unit for *held* and *window*, of all units for *growth*; of the
repeats the least, because what else the machine does only ever adds. Where counts differ there are no numbers.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from built import build

from streambench.ready_memory import make_ready

UNIT = 4096
WINDOW = 4000
WINDOWS = 500
ABSEIL = "SwissMap"
TABLES = {
    "FlatMap": "Boost unordered_flat_map",
    ABSEIL: "Abseil flat_hash_map",
    "Chained": "std::unordered_map",
    "Single": "ours, key after key",
    "Runs": "ours, a unit at a time",
}
CASES = ("1 KB held", "512 KB held", "window", "most held", "growth", "longest unit")
MOST = 26_000_000
REPEATS = 3
QUICK = {"most": 500_000, "repeats": 1}
FORBID_HUGE_PAGES = 41  # PR_SET_THP_DISABLE


def keys_of(numbers: np.ndarray) -> np.ndarray:
    """Pairs of items, as different as the numbers: 18000 items, as at scale factor 1."""
    return (numbers // 18_000 << 32 | numbers % 18_000).astype(np.uint64)


def compiled() -> dict[str, Any]:
    """The classes of the tables that this machine has."""
    usual, abseil = build(Path(__file__).resolve().parent, ("candidates",), ("abseil",))
    found = {name: getattr(usual, name) for name in TABLES if name != ABSEIL}
    return found | ({ABSEIL: abseil.SwissMap} if abseil else {})


def measure(table: str, most: int) -> dict[str, float]:
    """Nanoseconds per key of each case, the milliseconds of the longest unit, and a digest of all counts."""
    candidate = compiled()[table]
    random = np.random.default_rng(1)
    digest = hashlib.sha256()
    found: dict[str, float] = {}
    for case, held in (("1 KB held", 1 << 6), ("512 KB held", 30_000)):
        counter = candidate()
        keys = keys_of(random.permutation(held))
        counter.measure(keys, UNIT)
        times, counts = counter.measure(keys[random.integers(0, held, 256 * UNIT)], UNIT)
        digest.update(counts)
        found[case] = float(np.median(times)) / UNIT
    counter = candidate()
    windows = []
    for _ in range(WINDOWS):
        times, counts = counter.measure(keys_of(random.integers(0, 300_000_000, WINDOW)), WINDOW)
        counter.forget()
        digest.update(counts)
        windows.append(times[0] / WINDOW)
    found["window"] = float(np.median(windows))
    keys = keys_of(random.permutation(most))
    counter = candidate()
    counter.measure(keys, UNIT)  # now it is known how much memory growth takes
    del counter
    make_ready()
    counter = candidate()
    times, counts = counter.measure(keys, UNIT)
    digest.update(counts)
    found["growth"] = float(times.sum()) / most
    found["longest unit"] = float(times.max()) * 1e-6
    times, counts = counter.measure(keys[random.integers(0, most, min(most, 512 * UNIT))], UNIT)
    digest.update(counts)
    found["most held"] = float(np.median(times)) / UNIT
    return {**found, "digest": int(digest.hexdigest()[:12], 16)}


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--quick", is_flag=True, help="Half a million keys instead of 26 million, once: to see that it works.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write the table for docs/performance.md.")
@click.option("--one", type=click.Choice(list(TABLES)), hidden=True, help="What the processes of their own are told.")
@click.option("--most", type=int, default=MOST, hidden=True)
@click.option("--no-huge-pages", is_flag=True, hidden=True)
def command(quick: bool, markdown: Path | None, one: str | None, most: int, no_huge_pages: bool) -> None:
    """Compare hash tables that count keys: nanoseconds per key, and the milliseconds of the longest unit."""
    if one:
        if no_huge_pages:
            ctypes.CDLL(None).prctl(FORBID_HUGE_PAGES, 1, 0, 0, 0)
        click.echo(json.dumps(measure(one, most)))
        return
    repeats = QUICK["repeats"] if quick else REPEATS
    most = QUICK["most"] if quick else most
    tables = [table for table in TABLES if table in compiled()]
    if ABSEIL not in tables:
        click.echo(f"{TABLES[ABSEIL]} is left out: it is not installed (Debian: libabsl-dev, pkg-config).", err=True)
    rows: dict[tuple[str, bool], dict[str, float]] = {}
    for repeat in range(repeats):
        order = [(table, huge) for huge in (True, False) for table in tables]
        for table, huge in order if repeat % 2 == 0 else reversed(order):
            options = ["--one", table, "--most", str(most), *([] if huge else ["--no-huge-pages"])]
            done = subprocess.run([sys.executable, __file__, *options], stdout=subprocess.PIPE, text=True, check=True)
            got = json.loads(done.stdout)
            best = rows.setdefault((table, huge), got)
            rows[table, huge] = {case: min(best[case], got[case]) for case in got}
    if len({row["digest"] for row in rows.values()}) != 1:
        raise click.ClickException("the tables' counts differ: the numbers mean nothing.")
    heads = ["table", "huge pages", *(f"{case}, ms" if case == "longest unit" else f"{case}, ns" for case in CASES)]
    lines = [
        [TABLES[table], "yes" if huge else "no", *(f"{row[case]:.1f}" for case in CASES)]
        for (table, huge), row in sorted(rows.items(), key=lambda item: (tables.index(item[0][0]), not item[0][1]))
    ]
    shown = Table(*heads)
    for line in lines:
        shown.add_row(*line)
    Console().print(shown)
    if markdown:
        text = [heads, ["---"] * len(heads), *lines]
        markdown.write_text("".join(f"| {' | '.join(line)} |\n" for line in text))


if __name__ == "__main__":
    command()
