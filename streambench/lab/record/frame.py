"""Results as one pandas DataFrame: a row for each measured run, whatever kind of result it is of.

>>> import streambench
>>> frame = streambench.lab.load_results("results/*.json")                                     # doctest: +SKIP
>>> frame.groupby(["workload", "engine", "workers"])["speed_up"].median()                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from streambench.lab.host.machine import title as machine_title
from streambench.lab.record import join_summary, results, topk_summary
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.result_files import Names, result_files
from streambench.lab.record.run import Plain, Row, Run
from streambench.lab.record.summary import SERIAL
from streambench.lab.record.sweep_summary import title

PERF = "perf"
ORIGIN = ("file", "kind", "created", "version", "git", "machine", "cores", "data", "scale_factor")
RUN = ("workload", "engine", "workers", "rate", "repeat", "verified")
QUANTILES = ("mean", "p50", "p90", "p99", "p999", "max")
MEASURED = ("tuples", "seconds", "throughput", "speed_up", *(f"latency_{name}" for name in QUANTILES))
COLUMNS = (*ORIGIN, *RUN, *MEASURED, "core_round_trip_ns")
"""Those that every frame has; others are there where a result has them."""

COUNTS = ("cores", "workers", "repeat", "unit", "partitions", "chosen_unit")
CHECKS = ("sequence_ok", "answer_ok", "problem", "lap_problem", "wrong")
NUMBERS = ("seconds", "throughput", "comparisons_per_second", "tuples_per_second", "updates_per_second")
HISTOGRAM = "_histogram"  # some kilobytes of text: of whole distributions, which stay in the file
SPEC = ("tuple_size", "keys", "sigma", "exponent", "key_space")
OPERATOR = ("cost_us", "selectivity", "state_size")


def load_results(names: Names) -> pd.DataFrame:
    """The runs of result files of all kinds as a tidy DataFrame: a row for each run, repeats apart.

    ``names``: a file, a folder, a pattern such as ``"results/*.json"``, or several of them. The columns ``COLUMNS`` are
    always there. Seconds are seconds, rates are per second. What a run has not is missing (NaN, NA or None), and a run
    that was wrong has no number. `docs/report.md` tells all columns.

    Raises StreambenchError for a file that is missing or is no result, and where nothing is found.
    """
    files = result_files(names)
    rows = []
    for path in files:
        with results.whole(path, "its runs cannot be put into a table"):
            rows += _rows(path)
    extra = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in COLUMNS]
    used = [name for name in extra if any(row.get(name) is not None for row in rows)]
    # Options stand before what was measured.
    options = [name for name in CONFIGURATION if name in used]
    order = [*ORIGIN, *RUN, *options, *MEASURED, "core_round_trip_ns", *(name for name in used if name not in options)]
    frame = pd.DataFrame({name: [row.get(name) for row in rows] for name in order})
    with results.whole(files[0] if len(files) == 1 else "one of the results", "a column cannot be made of its runs"):
        frame["created"] = pd.to_datetime(frame["created"], utc=True, format="ISO8601")
        for name in (name for name in COUNTS if name in frame):
            frame[name] = pd.to_numeric(frame[name]).astype("Int64")
        frame["verified"] = frame["verified"].astype("boolean")
        for name in (*MEASURED, "rate", "core_round_trip_ns", "scale_factor"):
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
    return frame


def _rows(path: Path) -> list[Row]:
    document = results.read(path)
    parameters, machine = document["parameters"], document["machine"]
    origin = {
        "file": path.name,
        **{name: document.get(name) for name in ("kind", "created", "version", "git")},
        "machine": machine_title(machine),
        "cores": len(machine["cpu"]["allowed"]),
        **{name: parameters.get(name) for name in ("data", "scale_factor")},
    }
    if document["kind"] == PERF:
        return [{**origin, **row} for case in document["runs"] for row in _of_case(case)]
    rows = [{**_plain(run), **origin, **_named(str(document["kind"]), run)} for run in document["runs"]]
    _pair(rows)
    return rows


def _of_case(case: Plain) -> Iterator[Row]:
    """A row for each value of each series."""
    for series in case["series"]:
        for repeat, value in enumerate(series["values"]):
            yield {
                **{"workload": case["section"], "case": case["case"], "repeat": repeat, "verified": True},
                **{"quantity": series["name"], "value": value, "value_unit": series["unit"]},
            }


def _named(kind: str, run: Plain) -> Row:
    """What was run, and whether it was right, in one language for all kinds."""
    right = Run(run).right
    if kind == join_summary.KIND:
        named = {"workload": run["measure"], "engine": run["tier"], "workers": run["threads"]}
        return {**named, "throughput": run.get("tuples_per_second"), "verified": right}
    if kind == topk_summary.KIND:
        named = {"workload": "top-k", "engine": run["design"], "workers": run["threads"]}
        return {**named, "throughput": run.get("updates_per_second"), "verified": right}
    if "peer" in run:
        more = {"peer_version": run.get("version"), "peer_configuration": run.get("configuration")}
        return {"workload": run["query"], "engine": run["peer"], "verified": right, **more}
    known = "query" in run  # else it is of a kind that this version does not know
    return {"workload": title({"micro": None, **run}) if known else kind, "verified": right}


def _plain(run: Plain) -> Row:
    """The members that are one value, those of members such as ``latency`` under both names, and the first operator of
    a parametric pipeline. A run that was wrong has no number."""
    flat: Row = {}
    wrong = Run(run).right is False
    for name, value in run.items():
        if name in CHECKS or name.endswith(HISTOGRAM) or (wrong and (name in NUMBERS or name.startswith("latency"))):
            continue
        if isinstance(value, Mapping):
            if name != "micro":
                flat |= {f"{name}_{part}": each for part, each in value.items() if _is_one(each)}
        elif _is_one(value):
            flat[name] = value
    if run.get("micro"):
        flat |= {name: run["micro"].get(name) for name in SPEC}
        flat |= {name: run["micro"]["operators"][0].get(name) for name in OPERATOR}
    if run.get("choices"):
        flat |= {f"chosen_{name}": run["choices"][-1].get(name) for name in ("unit", "plan")}
    return flat


def _is_one(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _pair(rows: Sequence[Row]) -> None:
    """Add `speed_up` to runs at full speed: throughput over that of the serial engine, at its fastest unit size, in the
    same repeat over the same workload."""
    serial: dict[str, dict[Any, dict[Any, float]]] = {}
    for row in rows:
        if row.get("engine") == SERIAL and row["verified"] and row.get("throughput") and not row.get("rate"):
            at_unit = serial.setdefault(row["workload"], {}).setdefault(row.get("unit"), {})
            at_unit[row.get("repeat"), row.get("tuples")] = row["throughput"]
    fastest = {name: max(units.values(), key=lambda each: median(each.values())) for name, units in serial.items()}
    for row in rows:
        base = fastest.get(row["workload"], {}).get((row.get("repeat"), row.get("tuples")))
        if base and row.get("throughput") and not row.get("rate"):
            row["speed_up"] = row["throughput"] / base
