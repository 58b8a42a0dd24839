"""Where a command's output goes: files by the options that name them, JSON, and what it prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from streambench.lab.atomic_file import Writer
from streambench.lab.data.catalog import Catalog
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.show.run_summary import stream_console

Content = Callable[[], Any]
"""What --json is to hold, made when all is known."""


class Outputs:
    """Of a command with --json and ``files``, by option those that are asked for. None is left half-written.

    ``console``: where a summary goes, standard error where standard output carries JSON. Raises OptionError and
    StreambenchError for places that cannot be written to, also among the tables of ``data``.
    """

    def __init__(
        self, json: Path | None, files: Mapping[str, Path | None], *, quiet: bool = False, data: Catalog | None = None
    ) -> None:
        self._to_stdout = json == STDOUT
        named = {**files, "--json": None if self._to_stdout else json}
        self.places = {option: path for option, path in named.items() if path is not None}
        check_places(self.places, data)
        self.console = stream_console(stderr=self._to_stdout, quiet=quiet)

    @property
    def kept_back(self) -> str:
        """What to add where a result is wrong."""
        return " No file was written." if self.places else ""

    def note(self, sentence: str) -> None:
        """Tell it beside the summary."""
        self.console.print(f"[yellow]note:[/yellow] {sentence}")

    def write(self, writers: Mapping[str, Writer], content: Content) -> None:
        """Write the files that were asked for, all or none."""
        every: dict[str, Writer] = {**writers, "--json": lambda file: as_json(content())(file)}
        write_all({path: every[option] for option, path in self.places.items()})

    def tell(self, content: Content) -> None:
        """After the summary: which files were written, and JSON where it goes to standard output."""
        for path in self.places.values():
            self.console.print(f"written: {path}", soft_wrap=True, markup=False)
        self.print_json(content)

    def print_json(self, content: Content) -> None:
        """JSON, where it goes to standard output."""
        if self._to_stdout:
            click.echo(json_text(content()), nl=False)
