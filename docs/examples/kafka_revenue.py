"""Revenue by country and minute, from a Kafka topic to Parquet: BROKERS TOPIC FOLDER [END]."""

import sys

import pyarrow as pa

import streambench

brokers, topic, folder, *end = sys.argv[1:]
schema = pa.schema({"ts": pa.timestamp("ms"), "country": pa.string(), "price": pa.float64()})
feed = streambench.KafkaFeed(brokers, topic, schema, end=int(end[0]) if end else None)
source = streambench.ArrowSource(feed, time="ts")
minutes = streambench.window({"revenue": ("sum", "price")}, size="1min", by="country")
sink = streambench.ParquetSink(folder, file_rows=100_000, restore={"start": "ts", "end": "ts"})
streambench.Pipeline([source, minutes, sink]).run(workers=2)
