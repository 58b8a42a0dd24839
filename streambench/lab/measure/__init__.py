"""Measuring: checked runs, `bench`, `sweep` and others; uses record and all below."""
