"""The file of ``run --timeline``: its ending says what it is.

Lanes of workers as a picture, a table or a trace; of the paper's schemes a picture of their worklists.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.execution.result import Result
from streambench.lab.atomic_file import Writer
from streambench.lab.figures import lanes as lanes_figure
from streambench.lab.figures import timeline as worklists
from streambench.lab.figures.files import SVG, csv_text
from streambench.lab.record.lanes import Lanes, lanes
from streambench.lab.show import trace_events
from streambench.lab.workloads.result import RunResult

PICTURES = worklists.FORMATS
FORMATS = (*PICTURES, "csv", "json")


def check_format(path: Path, options: Options) -> str:
    """The format that the ending names. Raises OptionError for one that a run with these options cannot have."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise OptionError(f"--timeline {path} must end in .{', .'.join(FORMATS)}: give it one of these endings.")
    if kind not in PICTURES and not has_lanes(options):
        raise OptionError(
            f"--timeline {path} would hold a lane for each worker, and the paper's schemes log none: draw their "
            f"worklists (.{', .'.join(PICTURES)}), or choose --engine ordered or serial."
        )
    return kind


def has_lanes(options: Options) -> bool:
    """Does a profiled run log what each worker does?"""
    return options.named_engine != "schemes"


def run_lanes(result: Result) -> Lanes:
    """The lanes of a profiled run. Raises OptionError for one that has none."""
    if result.timeline is None or "worker" not in result.timeline:
        raise OptionError("this run logged no lanes: run it profiled, and not by the paper's schemes.")
    names = [stage["operators"][0] for stage in result.profile]
    serial = result.engine == "serial"
    return lanes(result.timeline, names, result.choices, serial=serial, working=result.working)


def writer(path: Path, options: Options, result: Result) -> Writer:
    """What writes the timeline of a profiled run."""
    kind = check_format(path, options)
    settings = result.options
    name = result.query if isinstance(result, RunResult) else "pipeline"
    assert result.timeline is not None  # it was asked for
    if not has_lanes(options):
        how = ", ".join(str(settings[name]) for name in ("heuristic", "reorder", "partitioning"))
        title = f"{name}: {settings['workers']} workers, unit {settings['unit']}, {how}"
        names = [" + ".join(stage["operators"]) for stage in result.profile]
        samples = result.timeline
        return lambda file: worklists.write(file, kind, samples, names, title)
    of_run = run_lanes(result)
    title = f"{name}: {result.engine}, {result.working} worker{'s' if result.working > 1 else ''}"

    def write(file: IO[bytes]) -> None:
        if kind == "json":
            trace_events.write(file, of_run, title)
        elif kind == "csv":
            file.write(csv_text(list(of_run.rows())).encode())
        else:
            _picture(file, kind, of_run, title)

    return write


def _picture(file: IO[bytes], kind: str, of_run: Lanes, title: str) -> None:
    import matplotlib

    with matplotlib.rc_context(SVG):
        metadata: dict[str, Any] = {"svg": {"Date": None}}.get(kind, {})
        lanes_figure.draw(of_run, title).savefig(file, format=kind, dpi=150, metadata=metadata)
