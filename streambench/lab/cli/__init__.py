"""The `streambench` command: one file per subcommand; errors are one sentence and an exit code; uses all below."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.cli.lazy_group import LazyGroup
from streambench.lab.host import interrupts
from streambench.lab.show.escaped_output import one_line
from streambench.lab.show.lasting_output import lasting
from streambench.version import __version__

_LONG_NUMBER = re.compile("([0-9]{40})[0-9]{60,}")
COMMANDS = {
    "run": "Run one query over a data directory, or an own pipeline, and check it.",
    "micro": "Run a pipeline of parametric operators: given cost, sizes, selectivity and keys.",
    "join": "Join two ordered streams of your own, Parquet files, within a window.",
    "topk": "What occurs most often in a column of your own Parquet files, in bounded memory.",
    "snet": "Check, draw or run S-NET programs: networks of boxes, as in paper 004.",
    "data": "Generate, ingest or check the tables that the queries run on.",
    "spark": "Run queries as streams on Spark; pack the executors' installation.",
    "verify": "Check every engine's sequence and answer over many options.",
    "replay": "Does this version's controller decide as it did in a run? By that run's log.",
    "evaluate": "Measure everything worth measuring on this machine, in the time there is, as one archive.",
    "import-results": "Put the results of an evaluation's archive into a folder.",
    "pack": "Pack this checkout for a machine without network, compiler, Spark or Java.",
    "bench": "Measure queries, joins, top-k, networks, other engines; each writes a dated result.",
    "simulate": "Simulate engines on more cores than there are here; predict; validate the simulator.",
    "figures": "Draw the figures of a result file.",
    "claims": "Judge the paper's claims by a sweep's result.",
    "compare": "Compare two results: faster, slower, or cannot be told.",
    "report": "Draw results as one HTML page to look at.",
    "gate": "Is the working tree slower than a revision, or wrong? For CI.",
    "info": "Print what matters about this machine.",
}
"""By name: what it is for. It stands here, so that the list of all imports none."""


@click.group(
    cls=LazyGroup,
    listed=COMMANDS,
    package=__name__,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="streambench")
def cli() -> None:
    """Ordered stream processing on multicores: generate data, run the TPCx-BB queries, verify, compare.

    \b
    A first round:
      streambench data generate --scale-factor 0.01 --out data/sf0.01
      streambench run q1 --data data/sf0.01 --workers 2
      streambench verify --data data/sf0.01

    Your own data: `data ingest` makes a table of it for the queries, join and topk take Parquet files as they are. What
    `bench queries` measures is a dated file in results/, which figures, claims, compare and report read.
    """


def main(argv: list[str] | None = None) -> Any:
    """Entry point; returns the exit code: 0 fine, 1 it went wrong, 2 it cannot be asked for, 130 Ctrl-C."""
    from streambench.datagen.errors import DatagenError, DatagenOptionError
    from streambench.errors import StreambenchError
    from streambench.pyx.machine.memory import OUT_OF_MEMORY

    try:
        sys.exit(cli.main(args=argv, prog_name="streambench", standalone_mode=False) or 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo(interrupts.INTERRUPTED, err=True)
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _tell(_sentence(error))
        sys.exit(error.exit_code)
    except (StreambenchError, DatagenError) as error:
        _tell(str(error))
        sys.exit(2 if isinstance(error, OptionError | DatagenOptionError) else 1)
    except MemoryError:  # Arrow's and NumPy's are such, too
        _tell(OUT_OF_MEMORY)
        sys.exit(1)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        _tell(f"{error.strerror or error}{where}")
        sys.exit(1)


def _tell(sentence: str) -> None:
    """The sentence on standard error, in a line whatever names it quotes; of a number without end its beginning."""
    shown = one_line(_LONG_NUMBER.sub(r"\1[...]", sentence))
    with lasting(sys.stderr):
        click.echo(f"streambench: {shown}", err=True)


def _sentence(error: click.ClickException) -> str:
    """What click has to say, in one sentence."""
    said = " ".join(error.format_message().split()).rstrip(".?")
    for phrase, instead in ((". Did you mean", ", did you mean"), (". (Did you mean", " (did you mean"), ("?)", ")")):
        said = said.replace(phrase, instead)
    context = getattr(error, "ctx", None)
    return f"{said[:1].lower()}{said[1:]}" + (f": see `{context.command_path} --help`." if context else ".")
