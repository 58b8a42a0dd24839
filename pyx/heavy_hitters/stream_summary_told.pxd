"""A Stream-Summary that tells of its lines, see the module."""

include "stream_summary.pxd"
