"""`streambench claims`: which of the paper's claims a sweep's result supports."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from streambench.claims import judge
from streambench.claims.table import markdown, plain, terminal
from streambench.cli.shared_options import result_file
from streambench.errors import OptionError
from streambench.figures.selection import KIND, select
from streambench.record import results
from streambench.record.newest_result import result_path
from streambench.show.output import STDOUT, as_text, check_places, json_text, write_all


@click.command(short_help="Judge the paper's claims by a sweep's result.")
@result_file("sweep")
@click.option(
    "--unit",
    type=click.IntRange(min=1),
    help="Of several unit sizes the one to judge by; left out: the smallest, which is nearest to the paper.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write the verdicts as JSON.",
)
@click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write a Markdown table.",
)
def command(source: str, unit: int | None, json_file: Path | None, markdown_file: Path | None) -> None:
    """Compare a sweep's result with the paper's claims: each holds, does not hold, or cannot be told.

    Verdicts follow from the numbers and their confidence intervals alone; whatever they are, the exit code is 0.

    \b
    Examples:
      streambench claims
      streambench claims --results results --markdown claims.md
      streambench claims --unit 256 --json claims.json
      streambench claims --json - | jq .
    """
    given = {"--json": json_file, "--markdown": markdown_file}
    to_stdout = [option for option, path in given.items() if path == STDOUT]
    if len(to_stdout) > 1:
        raise OptionError("--json and --markdown cannot both go to standard output: name a file for one of them.")
    check_places({option: path for option, path in given.items() if path is not None and path != STDOUT})
    document = results.read(result_path(source, (KIND,)))
    mode, judged = judge(document, unit)
    if own := select(document).own:
        click.echo(f"note: {', '.join(own)}: no claim of the paper is about an own pipeline", err=True)
    console = Console(stderr=bool(to_stdout))
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(stderr=bool(to_stdout), width=100)
    console.print(terminal(document, mode, judged))
    texts: dict[Path, str] = {}
    if json_file is not None:
        texts[json_file] = json_text(plain(document, mode, judged))
    if markdown_file is not None:
        texts[markdown_file] = markdown(document, mode, judged)
    write_all({path: as_text(text) for path, text in texts.items() if path != STDOUT})
    if to_stdout:
        click.echo(texts[STDOUT], nl=False)
