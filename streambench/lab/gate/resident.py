"""A side's command that has loaded what it needs, and runs once whenever it is asked: so both sides can be asked in
turns that are short against what disturbs a machine."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, Any, NoReturn

from streambench.lab.gate.checkouts import environment
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError, UnknownCommandError
from streambench.lab.gate.process import reason, started
from streambench.lab.gate.side import LONGEST, MOST_OUTPUT, PIECE, Side, parsed

OPTION = "--resident"
READY = {"ready": True}
GRACE = 10.0  # seconds to end for who has nothing more to say


class Resident:
    """Use ``resident``."""

    def __init__(self, side: Side, process: subprocess.Popen[str], errors: IO[str]) -> None:
        self._side, self._process, self._errors = side, process, errors
        self._rest = b""  # what it has said after its last line

    def await_ready(self, timeout: float = LONGEST) -> None:
        """Raise UnknownCommandError where the command does not stay to be asked, NoAnswerError where it fails."""
        if self._said(timeout) != READY:
            raise UnknownCommandError(f"{self._side.called} does not stay to be asked")

    def run(self, timeout: float) -> dict[str, Any]:
        """What it says of one more run. Raises NoAnswerError where it fails, takes longer, or spoke before."""
        if self._rest:
            raise NoAnswerError(f"{self._side.called}'s run says more than one line")
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended: what it said is read below
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        return self._said(timeout)

    def _said(self, timeout: float) -> dict[str, Any]:
        answer = parsed(self._line(timeout))
        if not isinstance(answer, dict):
            raise NoAnswerError(f"{self._side.called}'s run does not print its result as JSON")
        return answer

    def _line(self, timeout: float) -> bytes:
        assert self._process.stdout is not None
        out, until = self._process.stdout.fileno(), time.monotonic() + timeout
        said, end = bytearray(self._rest), self._rest.find(b"\n")
        while end < 0:
            left = until - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                raise NoAnswerError(f"{self._side.called} was not done after {timeout:.0f} s")
            if len(said) > MOST_OUTPUT:
                raise NoAnswerError(f"{self._side.called}'s run prints more than {MOST_OUTPUT >> 20} MB in a line")
            more = os.read(out, PIECE)
            if not more:
                self._ended()
            place = more.find(b"\n")
            end = place if place < 0 else len(said) + place
            said += more
        self._rest = bytes(said[end + 1 :])
        return bytes(said[:end])

    def _ended(self) -> NoReturn:
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            raise NoAnswerError(f"{self._side.called} closed its standard output and runs on") from None
        self._errors.seek(0)
        raise NoAnswerError(f"{self._side.called}: {reason(self._errors.read(), code)}")


@contextmanager
def resident(side: Side, words: Sequence[str]) -> Iterator[Resident]:
    """A process of the side, which starts up and ends with the context. Raises NoVerdictError where none can be run."""
    command = [*side.run, *words, OPTION]
    with tempfile.TemporaryFile("w+", errors="replace") as errors, ExitStack() as running:
        try:
            process = running.enter_context(
                started(command, side.tree, environment(side.tree), stderr=errors, stdin=subprocess.PIPE)
            )
        except OSError as error:
            raise NoVerdictError(f"{side.run[0]} cannot be run ({error.strerror}): see gate.toml") from error
        yield Resident(side, process, errors)
