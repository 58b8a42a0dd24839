"""Q1: items sold together."""
