"""One of the two commits: its commands, each in a process of its own, on the cores that the gate has."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.gate.checkouts import environment
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError, UnknownCommandError
from streambench.lab.gate.process import reason, started

BASE, NEW = "base", "new"
USAGE = 2  # how streambench ends where it is asked for what it has not
STEP = 1.0  # seconds between two looks whether a run takes too long, or is wanted no more
LONGEST = 600.0  # seconds, of a run that nothing is known of yet
WHERE = """
import importlib.util, sys
spec = importlib.util.find_spec(sys.argv[1])
print()
print(spec.origin or list(spec.submodule_search_locations)[0])
"""
PIECE = 1 << 16
MOST_OUTPUT = 1 << 26  # bytes: a command that prints without end does not fill the memory


@dataclass(frozen=True)
class Side:
    """``name``: base or new; ``run``: the command's first words."""

    name: str
    commit: str
    tree: Path
    run: Sequence[str]

    @property
    def called(self) -> str:
        """Its name in a sentence."""
        return "the base" if self.name == BASE else "the new side"

    def blamed(self, problem: NoAnswerError) -> StreambenchError:
        """What a problem of this side's runs is: of the new one a wrong answer, of the base nothing to compare with."""
        return problem if self.name == NEW else NoVerdictError(f"there is nothing to compare with, {problem}")

    def check(self) -> None:
        """Raise NoVerdictError where the command does not start, or its package is not this side's."""
        self._output([*self.run, "--help"], LONGEST)
        if "-m" in self.run[:-1]:
            python, package = self.run[0], self.run[list(self.run).index("-m") + 1]
            shown, _ = self._output([python, "-c", WHERE, package], LONGEST)
            if not Path(shown.splitlines()[-1]).resolve().is_relative_to(self.tree):
                raise NoVerdictError(
                    f"{self.called}'s {package} is loaded from elsewhere: uninstall what comes before its files"
                )

    def measured(self, words: Sequence[str], timeout: float = LONGEST) -> tuple[dict[str, Any], float]:
        """What a command, told to do so, says of its run as JSON, and the seconds that it took with its start.

        Raises UnknownCommandError where it knows no such thing, NoAnswerError where it fails otherwise or takes longer.
        """
        begin = time.monotonic()
        text, _ = self._output([*self.run, *words], timeout)
        output = parsed(text)
        document = output[0] if isinstance(output, list) and output else output  # a bench's only row
        if not isinstance(document, dict):
            raise NoAnswerError(f"{self.called}'s {words[0]} does not print its result as JSON")
        return document, time.monotonic() - begin

    def said(self, words: Sequence[str], under: Sequence[str], timeout: float, stopped: Event) -> str:
        """What the program ``under`` which a command runs says of it on standard error; soon after ``stopped`` is set
        the command is ended. Raises as ``measured`` does."""
        return self._output([*under, *self.run, *words], timeout, stopped)[1]

    def _output(self, command: Sequence[str], timeout: float, stopped: Event | None = None) -> tuple[str, str]:
        try:
            with started(command, self.tree, environment(self.tree)) as process:
                out, err = self._waited(process, timeout, stopped)
        except OSError as error:
            raise NoVerdictError(f"{command[0]} cannot be run ({error.strerror}): see gate.toml") from error
        said = reason(err, process.returncode)
        if process.returncode == USAGE:
            raise UnknownCommandError(f"{self.called} does not know this command: {said}")
        if process.returncode:
            raise NoAnswerError(f"{self.called}: {said}")
        return out, err

    def _waited(self, process: subprocess.Popen[str], timeout: float, stopped: Event | None) -> tuple[str, str]:
        """What the process has said when it ends. Raises NoAnswerError where it does not in time.

        Steps are counted, as a machine that was asleep has run neither.
        """
        assert process.stdout is not None
        assert process.stderr is not None
        said = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
        out, err = said.values()
        waited = 0.0
        with selectors.DefaultSelector() as pipes:
            for pipe in said:
                pipes.register(pipe, selectors.EVENT_READ)
            while True:
                begin = time.monotonic()
                ready = pipes.select(STEP) if pipes.get_map() else []
                for key, _ in ready:
                    piece = os.read(key.fd, PIECE)
                    said[key.fd] += piece
                    if not piece:
                        pipes.unregister(key.fd)
                if len(out) > MOST_OUTPUT:
                    raise NoAnswerError(f"{self.called} prints more than {MOST_OUTPUT >> 20} MB: a result is one line")
                del err[:-MOST_OUTPUT]
                if not ready:  # all is read, but for what a process that it has left behind may say one day
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(0 if pipes.get_map() else STEP)
                        return out.decode(errors="replace"), err.decode(errors="replace")
                waited += min(STEP, time.monotonic() - begin)
                if stopped is not None and stopped.is_set():
                    raise NoAnswerError(f"{self.called} was stopped")
                if waited >= timeout:
                    raise NoAnswerError(f"{self.called} was not done after {timeout:.0f} s")


def parsed(text: str | bytes) -> Any:
    """What a command has printed as JSON; None for anything else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
