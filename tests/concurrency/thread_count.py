"""How many threads this process has."""

from __future__ import annotations

import threading
from pathlib import Path


def alive() -> int:
    """Threads of the process, Python's and others: none of the engine's may outlive a run."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()
