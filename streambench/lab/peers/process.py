"""A peer in a process of its own, so that its start-up and its memory are its own.

That process is ``python -m`` this, with PEER QUERY DATA WORKERS. It says that it is ready once the peer is; then each
line that it reads asks for one more run: over how many laps, and the file that the answer goes to. What it says is a
line of JSON. Standard output is for that alone: what libraries print goes to standard error.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.lab.peers.named import find
from streambench.lab.peers.peer import Peer, PeerJob, Ran, Run

GRACE = 20.0  # seconds to end by itself: a Java machine takes some


class PeerError(StreambenchError):
    """A peer could not be started, failed in a run, or answered wrongly."""


class PeerProcess:
    """A context with the process of a peer that is asked for a query.

    ``start_seconds``: from nothing until it was ready to run: the interpreter, its libraries, the engine, its tables.
    Raises PeerError where it does not get that far.
    """

    def __init__(self, peer: Peer, job: PeerJob) -> None:
        self._name = peer.name
        self._folder = tempfile.TemporaryDirectory(prefix="streambench-peer-")
        self._running = True
        self._said = Path(self._folder.name) / "stderr"
        begun = time.monotonic()
        command = [sys.executable, "-m", "streambench.lab.peers.process", peer.name, job.query, str(job.data)]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [*command, str(job.workers)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                encoding="utf-8",
                errors="replace",
                process_group=0,  # Ctrl-C is ours, and ends it by `close`
            )
        try:
            self._answer()
        except BaseException:
            self.close()
            raise
        self.start_seconds = time.monotonic() - begun

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def run(self, laps: int = 1) -> Ran:
        """Have it run the query once, over so many laps. Raises PeerError where it fails."""
        into = Path(self._folder.name) / "answer.arrow"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{laps} {into}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # what it said before is read below
        said = self._answer()
        answer = None
        if said["answered"]:
            with pa.OSFile(str(into), "rb") as file:
                answer = pa.ipc.open_file(file).read_all()
        return Ran(answer, said["digest"], said["latency"], said["seconds"])

    def peak_memory(self) -> int:
        """Bytes: the largest resident sets so far of the process and of those that it has started, together."""
        import psutil

        process = psutil.Process(self._process.pid)
        return sum(_largest(each.pid) for each in (process, *process.children(recursive=True)))

    def close(self) -> None:
        """End it, at once where it is amid a run."""
        if self._running:
            self._process.terminate()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        self._running = True
        line = self._process.stdout.readline()
        self._running = False
        if not line:
            last = (self._said.read_text("utf-8", errors="replace").strip().splitlines() or ["it said nothing"])[-1]
            raise PeerError(f"{self._name} ended: {last}")
        said: dict[str, Any] = json.loads(line)
        if "failed" in said:
            raise PeerError(f"{self._name} failed: {said['failed']}")
        return said


def _largest(pid: int) -> int:
    try:
        match = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text("utf-8"), re.MULTILINE)
    except OSError:  # it has ended
        return 0
    return int(match[1]) * 1024 if match else 0


def main(name: str, query: str, data: str, workers: str) -> None:
    """Do what the command line says, until there are no more lines."""
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(said: dict[str, Any]) -> None:
        channel.write(json.dumps(said) + "\n")

    try:
        peer = find(name)
        run = peer.prepare(PeerJob(query, Path(data), int(workers)))
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
