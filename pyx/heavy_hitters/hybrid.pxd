"""What its threads count in; the twin of the module that is simulated has a twin of this."""

from streambench.pyx.heavy_hitters.stream_summary cimport StreamSummary
