"""Run the two operators over a million readings, with both engines."""

import numpy as np
import sensors

import streambench
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

random = np.random.default_rng(7)
sensor = random.integers(0, 1000, 1_000_000)
reading = random.integers(-100, 1000, 1_000_000)


def pipeline() -> streambench.Pipeline:
    source = TableSource([sensor, reading], ["sensor", "reading"])
    return streambench.Pipeline([source, sensors.InRange(0, 900), sensors.Record(1000), TableSink(keep=True)])


serial = streambench.run(pipeline(), engine="serial")
mine = pipeline()
ordered = streambench.run(mine, workers=2, unit=512, partitions=16)
numbers, records = mine.sink.rows()
print(f"{ordered.tuples} readings, {len(records)} records, the first: sensor {numbers[0]}, {records[0]}")
print("the same sequence as with one thread:", ordered.digest == serial.digest)
