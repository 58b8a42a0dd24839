"""Sweeps: any product of workloads and configurations, interleaved, repeated, checked, and resumed where it stopped."""
