"""Threads, and how they wait. For users: see ``streambench.pyx.machine.threads``."""

from streambench.pyx.machine.threads cimport (
    be_punctual, body_t, pause_briefly, pin_to_core, sleep_ns, thread, yield_core,
)
