"""Measure everything that performance is judged by, side by side, and say what is met.

``python tests/benchmarks/performance.py --help``; see ``docs/performance.md``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent))
from micro.compiled import compiled
from sections.report import markdown, plain, terminal, verdict
from sections.section import Plan, Section

from streambench.catalog import Catalog
from streambench.cli.claims import as_text
from streambench.errors import OptionError, StreambenchError
from streambench.machine import describe, warnings
from streambench.output import Writer, as_json, check_places, write_all

SECTIONS = {
    "micro": "micro_pipeline",
    "tbb": "tbb",
    "queries": "queries",
    "workers": "workers",
    "latency": "latency",
    "idle": "idle",
    "memory": "memory",
}
NEED_DATA = ("queries", "memory")
QUICK = {"seconds": 0.05, "repeats": 3}


class Names(click.ParamType[list[str]]):
    """Names of sections, with commas between them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        if isinstance(value, list):
            return value
        chosen = [each.strip() for each in str(value).split(",") if each.strip()]
        unknown = [each for each in chosen if each not in SECTIONS]
        if unknown or not chosen:
            self.fail(f"{', '.join(unknown) or value!r} is no section: choose from {', '.join(SECTIONS)}.", param, ctx)
        return [each for each in SECTIONS if each in chosen]


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--quick", is_flag=True, help=f"Runs of {QUICK['seconds']} s and {QUICK['repeats']} repeats: to see that it works."
)
@click.option("--only", type=Names(), metavar=",".join(SECTIONS), help="Only these sections.")
@click.option(
    "--data", type=click.Path(path_type=Path), help="The data directory of the queries (scale factor 1 says most)."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help=f"About how long a run lasts. [default: {Plan.seconds}]",
)
@click.option(
    "--repeats", type=click.IntRange(min=1), help=f"How often each run is repeated. [default: {Plan.repeats}]"
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Also write every run, as JSON.")
@click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(path_type=Path),
    help="Also write a fragment for docs/performance.md.",
)
def command(
    quick: bool,
    only: list[str] | None,
    data: Path | None,
    seconds: float | None,
    repeats: int | None,
    json_file: Path | None,
    markdown_file: Path | None,
) -> None:
    """Measure everything that performance is judged by, interleaved, and print what is met.

    \b
    Examples:
      python tests/benchmarks/performance.py --data data/sf1 --markdown performance.md
      python tests/benchmarks/performance.py --only micro,idle --quick
    """
    chosen = only or list(SECTIONS)
    if data is None and (missing := [name for name in NEED_DATA if name in chosen]):
        raise OptionError(
            f"no data directory for {' and '.join(missing)}: give --data (make one with `streambench datagen`), or "
            "name other sections with --only."
        )
    if data is not None:
        Catalog.open(data)  # said before anything is measured
    places = {"--json": json_file, "--markdown": markdown_file}
    check_places({option: path for option, path in places.items() if path is not None})
    usual = QUICK if quick else {}
    plan = Plan(
        seconds=seconds or float(usual.get("seconds", Plan.seconds)),
        repeats=repeats or int(usual.get("repeats", Plan.repeats)),
        data=data,
    )
    if compiled().tbb_pipeline is None and "tbb" in chosen:
        raise OptionError("oneTBB is not installed: pip install tbb tbb-devel, or name other sections with --only.")
    machine = describe()
    spoilt = warnings(machine)
    progress = Console(stderr=True, highlight=False, soft_wrap=True)
    for each in spoilt:
        progress.print(f"warning: {each}")
    sections = [_measured(name, plan, progress) for name in chosen]
    document = plain(sections, plan, machine, spoilt, _repeat(sys.argv[1:]))
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=160)
    console.print(terminal(sections))
    console.print(verdict(sections))
    writers: dict[Path, Writer] = {}
    if json_file is not None:
        writers[json_file] = as_json(document)
    if markdown_file is not None:
        writers[markdown_file] = as_text(markdown(sections, document))
    write_all(writers)


def _measured(name: str, plan: Plan, progress: Console) -> Section:
    def tell(what: str) -> None:
        progress.print(f"{name}: {what}")

    section: Section = import_module(f"sections.{SECTIONS[name]}").measure(plan, tell)
    return section


def _repeat(arguments: list[str]) -> str:
    """The command that repeats it, with files and folders cut down to their last name."""
    shown = [Path(each).name if "/" in each else each for each in arguments]
    return " ".join(["python tests/benchmarks/performance.py", *shown])


def main() -> None:
    """Entry point: exit code 0, 1 for an error that the user can mend, 2 for wrong usage, 130 for Ctrl-C."""
    try:
        sys.exit(command.main(standalone_mode=False) or 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("performance: interrupted; nothing was left half-written", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except StreambenchError as error:
        click.echo(f"performance: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
