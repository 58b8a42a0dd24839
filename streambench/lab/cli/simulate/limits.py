"""`streambench simulate limits`: what stops each engine on many simulated cores, as a result file and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import results_folder
from streambench.lab.cli.simulate.simulation_frame import machine, seed_flag, simulated_cores, topology_flag
from streambench.lab.measure.simulation.limit_parts import CORES, COST, TUPLES, UNIT, simulate_limits
from streambench.lab.record import results
from streambench.lab.record.journaled_document import begin, end
from streambench.lab.record.limits_summary import KIND, rows
from streambench.lab.record.newest_result import result_path
from streambench.lab.show import limits_table as shown
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.marked_block import with_block
from streambench.lab.show.output import as_text, check_places, write_all
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import measure


@command_options
class LimitsOptions:
    """What is simulated; ``source``: the result that is shown instead, ``page``: where it goes, too."""

    cores: tuple[int, ...] = simulated_cores(",".join(map(str, CORES)))
    tuples: int = count("Of the stream; where the plan is chosen also of one that is longer.", TUPLES)
    topology: str | None = shared(topology_flag)
    seed: int = shared(seed_flag)
    source: str | None = option(
        "Simulate nothing: tell of this result.", spelled="--from", type=LocalPath(), metavar="FILE|latest"
    )
    page: Path | None = option(
        "Also write the table into this page, between its lines `<!-- limits: begin -->` and `<!-- limits: end -->`.",
        metavar="PAGE",
    )
    folder: Path = shared(results_folder("Where the dated result file goes."))


@command_of(LimitsOptions)
def command(options: LimitsOptions) -> None:
    """Simulate one operator by each engine, plan and scheme on many cores, and say what stops them.

    All are simulated with the same times of cache lines and wake-ups, which are measured once, and each with profile
    runs of its own. The result is a dated file. Nothing of it was measured on so many cores.

    \b
    Examples:
      streambench simulate limits
      streambench simulate limits --from latest --page docs/scale.md
    """
    topology, about = machine(options.topology, options.seed, options.cores)
    if options.page is not None:
        check_places({"--page": options.page})
        with_block(options.page, shown.MARK, "")
    console = Console() if Console().is_terminal else Console(width=150)
    if options.source is not None:
        why = "is of what is simulated, and --from simulates nothing"
        refuse_given(why, "cores", "tuples", "topology", "seed", "folder")
        _tell(console, _read(options.source), options.page)
        return
    results.check_folder(options.folder)
    messages, call = Console(stderr=True), begin()
    tell_warnings(messages, call["warnings"])
    with LiveLine() as line:
        line.wait("measuring what cores take to share")
        times = measure()
        runs = simulate_limits(
            Machine(times, topology, options.seed),
            options.cores,
            options.tuples,
            report=lambda part, done, total: line.step("simulating", done, total, "rows", f"simulating {part}"),
        )
    parameters = {**about, "cores": options.cores, "tuples": options.tuples, "unit": UNIT, "cost_us": COST}
    warnings = [*call["warnings"], *times.warnings, *end()["warnings"]]
    tell_warnings(messages, warnings, earlier=call["warnings"])
    document = results.document(
        KIND, {**parameters, "simulated": True, "times_ns": times.to_dict()}, runs, call["machine"], warnings
    )
    written = results.write(document, options.folder)
    _tell(console, document, options.page)
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)


def _read(source: str) -> dict[str, Any]:
    path = result_path(source, (KIND,))
    document = results.read_of(path, KIND)
    with results.whole(path, "what was simulated is not told"):  # before anything is printed
        shown.page(document)
    return document


def _tell(console: Console, document: dict[str, Any], page: Path | None) -> None:
    console.print(shown.terminal(rows(document["runs"])))
    console.print(shown.origin(document), soft_wrap=True, highlight=False)
    if page is not None:
        write_all({page: as_text(with_block(page, shown.MARK, shown.page(document)))})
