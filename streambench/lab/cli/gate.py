"""`streambench gate`: is the working tree slower than a revision, or wrong?"""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from streambench.datagen.errors import DatagenError
from streambench.errors import StreambenchError
from streambench.host.limits import default_workers
from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.data_to_make import typed
from streambench.lab.cli.options import command_of, command_options, group, option, shared
from streambench.lab.cli.report_files import ReportFiles, report_files
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import results_folder
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.gate import settings
from streambench.lab.gate.checkouts import Checkouts
from streambench.lab.gate.gate import Outcome, Wanted, gate
from streambench.lab.gate.workload import Workload
from streambench.lab.record import results
from streambench.lab.show.console import LastingConsole, tell_warnings
from streambench.lab.show.gate import markdown, plain, terminal
from streambench.lab.show.output import json_text

SCALE, COUNTED_SCALE = 0.05, 0.01


class RefusedError(click.ClickException):
    """There is no verdict; the sentence says why."""

    exit_code = int(Outcome.ENVIRONMENT)


class GateCommand(click.Command):
    """A command whose exit codes are a gate's: whatever keeps it from a verdict, a wrong option too, is 4."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """As click does."""
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise RefusedError(error.format_message()) from error
        except StreambenchError as error:
            raise RefusedError(str(error)) from error

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        try:
            return super().invoke(ctx)
        except (StreambenchError, DatagenError) as error:
            raise RefusedError(str(error)) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise RefusedError(f"{error.strerror or error}{where}") from error
        except Exception as error:  # Python would end with 1, which is a verdict
            traceback.print_exc()
            raise RefusedError("the gate itself has failed, as told above") from error


@command_options
class GateOptions:
    """What is compared with what, by which limits."""

    base: str = option("The revision to compare the working tree with.", metavar="REV", required=True)
    workloads: tuple[str, ...] | None = option(
        "Which workloads.  [default: q1,q4,join,topk]", type=words(), metavar="NAME,.."
    )
    fail_over: str | None = option(
        "What may be lost of every metric.  [default: those of gate.toml; throughput 5%, p50 10%, p99 25%]",
        metavar="5%",
    )
    budget: str = option("For measuring: 90s, 5m, 1h.", "5m", metavar="TIME")
    instructions: bool = option("Count instructions of one thread instead, which knows no noise.")
    workers: int | None = count("Of each run.  [default: all cores]")
    data: Path | None = option(
        f"The data directory.  [default: generated at scale factor {SCALE}, for --instructions {COUNTED_SCALE}]",
        metavar="DIR",
    )
    config: Path | None = option("Instead of the tree's gate.toml.", metavar="FILE")
    folder: Path = shared(results_folder("Where the dated result file goes."))
    report: ReportFiles = group(report_files, ReportFiles)


@command_of(GateOptions, GateCommand)
def command(options: GateOptions) -> int:
    """Build a revision and the working tree side by side, run them in turns, and say whether the new one is slower.

    Both are built once, in the repository's git directory, and kept. The base runs against itself first: where it
    differs from itself by more than may be lost, limits are widened. Then both run, A B B A, until every metric is
    decided or the budget is spent. Every run's answer is checked.

    Exit codes: 0 passed, 1 regressed, 2 cannot tell, 3 wrong answer, 4 anything else, such as a build that fails or an
    option that there is not.

    \b
    Examples:
      streambench gate --base main
      streambench gate --base HEAD~1 --workloads q4,join --fail-over 5% --budget 10m
      streambench gate --base origin/main --markdown comment.md --json gate.json
      streambench gate --base main --instructions --workloads q1,q4
    """
    options.report.check()
    results.check_folder(options.folder)
    terms = Wanted(
        base=options.base,
        only=options.workloads or (),
        budget=settings.seconds(options.budget),
        workers=options.workers or default_workers(),
        data=options.data,
        counting=options.instructions,
    )
    messages = LastingConsole(stderr=True)
    checkouts = Checkouts(Path.cwd(), lambda: messages.print("note: another gate builds here, which is waited for"))
    if options.instructions:
        for option in typed(click.get_current_context(), ("budget", "workers")):
            note = f"note: one thread counts instructions once, whatever it takes: {option} changes nothing"
            messages.print(note, soft_wrap=True, highlight=False)
    limits = _settings(options.config, checkouts.root, options.fail_over)
    # What cannot be is said before data are made and a base is built, which take minutes.
    chosen = limits.chosen(terms.only, options.instructions).items()
    checkouts.commit(options.base)
    data = options.data
    if data is not None:
        Catalog.open(data)
    with BenchProgress(messages, "gate") as progress:
        if data is None and any(Workload(*each).over_data for each in chosen):
            scale = COUNTED_SCALE if options.instructions else SCALE
            data = generated(scale, progress=lambda step, done: progress.report(f"generating {step}", done))
        verdict = gate(replace(terms, data=data and data.resolve()), limits, checkouts, progress.report)
    try:
        options.report.give(
            terminal(verdict), 140, lambda: json_text(plain(verdict)), lambda: markdown(verdict)
        )  # first: no full disk takes the verdict away
    finally:
        written = results.write(verdict.document, options.folder)
    tell_warnings(messages, verdict.document["warnings"])
    messages.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    return int(verdict.outcome)


def _settings(config: Path | None, root: Path, fail_over: str | None) -> settings.GateSettings:
    path = config or root / settings.FILE
    gate_settings = settings.read(path) if config is not None or path.exists() else settings.GateSettings()
    return gate_settings if fail_over is None else gate_settings.over(settings.share(fail_over))
