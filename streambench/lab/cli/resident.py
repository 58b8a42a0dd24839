"""`run --resident`: what was loaded once runs for each line that is read, as another program asks for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.cli.run_options import RunOptions
from streambench.lab.show.output import STDOUT

ALONE = ("out", "emitted", "timeline", "decisions", "profile", "live", "names")


def check_resident(options: RunOptions) -> None:
    """Raise OptionError for options that go with a single run only."""
    if options.json_out != STDOUT:
        raise OptionError("--resident prints a line of JSON for each run: add --json -.")
    if sys.stdin is None:
        raise OptionError("--resident reads lines from standard input, which is closed: leave it open.")
    if together := [name for name in ALONE if getattr(options, name)]:
        raise OptionError(f"--resident runs more than once, and `{together[0]}` is of one run: leave out one of them.")


def serve(run: Callable[[], Mapping[str, Any]]) -> None:
    """Say that all is ready, and then for each line of standard input what a run says, until there are no more lines.

    Numbers that are not finite are refused with ValueError.
    """
    say({"ready": True})
    for _ in iter(sys.stdin.buffer.readline, b""):  # what stands in a line does not matter
        say(run())


def say(content: Mapping[str, Any]) -> None:
    """A line of JSON on standard output, at once."""
    click.echo(json.dumps(content, allow_nan=False))
    sys.stdout.flush()
