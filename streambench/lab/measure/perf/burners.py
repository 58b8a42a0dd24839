"""Neighbours that are there on purpose: processes that burn a core each while something is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# It imports next to nothing, so that it is there at once, and ends if its parent is no longer there.
BURN = """
import os
print("busy", flush=True)
while os.getppid() == {parent}:
    for _ in range(20_000):
        pass
"""


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes, each of which burns a core that the system chooses.

    Each is in a process group of its own, so that Ctrl-C in a terminal reaches whoever measures, and not the process;
    but in the same session: Linux may share the cores out by session first, and by thread within one.
    """
    command = [sys.executable, "-S", "-c", BURN.format(parent=os.getpid())]
    with ExitStack() as stack:
        burners = []
        for _ in range(count):
            burners.append(stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, process_group=0)))
            stack.callback(burners[-1].kill)
        for each in burners:
            assert each.stdout is not None
            each.stdout.readline()
        yield
