"""Run the two operators over a million readings, with both engines."""

from readings import build

serial = build().run(engine="serial")
mine = build()
ordered = mine.run(workers=2, unit=512, partitions=16)
numbers, records = mine.sink.rows()
print(f"{ordered.tuples} readings, {len(records)} records, the first: sensor {numbers[0]}, {records[0]}")
print("the same sequence as with one thread:", ordered.digest == serial.digest)
