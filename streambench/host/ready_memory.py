"""Memory at hand before a measured run begins, so that its state grows as fast as memory is, whoever ran before.

A virtual machine may give memory that is free back to its host, and get it again page by page when it is touched: 5 ms
for a huge page instead of 0.1, which is more than the run takes to fill it. How much of that a run meets depends on
what was freed how many seconds ago. So what this process has had and given back is touched once just before a run.
"""

from __future__ import annotations

import contextlib
import mmap
import re
from pathlib import Path

import numpy as np

from streambench.host.limits import available_memory

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
PAGE = 4096
BLOCK = 1 << 26  # bytes touched without a look for Ctrl-C
_before = 0  # the peak that was set back by `begin_peak` and still counts


def forget_peak() -> None:
    """What this process has had so far shall not count any more: something smaller is to be measured."""
    global _before
    _before = 0
    with contextlib.suppress(OSError):  # a kernel that cannot forget: more than need be is touched
        CLEAR.write_text("5", "utf-8")


def begin_peak() -> int:
    """Set the peak back to what this process has now, and return that, in bytes; `make_ready` remembers the old one."""
    global _before
    _before = max(_before, _status("VmHWM"))
    with contextlib.suppress(OSError):
        CLEAR.write_text("5", "utf-8")
    return _status("VmRSS")


def peak() -> int:
    """The most that this process has had since `begin_peak`, in bytes; 0 where the system keeps no account of it."""
    return _status("VmHWM")


def peak_set_back() -> int:
    """The peak that `begin_peak` has set back, in bytes; 0 for none."""
    return _before


def make_ready() -> int:
    """Touch as much memory as this process has had beyond what it has now, and let it go; return the bytes.

    At most half of what is available: nothing else shall be driven out.
    """
    beyond = max(_before, _status("VmHWM")) - _status("VmRSS") - _status("VmSwap")
    try:
        size = min(beyond, available_memory() // 2) & -PAGE
        if size <= 0:
            return 0
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, RuntimeError):  # not told, or refused: the run will see for itself
        return 0
    with memory:
        with contextlib.suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
        for begin in range(0, size, BLOCK):
            np.frombuffer(memory, dtype=np.uint8)[begin : begin + BLOCK : PAGE] = 1  # no view outlives the statement
    return size


def _status(name: str) -> int:
    """A size that Linux keeps of this process, in bytes; 0 where it keeps none."""
    match = re.search(rf"^{name}:\s+(\d+) kB$", STATUS.read_text("utf-8") if STATUS.exists() else "", re.MULTILINE)
    return int(match[1]) * 1024 if match else 0
