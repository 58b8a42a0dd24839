"""`streambench bench`: the main sweep, its table, its result file and its figure."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from streambench import results
from streambench.bench import Plan, bench, worker_counts
from streambench.catalog import Catalog
from streambench.errors import OptionError
from streambench.figures import draw
from streambench.generated import generated
from streambench.summary import table

DEFAULT_SCALE = 0.25


@click.command(short_help="Measure the five queries, serial and ordered, on 1 to all cores.")
@click.option(
    "--scale-factor",
    type=float,
    default=DEFAULT_SCALE,
    show_default=True,
    help="Size of the generated data; it is kept in data/ for the next time.",
)
@click.option(
    "--data", type=click.Path(path_type=Path), help="Measure over this data directory instead of generating one."
)
@click.option("--days", type=int, default=30, show_default=True, help="Event time that the generated stream covers.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the generated data.")
@click.option("--profile", type=click.Choice(["session", "pdgf"]), default="session", show_default=True)
@click.option("--queries", default="q1,q2,q3,q4,q15", show_default=True, help="Which queries, with commas.")
@click.option("--workers", default=None, help="Numbers of workers, with commas; default: 1 to all allowed cores.")
@click.option(
    "--units",
    default=None,
    metavar="N,N",
    help="Unit sizes to try, the best of which is measured.  [default: some for serial; the ordered engine chooses "
    "while it runs]",
)
@click.option("--repeats", type=int, default=5, show_default=True, help="Measured runs of each configuration.")
@click.option(
    "--min-seconds",
    type=float,
    default=2.0,
    show_default=True,
    help="What the fastest configuration's run lasts at least; the laps are chosen for it.",
)
@click.option(
    "--results",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where the dated result file goes; figures go to its folder figures/.",
)
def command(
    scale_factor: float,
    data: Path | None,
    days: int,
    seed: int,
    profile: str,
    queries: str,
    workers: str | None,
    units: str | None,
    repeats: int,
    min_seconds: float,
    folder: Path,
) -> None:
    """Measure throughput and latency of the five queries with one good thread (serial) and with the ordered engine.

    Runs are interleaved, warmed up, repeated, and every one is checked. The serial engine is calibrated to its best
    unit size first; the ordered engine chooses unit and plan while it runs. Prints a table; writes a dated JSON file
    and a figure.

    \b
    Examples:
      streambench bench
      streambench bench --scale-factor 1 --repeats 7
      streambench bench --data data/mine --queries q1 --workers 1,2,4
    """
    counts = _numbers("workers", workers) if workers else worker_counts()
    plan = Plan(
        queries=[name.strip() for name in queries.split(",") if name.strip()],
        workers=counts,
        repeats=repeats,
        min_seconds=min_seconds,
        units=_numbers("units", units) if units else (),
    )
    console, messages = Console(), Console(stderr=True)
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=120)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=messages,
        transient=True,
    ) as progress:
        line = progress.add_task("starting", total=1.0)

        told: list[str] = []

        def report(what: str, fraction: float) -> None:
            progress.update(line, description=what, completed=fraction)
            step = what.partition(":")[0]
            if not messages.is_terminal and step not in told:  # a log gets a line per step instead of a bar
                told.append(step)
                messages.print(f"streambench bench: {step}", highlight=False)

        if data is None:
            described = {"scale_factor": scale_factor, "days": days, "seed": seed, "data_profile": profile}
            data = generated(scale_factor, days, seed, profile, lambda step, done: report(f"generating {step}", done))
        else:
            described = {"data": data.name}
        catalog = Catalog.open(data)
        document = bench(catalog, plan, described, report)
    console.print(table(document["summary"]))
    for warning in document["warnings"]:
        messages.print(f"note: {warning}", highlight=False, soft_wrap=True)
    written = results.write(document, folder)
    console.print(f"result: {written}", soft_wrap=True, highlight=False)
    wrong = [row for row in document["summary"] if not row["verified"]]
    if wrong:
        names = ", ".join(sorted({f"{row['query']} {row['engine']} with {row['workers']} workers" for row in wrong}))
        raise click.ClickException(f"wrong results, which have no number: {names}")
    for figure in draw(document, folder / "figures"):
        console.print(f"figure: {figure}", soft_wrap=True, highlight=False)


def _numbers(name: str, text: str) -> list[int]:
    try:
        found = [int(each) for each in text.split(",") if each.strip()]
    except ValueError:
        raise OptionError(f"--{name} takes whole numbers with commas between them, not {text!r}.") from None
    if not found or min(found) < 1:
        raise OptionError(f"--{name} takes numbers from 1 up, not {text!r}.")
    return found
