"""What a command that judges results also writes: the same as JSON, and as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import RenderableType

from streambench.errors import OptionError
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.show.console import LastingConsole
from streambench.lab.show.lasting_output import lasting
from streambench.lab.show.output import STDOUT, as_text, check_places, write_all

report_files = Flags(
    *(
        flag(
            f"--{name}",
            f"{name}_file",
            type=LocalPath(path_type=Path, allow_dash=True),
            metavar="FILE|-",
            help=f"Also write it {form}.",
        )
        for name, form in (("json", "as JSON"), ("markdown", "as a Markdown table"))
    )
)


@dataclass(frozen=True)
class ReportFiles:
    """What ``report_files`` name."""

    json_file: Path | None = None
    markdown_file: Path | None = None

    def check(self) -> None:
        """Raise OptionError or StreambenchError for places that cannot be written to, before anything is read."""
        if self.json_file == STDOUT and self.markdown_file == STDOUT:
            raise OptionError("--json and --markdown cannot both go to standard output: name a file for one of them.")
        places = {"--json": self.json_file, "--markdown": self.markdown_file}
        check_places({option: path for option, path in places.items() if path is not None and path != STDOUT})

    def give(
        self, shown: RenderableType, width: int, as_json: Callable[[], str], as_markdown: Callable[[], str]
    ) -> None:
        """Print what is ``shown``, to standard error if standard output is taken, and write the files, all or none.

        ``width``: of the columns in a file or a pipe, where tables are not to be folded.
        """
        outputs = ((self.json_file, as_json), (self.markdown_file, as_markdown))
        to_stderr = any(path == STDOUT for path, _ in outputs)
        console = LastingConsole(stderr=to_stderr)
        if not console.is_terminal:
            console = LastingConsole(stderr=to_stderr, width=width)
        texts = {path: text() for path, text in outputs if path is not None}
        try:
            console.print(shown)
        finally:  # a full disk takes neither what is printed nor what is written with it
            write_all({path: as_text(text) for path, text in texts.items() if path != STDOUT})
        if STDOUT in texts:
            with lasting():
                click.echo(texts[STDOUT], nl=False)
