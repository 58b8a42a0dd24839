"""What its threads count in, which tells a simulated machine of its lines."""

from streambench.pyx.heavy_hitters.stream_summary_told cimport StreamSummary
