"""The `streambench` command: one file per subcommand; errors are one sentence and an exit code; uses all below."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from streambench.host import interrupts
from streambench.version import __version__

COMMANDS = (
    "datagen",
    "ingest",
    "run",
    "micro",
    "join",
    "topk",
    "verify",
    "bench",
    "sweep",
    "perf",
    "peers",
    "join-bench",
    "topk-bench",
    "rate-search",
    "figures",
    "claims",
    "compare",
    "report",
    "gate",
    "info",
)


class LazyGroup(click.Group):
    """Imports a subcommand's module only when it is asked for, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        with interrupts.held():
            module = importlib.import_module(f"streambench.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="streambench")
def cli() -> None:
    """Ordered stream processing on multicores: generate data, run the TPCx-BB queries, verify, compare.

    \b
    A first round:
      streambench datagen --scale-factor 0.01 --out data/sf0.01
      streambench run q1 --data data/sf0.01 --workers 2
      streambench verify --data data/sf0.01
    """


def main(argv: list[str] | None = None) -> Any:
    """Entry point; returns the exit code: 0 fine, 1 it went wrong, 2 it cannot be asked for, 130 Ctrl-C."""
    from streambench.datagen.errors import DatagenError, DatagenOptionError
    from streambench.errors import OptionError, StreambenchError

    try:
        sys.exit(cli.main(args=argv, prog_name="streambench", standalone_mode=False) or 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo(interrupts.INTERRUPTED, err=True)
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"streambench: {_sentence(error)}", err=True)
        sys.exit(error.exit_code)
    except (StreambenchError, DatagenError) as error:
        click.echo(f"streambench: {error}", err=True)
        sys.exit(2 if isinstance(error, OptionError | DatagenOptionError) else 1)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        click.echo(f"streambench: {error.strerror or error}{where}", err=True)
        sys.exit(1)


def _sentence(error: click.ClickException) -> str:
    """What click has to say, in one sentence."""
    said = " ".join(error.format_message().split()).rstrip(".?")
    for told, instead in ((". Did you mean", ", did you mean"), (". (Did you mean", " (did you mean"), ("?)", ")")):
        said = said.replace(told, instead)
    context = getattr(error, "ctx", None)
    return f"{said[:1].lower()}{said[1:]}" + (f": see `{context.command_path} --help`." if context else ".")
