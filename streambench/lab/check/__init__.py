"""Verification: every engine's sequence and answer, over a grid of options; uses workloads and all below."""
