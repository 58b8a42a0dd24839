"""Measuring: checked runs, `bench` and `sweep`; uses record and all below."""
