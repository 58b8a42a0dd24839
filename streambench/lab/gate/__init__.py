"""The regression gate: two commits built, run in turns and judged; uses record and host."""
