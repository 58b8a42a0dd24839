"""A pipeline of the two operators over a million readings."""

import numpy as np
import sensors

import streambench
from streambench import TableSink, TableSource

random = np.random.default_rng(7)
sensor = random.integers(0, 1000, 1_000_000)
reading = random.integers(-100, 1000, 1_000_000)


def build() -> streambench.Pipeline:
    """A new one in every call: operators hold state."""
    source = TableSource([sensor, reading], ["sensor", "reading"])
    return streambench.Pipeline([source, sensors.InRange(0, 900), sensors.Record(1000), TableSink(keep=True)])
