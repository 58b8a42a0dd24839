"""Measuring: checked runs, `bench queries`, `bench sweep` and others; uses record and all below."""
