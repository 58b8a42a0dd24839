"""A process that keeps a core busy: ``python burner.py PARENT BEGIN END``, between two moments of ``time.monotonic``.

It says so when it begins and, with both moments as they were, when it ends. It ends early if its parent (by process id)
is no longer there. It imports nothing of ours, so that it is there at once.
"""

import os
import sys
import time

MANY = 20_000  # turns of an empty loop between two looks at the clock: some tenths of a millisecond


def burn(parent: int, begin: float, end: float) -> None:
    """Sleep until ``begin``, be busy until ``end``."""
    time.sleep(max(0.0, begin - time.monotonic()))
    begun = time.monotonic()
    print("busy", flush=True)
    while time.monotonic() < end and os.getppid() == parent:
        for _ in range(MANY):
            pass
    print(begun, time.monotonic(), flush=True)


if __name__ == "__main__":
    burn(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
