"""What went wrong on a cluster, from Spark's pages of traces, as one sentence."""

from __future__ import annotations

import re

from streambench.errors import StreambenchError

_SHIP = "install the wheel there, or ship it with `streambench bundle` (docs/cluster.md)"
OF_EXECUTORS: tuple[tuple[str, str], ...] = (
    (r"streambench\.[\w.]*Error: ([^\n]+)", "{0}"),
    (r"No module named '([\w.]+)'", f"the executors' Python has no {{0}}: {_SHIP}."),
    (
        r"worker has different version: (\d+\.\d+)\S* than that in driver:\s*(\d+\.\d+)",
        "the executors run Python {0} and the driver {1}: let PYSPARK_PYTHON name the same minor version there.",
    ),
    (
        r'Cannot run program "([^"]+)"',
        f"the executors have no Python at {{0}}: let PYSPARK_PYTHON name one that they have, and {_SHIP}.",
    ),
    (
        r"No space left on device|Disk quota exceeded|File too large",
        "a disk of an executor is full: make room where Spark writes (spark.local.dir), or use more partitions; no "
        "result was written.",
    ),
)
"""What an executor lacks, whatever it was to do."""

KNOWN: tuple[tuple[str, str], ...] = (
    *OF_EXECUTORS,
    (
        r"(?:No such file or directory: |Failed to open local file )'([^']+)'",
        "an executor does not see {0}: put the data on a file system that the driver and all executors share.",
    ),
    (
        r"(?:\bMemoryError|OutOfMemoryError|Python worker exited unexpectedly|exit code 137)",
        "a task ended for want of memory: use more --partitions, or executors with more.",
    ),
    (r"ExecutorLostFailure", "executors were lost again and again: look at their logs, and start more of them."),
    (
        r"All masters are unresponsive|SparkContext was (?:shut down|stopped)|stopped SparkContext|Connection refused",
        "the Spark master ended the run or can no longer be reached: look at its log, then run again.",
    ),
)
_RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt): [^\n]+", re.MULTILINE)


def known(text: str, sentences: tuple[tuple[str, str], ...] = KNOWN) -> str | None:
    """The sentence for the earliest of ``sentences`` whose pattern is found in Spark's ``text``, or None."""
    for pattern, sentence in sentences:
        found = re.search(pattern, text)
        if found is not None:
            return sentence.format(*found.groups())
    return None


def told(problem: BaseException) -> StreambenchError | KeyboardInterrupt:
    """The error to raise instead: the earliest of what is ``KNOWN`` that is found, or Spark's own first line.

    KeyboardInterrupt where ``problem`` came of a Ctrl-C: Java may not answer the call behind one that was broken off.
    """
    if _interrupted(problem):
        return KeyboardInterrupt()
    text = str(problem)
    sentence = known(text)
    if sentence is not None:
        return StreambenchError(sentence)
    raised = _RAISED.findall(text)
    if raised:
        return StreambenchError(f"a task failed: {raised[0].strip().rstrip('.')}.")
    java = getattr(problem, "java_exception", None)
    first = str(java.toString()) if java is not None else text or type(problem).__name__
    return StreambenchError(f"Spark failed: {first.splitlines()[0].strip().rstrip('.')}.")


def _interrupted(problem: BaseException | None) -> bool:
    """Was it raised while a Ctrl-C was seen to?"""
    while problem is not None:
        if isinstance(problem, KeyboardInterrupt):
            return True
        problem = problem.__cause__ or problem.__context__
    return False
