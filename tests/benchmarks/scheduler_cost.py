"""What one decision of the scheduler costs: ``python tests/benchmarks/scheduler_cost.py [--markdown FILE]``.

Every heuristic, over pipelines of 3 to 24 stages that all have work. *Alone*: nothing changes between two decisions.
*Hammered*: on another core a thread makes visits of one tuple to all stages, one after the other, without a pause; no
worker does as little between two visits. Threads are pinned to the first two cores.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
from streambench.pyx.table_source import TableSource

from streambench.core_distance import round_trips
from streambench.errors import StreambenchError
from streambench.limits import allowed_cpus
from streambench.options import SCHEDULERS
from streambench.pyx import heuristics

PROBES = Path(__file__).resolve().parents[1] / "probes"
BUILT = PROBES.parents[1] / "build" / "probes"
STAGES = (3, 6, 12, 24)
DECISIONS = 20_000
REPEATS = 9
CAPACITY = 8192.0


def compiled() -> Any:
    """The module of the probe, built when its sources have changed. Raises StreambenchError if it does not compile."""
    BUILT.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PROBES_BUILD": str(BUILT / "cpp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(BUILT), "--build-temp", str(BUILT)]
    made = subprocess.run(command, cwd=PROBES, env=environment, capture_output=True, text=True, check=False)
    if made.returncode:
        raise StreambenchError(f"the probes do not compile:\n{(made.stdout + made.stderr)[-3000:]}")
    sys.path.insert(0, str(BUILT))
    try:
        return importlib.import_module("probe_scheduling")
    finally:
        sys.path.remove(str(BUILT))


def busy_stages(probe: Any, name: str, stages: int) -> Any:
    """A pipeline whose stages have been visited and have work; costs and selectivities differ."""
    source = TableSource([np.arange(100_000)], ["a"])
    scheduled = probe.Scheduled(source, stages, heuristics.make(name, CAPACITY))
    for place in range(stages):
        scheduled.enqueue(place, 1500)
        scheduled.begin(place)
        scheduled.take(place, 1000, 900 + place)
        scheduled.end(place, 50_000 + 1000 * place)
    return scheduled


def measure(probe: Any) -> list[tuple[str, str, list[float]]]:
    """Per way and heuristic, the median ns per decision for each number of stages; all are interleaved."""
    ways = [("alone", False), *([("hammered", True)] if len(allowed_cpus()) > 1 else [])]
    places = [(way, name, n) for way, _ in ways for name in SCHEDULERS for n in STAGES]
    found: dict[tuple[str, str, int], list[float]] = {place: [] for place in places}
    hammered = dict(ways)
    for repeat in range(REPEATS):
        for way, name, n in places if repeat % 2 == 0 else reversed(places):
            found[way, name, n].append(busy_stages(probe, name, n).time(DECISIONS, hammered[way]))
    return [(way, name, [median(found[way, name, n]) for n in STAGES]) for way, _ in ways for name in SCHEDULERS]


def table(rows: list[tuple[str, str, list[float]]]) -> str:
    """The rows in markdown."""
    lines = ["| ns per decision | heuristic | " + " | ".join(f"{n} stages" for n in STAGES) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(STAGES))
    lines += [
        f"| {way} | `{name}` | " + " | ".join(f"{value:.0f}" for value in values) + " |" for way, name, values in rows
    ]
    return "\n".join(lines) + "\n"


@click.command(help=__doc__)
@click.option("--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write the table to a file, too.")
def main(markdown: Path | None) -> None:
    try:
        found = table(measure(compiled()))
    except StreambenchError as error:
        raise click.ClickException(str(error)) from error
    distances = ", ".join(f"{cores}: {ns:.0f} ns" for cores, ns in round_trips().items())
    print(found + (f"\nA cache line's round trip between cores: {distances}." if distances else ""))
    if markdown is not None:
        markdown.write_text(found)


if __name__ == "__main__":
    main()
