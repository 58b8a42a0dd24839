"""How many threads this process has."""

from __future__ import annotations

import threading
import time
from pathlib import Path


def alive() -> int:
    """Threads of the process, Python's and others."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()


def none_left_behind(before: int) -> bool:
    """Whether no more threads than ``before`` remain; the system may list one that was joined for a moment longer."""
    for _ in range(2000):
        if alive() <= before:
            return True
        time.sleep(0.001)
    return False
