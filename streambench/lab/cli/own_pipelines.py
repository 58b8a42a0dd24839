"""Own pipelines among a command's workloads: which options they may have, and the functions that build them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from streambench.errors import OptionError
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own


def own_workloads(
    names: Sequence[str], oracle: Path | None, of_queries: Sequence[str], data: Path | None, *, in_memory: bool = True
) -> dict[str, OwnWorkload]:
    """The own pipelines among the workloads ``names`` of the command that runs, each built once.

    ``data``: what --data names, None where that is of queries; ``in_memory``: see ``OwnWorkload``.

    Raises OptionError for an oracle without a single own pipeline, for options ``of_queries`` that were given although
    no query is named, and for what is wrong with a function.
    """
    own = list(dict.fromkeys(name for name in names if is_own(name)))
    if oracle is not None and len(own) != 1:
        raise OptionError(
            f"--oracle belongs to one own pipeline, module:function, and {len(own) or 'none'} "
            f"{'are' if len(own) > 1 else 'is'} named: leave it out, or name one."
        )
    if own and all(map(is_own, names)):
        refuse_given(f"belongs to queries, and {own[0]} is an own pipeline", *of_queries)
    return {name: OwnWorkload(name, oracle, data, in_memory=in_memory) for name in own}
