"""`streambench compare`: two results side by side."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from streambench.compare.comparison import compare
from streambench.errors import OptionError
from streambench.record import results
from streambench.show.comparison import markdown, plain, terminal
from streambench.show.output import STDOUT, as_text, check_places, json_text, write_all


@click.command(short_help="Compare two results: faster, slower, or cannot be told.")
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Compare results of unlike machines or data, too: every line says so.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write it as JSON.",
)
@click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write a Markdown table.",
)
def command(base: Path, new: Path, force: bool, json_file: Path | None, markdown_file: Path | None) -> None:
    """Compare the result file NEW with BASE, both of one command (bench, sweep, perf, join-bench).

    For throughput and every quantile of latency: the ratio of the medians with its interval, and a verdict, which is
    "cannot tell" where the interval holds 1 or there are too few runs (7 are enough). A point of which a run was wrong
    has no number. Whatever the verdicts, the exit code is 0.

    \b
    Examples:
      streambench compare results/20260101T120000Z-amd-epyc-2c-bench.json after.json
      streambench compare before.json after.json --markdown change.md
      streambench compare before.json after.json --json - | jq .verdicts
    """
    given = {"--json": json_file, "--markdown": markdown_file}
    to_stdout = [option for option, path in given.items() if path == STDOUT]
    if len(to_stdout) > 1:
        raise OptionError("--json and --markdown cannot both go to standard output: name a file for one of them.")
    check_places({option: path for option, path in given.items() if path is not None and path != STDOUT})
    documents = results.read(base), results.read(new)
    found = compare(*documents, force=force)
    console = Console(stderr=bool(to_stdout))
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(stderr=bool(to_stdout), width=160)
    console.print(terminal(found))
    for path, document in zip((base, new), documents, strict=True):
        for warning in document.get("warnings") or ():
            click.echo(f"note: {path.name} says: {warning}", err=True)
    texts: dict[Path, str] = {}
    if json_file is not None:
        texts[json_file] = json_text(plain(found, *documents))
    if markdown_file is not None:
        texts[markdown_file] = markdown(found)
    write_all({path: as_text(text) for path, text in texts.items() if path != STDOUT})
    if to_stdout:
        click.echo(texts[STDOUT], nl=False)
