"""Count keys with one table: ``python -m`` this, with TABLE and the most KEYS, prints the cost of each case, in JSON.

Random 64-bit keys come in units of 4096, as ``PairCounts`` gets them. The cases:

- *held*: all keys are in the table already. So many that they take 1 KB, half of the second-level cache, or far more
  than any cache.
- *window*: 4000 keys, nearly all new, then the table is emptied: Q1's hour. Emptying is not counted.
- *growth*: from an empty table to the most keys. Its memory is mapped and touched then, too, but the machine has it
  ready. The longest unit says for how long growth stops the stream.

Nanoseconds per key: of the median unit for *held* and *window*, of all units for *growth*. A process of its own, so
that no other table has left memory behind. `digest` is of all counts: they must not depend on the table.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.host.ready_memory import make_ready
from streambench.lab.measure.perf.hash_tables import compiled

UNIT = 4096
WINDOW = 4000
WINDOWS = 500
CASES = ("1 KB held", "512 KB held", "window", "most held", "growth", "longest unit")
LONGEST = "longest unit"  # in milliseconds, all others in nanoseconds


def keys_of(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Pairs of items, as different as the numbers: 18000 items, as at scale factor 1."""
    return (numbers // 18_000 << 32 | numbers % 18_000).astype(np.uint64, copy=False)


def measure(table: str, most: int) -> dict[str, Any]:
    """What each case costs, and a digest of all counts."""
    candidate = compiled()[table]
    random = np.random.default_rng(1)
    digest = hashlib.sha256()
    found: dict[str, Any] = {}
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
    found[LONGEST] = float(times.max()) * 1e-6
    times, counts = counter.measure(keys[random.integers(0, most, min(most, 512 * UNIT))], UNIT)
    digest.update(counts)
    found["most held"] = float(np.median(times)) / UNIT
    return {**found, "digest": digest.hexdigest()[:12]}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
