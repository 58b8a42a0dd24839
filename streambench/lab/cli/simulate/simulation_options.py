"""Options that commands of simulated cores have in common: one declaration of each, and what they are checked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import runtime_options
from streambench.lab.cli.shared_options import Decorator
from streambench.lab.data.catalog import Catalog
from streambench.lab.show.output import STDOUT, check_places
from streambench.lab.simulate.simulate import SEEDS
from streambench.lab.simulate.topology import Topology

OF_SCHEMES = runtime_options.only(
    "unit",
    "partitions",
    "partition_by",
    "heuristic",
    "reorder",
    "partitioning",
    "capacity",
    "time_slice",
    "window",
    "credit",
    "fuse",
)
OF_ENGINES = runtime_options.only("engine", "plan", "latency_target", *OF_SCHEMES.names).but(
    "--engine",
    metavar="ordered|schemes",
    help="What is simulated.  [default: ordered; schemes, if an option of schemes is given]",
)
"""Of `schemes` and `ordered`."""


def machine_options(seed: str) -> Decorator:
    """``--topology`` and ``--seed``, of which ``seed`` says what it is of."""

    def declared(command: Callable[..., Any]) -> Callable[..., Any]:
        given = click.option("--seed", type=int, default=1, show_default=True, help=seed)(command)
        return click.option(
            "--topology",
            metavar="SxC|SxKxC",
            help="Sockets times cores of each, such as 2x64, or sockets times clusters times cores, such as 2x8x8.  "
            "[default: one socket, assumed]",
        )(given)

    return declared


profiles_option = click.option(
    "--profiles",
    type=LocalPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep what is measured in this file, and take from it what it has.  [default: measured anew]",
)


def rows_out(what: str) -> Decorator:
    """``--json``: where ``what`` goes."""
    return click.option(
        "--json",
        "json_out",
        type=LocalPath(path_type=Path, allow_dash=True),
        metavar="FILE|-",
        help=f"Write the {what} (JSON).",
    )


def check_rows_out(place: Path | None, read: Iterable[Path | None], data: Catalog | None = None) -> None:
    """Raise StreambenchError, before anything is measured, for a ``place`` of rows that cannot be written to, or is one
    of what is ``read``: files and folders, and the tables of ``data``."""
    if place in (None, STDOUT):
        return
    assert place is not None, "it was named"
    check_places({"--json": place}, data)
    files = [each for each in read if each is not None]
    keep_inputs({"--json": place}, files, [str(each) for each in files], "read")


def machine(topology: str | None, seed: int, cores: list[int]) -> tuple[Topology, dict[str, Any]]:
    """The topology, and what a document says of it. Raises OptionError for cores that it has not, and for the seed."""
    if not 0 <= seed < SEEDS:
        raise OptionError(f"--seed must be from 0 to 2**63 - 1, not {seed}.")
    place = Topology() if topology is None else Topology.of(topology)
    for each in cores:
        place.require(each)
    return place, {"topology": str(place), "topology_is": "assumed" if topology is None else "given", "seed": seed}
