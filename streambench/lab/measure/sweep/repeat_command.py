"""The command that repeats one run of a sweep."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.workloads.micro import OperatorSpec
from streambench.lab.workloads.operator_cost import OperatorCost

FLAGS = {"heuristics": "heuristic", "reorders": "reorder", "partitionings": "partitioning", "routings": "routing"}
FLAGS |= {"partition-by": "partition_by", "workers": "workers", "partitions": "partitions", "credits": "credit"}
TIMES = {"time-slices": "time_slice", "half-lives": "window"}
OF_ORDERED = ("partition-by", "workers", "partitions", "credits")


def repeat_command(run: Mapping[str, Any], place: Sequence[object] = ()) -> str:
    """The `streambench bench sweep` command line of a run's workload and configuration; ``place``: options naming its
    data."""
    words: list[object] = ["streambench", "bench", "sweep", *_workload(run), *place]
    words += [] if run["engine"] == "schemes" else ["--engines", run["engine"]]
    flags = {"serial": (), "ordered": OF_ORDERED, "schemes": tuple(FLAGS)}[run["engine"]]
    for flag in flags:
        words += [f"--{flag}", run[FLAGS[flag]]]
    words += ["--rates", f"{run['rate']:.17g}"] if run["rate"] else []
    if run["engine"] == "schemes":
        words += [word for flag, name in TIMES.items() for word in (f"--{flag}", f"{run[name]:g}s")]
        words += ["--capacities", run["capacity"]] if run["heuristic"] == "qst" else []
        words += [] if run["fuse"] else ["--no-fuse"]
    return shlex.join(map(str, [*words, *(["--units", run["unit"]] if run["unit"] else [])]))


def _workload(run: Mapping[str, Any]) -> list[object]:
    micro = run["micro"]
    if micro is None:
        query, cost = OperatorCost.of_workload(run["query"])
        return ["--queries", query, *(["--operator-costs", cost] if cost else [])]
    operators = [OperatorSpec(**each) for each in micro["operators"]]
    words: list[object] = ["--micro", "-".join(each.text for each in operators)]
    words += ["--state-sizes", operators[0].state_size, "--tuple-sizes", micro["tuple_size"], "--keys", micro["keys"]]
    words += ["--sigmas", micro["sigma"]] if micro["keys"] == "normal" else []
    return words + (["--exponents", micro["exponent"]] if micro["keys"] == "zipf" else [])
