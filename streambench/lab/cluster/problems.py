"""What went wrong on a cluster, from Spark's pages of traces, as one sentence."""

from __future__ import annotations

import re

from streambench.datagen.problems import OF_EXECUTORS, known
from streambench.errors import StreambenchError

KNOWN: tuple[tuple[str, str], ...] = (
    *OF_EXECUTORS,
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


def known_error(problem: BaseException) -> StreambenchError | KeyboardInterrupt:
    """The error to raise instead: the earliest of what is ``KNOWN`` that is found, or Spark's own first line.

    KeyboardInterrupt where ``problem`` came of a Ctrl-C: Java may not answer the call behind one that was broken off.
    """
    if _interrupted(problem):
        return KeyboardInterrupt()
    text = str(problem)
    sentence = known(text, KNOWN)
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
