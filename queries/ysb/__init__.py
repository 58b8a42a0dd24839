"""YSB: the Yahoo Streaming Benchmark, views of each campaign's ads."""
