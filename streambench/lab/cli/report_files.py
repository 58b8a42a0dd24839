"""What a command that judges results also writes: the same as JSON, and as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from streambench.errors import OptionError
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import Decorator
from streambench.lab.show.console import LastingConsole
from streambench.lab.show.lasting_output import lasting
from streambench.lab.show.output import STDOUT, as_text, check_places, write_all


def report_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--json`` and ``--markdown``: the command is called with ``json_file`` and ``markdown_file``."""
    options: tuple[tuple[str, str], ...] = (("json", "as JSON"), ("markdown", "as a Markdown table"))
    for name, told in reversed(options):
        option: Decorator = click.option(
            f"--{name}",
            f"{name}_file",
            type=LocalPath(path_type=Path, allow_dash=True),
            metavar="FILE|-",
            help=f"Also write it {told}.",
        )
        command = option(command)
    return command


def check_report(json_file: Path | None, markdown_file: Path | None) -> None:
    """Raise OptionError or StreambenchError for places that cannot be written to, before anything is read."""
    if json_file == STDOUT and markdown_file == STDOUT:
        raise OptionError("--json and --markdown cannot both go to standard output: name a file for one of them.")
    given = {"--json": json_file, "--markdown": markdown_file}
    check_places({option: path for option, path in given.items() if path is not None and path != STDOUT})


def give_report(
    shown: RenderableType,
    width: int,
    json_file: Path | None,
    markdown_file: Path | None,
    as_json: Callable[[], str],
    as_markdown: Callable[[], str],
) -> None:
    """Print what is ``shown``, to standard error if standard output is taken, and write the files, all or none.

    ``width``: of the columns in a file or a pipe, where tables are not to be folded.
    """
    to_stderr = STDOUT in (json_file, markdown_file)
    console = LastingConsole(stderr=to_stderr)
    if not console.is_terminal:
        console = LastingConsole(stderr=to_stderr, width=width)
    texts = {path: text() for path, text in ((json_file, as_json), (markdown_file, as_markdown)) if path is not None}
    try:
        console.print(shown)
    finally:  # a full disk takes neither what is printed nor what is written with it
        write_all({path: as_text(text) for path, text in texts.items() if path != STDOUT})
    if STDOUT in texts:
        with lasting():
            click.echo(texts[STDOUT], nl=False)
