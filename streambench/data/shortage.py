"""What Arrow raises where memory or threads are short: nothing is wrong with the file that was being read."""

from __future__ import annotations

import errno

from streambench.errors import StreambenchError

NO_THREAD = "Failed to launch worker thread"  # Arrow's words, of an error of no type of its own


def raise_shortage(problem: BaseException) -> None:
    """Raise MemoryError where ``problem`` is that memory was refused, StreambenchError where a thread was."""
    if isinstance(problem, MemoryError):
        raise problem
    if isinstance(problem, OSError) and problem.errno == errno.ENOMEM:
        raise MemoryError(str(problem)) from problem
    if NO_THREAD in str(problem):
        raise StreambenchError(
            "no thread to read with could be started: threads or memory are short, so end other programs, or raise "
            "the limits that `ulimit -u` and `ulimit -v` tell."
        ) from problem
