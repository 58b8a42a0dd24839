"""A peer's own process: ``python -m`` this, with PEER QUERY DATA WORKERS.

It says that it is ready once the peer is; then each line that it reads asks for one more run: over how many laps, and
the file that the answer goes to.
What it says is a line of JSON. Standard output is for that alone: what libraries print goes to standard error.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench.lab.peers.named import find
from streambench.lab.peers.peer import Asked, Run


def main(name: str, query: str, data: str, workers: str) -> None:
    """Do what the command line says, until there are no more lines."""
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(said: dict[str, Any]) -> None:
        channel.write(json.dumps(said) + "\n")

    try:
        peer = find(name)
        run = peer.prepare(Asked(query, Path(data), int(workers)))
        say({"ready": True})
        for line in sys.stdin:
            laps, into = line.rstrip("\n").split(" ", 1)
            say(_measured(functools.partial(run, int(laps)) if peer.replays else run, into))
    except Exception as problem:  # whatever a library raises is told, and ends this process
        words = (str(problem).strip().splitlines() or [""])[0]
        say({"failed": f"{type(problem).__name__}: {words}"})


def _measured(run: Run, into: str) -> dict[str, Any]:
    begun = time.perf_counter()
    ran = run()
    seconds = time.perf_counter() - begun
    if ran.answer is not None:
        with pa.OSFile(into, "wb") as file, pa.ipc.new_file(file, ran.answer.schema) as writer:
            writer.write_table(ran.answer)
    latency = None if ran.latency is None else dict(ran.latency)
    answered = ran.answer is not None
    return {"answered": answered, "seconds": ran.seconds or seconds, "digest": ran.digest, "latency": latency}


if __name__ == "__main__":
    main(*sys.argv[1:])
