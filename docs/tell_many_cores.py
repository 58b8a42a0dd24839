"""Writes the tables of docs/many-cores.md from the results of 16 cores.

``python docs/tell_many_cores.py``. Each table stands between two comments of the page; a test compares it with the
results.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from streambench.lab.record import results
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.perf_summary import TIMES
from streambench.lab.record.statistics import Interval, paired_ratio
from streambench.lab.record.summary import SERIAL, duration, human, ratio_text
from streambench.lab.record.sweep_summary import title
from streambench.lab.record.topk_summary import MOST_TOLD, shares

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "many-cores.md"
BEGIN, END = "<!-- {} by docs/tell_many_cores.py -->", "<!-- until here -->"
MOST = 16
CORES = (1, 2, 4, 8, MOST)

BENCH = "20261127T234907Z-intel-xeon-16c-bench"
SCALING = ("20261127T235101Z-intel-xeon-16c-perf", "20261127T235950Z-intel-xeon-16c-perf")
PLANS = ("20261127T235203Z-intel-xeon-16c-perf", "20261128T000109Z-intel-xeon-16c-perf")
SWEEP = "20261127T235259Z-intel-xeon-16c-sweep"
JOINS = ("20261127T235339Z-intel-xeon-16c-join-bench", "20261128T000157Z-intel-xeon-16c-join-bench")
TOPK = "20261127T235420Z-intel-xeon-16c-topk-bench"
SNET = "20261127T235443Z-intel-xeon-16c-snet-bench"
ORDINALS = ("first", "second")

Row = Mapping[str, Any]


def read(name: str) -> dict[str, Any]:
    """A committed result."""
    return results.read(ROOT / "results" / f"{name}.json")


def tables() -> dict[str, str]:
    """Every table of the page, by its name."""
    return {
        "queries": queries(read(BENCH)),
        "held plans": held_plans(read(BENCH)["runs"]),
        "first scaling": scaling(read(SCALING[0])),
        "second scaling": scaling(read(SCALING[1])),
        "workers against loops": workers_against_loops([read(name) for name in SCALING]),
        "plans": plans([read(name) for name in PLANS]),
        "schemes over queries": schemes_over_queries(read(SWEEP)),
        "schemes over pipelines": schemes_over_pipelines(read(SWEEP)["summary"]),
        "join speed": joins([read(name) for name in JOINS], "throughput", _speed_up("comparisons_per_second")),
        "join latency": joins([read(name) for name in JOINS], "latency", _join_latency),
        "top-k": topk(read(TOPK)["summary"]),
        "front": front(read(SNET)["summary"]),
        "results": sources((BENCH, *SCALING, *PLANS, SWEEP, *JOINS, TOPK, SNET)),
    }


def replaced(page: str, texts: Mapping[str, str]) -> str:
    """The page with these tables."""
    for name, table in texts.items():
        begin = BEGIN.format(name)
        before, _, rest = page.partition(f"{begin}\n")
        _, end, after = rest.partition(END)
        if not end or begin in after:
            raise ValueError(f"the page must have one table between {begin} and {END}")
        page = f"{before}{begin}\n{table}\n{END}{after}"
    return page


def markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body))


def queries(result: Row) -> str:
    """The ratio to serial of each query, by workers, and the latency of serial and of the most workers."""
    rows = {(row["query"], 0 if row["engine"] == SERIAL else row["workers"]): row for row in result["summary"]}
    few = heading("ratio to serial", (Interval.of(row["ratio"]) for row in rows.values()))
    body = []
    for query in dict.fromkeys(query for query, _ in rows):
        pairs = _span(rows[query, n]["ratio"]["n"] for n in CORES)
        latencies = (duration(rows[query, n]["latency"]["p50"]) for n in (0, MOST))
        body.append([query, pairs, *(ratio_text(rows[query, n]["ratio"]) for n in CORES), *latencies])
    head = [few, "pairs", "1 worker", *(f"{n} workers" for n in CORES[1:])]
    return markdown([*head, "median latency of `serial`", f"of {MOST} workers"], body)


def held_plans(runs: Sequence[Row]) -> str:
    """The runs with the most workers by the plan that each held for the longest part of its time."""
    serial = {(run["query"], run["repeat"]): run["throughput"] for run in runs if run["engine"] == SERIAL}
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for run in runs:
        if run["workers"] == MOST and (run["query"], run["repeat"]) in serial:
            groups[run["query"], _longest_plan(run)].append(run)
    body = []
    for (query, plan), group in sorted(groups.items()):
        theirs = [serial[query, run["repeat"]] for run in group]
        ratio = _spread(paired_ratio([run["throughput"] for run in group], theirs))
        busy = _span(round(run["cpu_seconds"] / run["seconds"], 1) for run in group)
        body.append([query, plan, _count(len(group)), ratio, busy])
    return markdown(["query", "plan held longest", "runs", "ratio to serial", "busy cores (min to max)"], body)


def _longest_plan(run: Row) -> str:
    seconds: dict[str, float] = defaultdict(float)
    ends = [*(choice["seconds"] for choice in run["choices"][1:]), run["seconds"]]
    for choice, end in zip(run["choices"], ends, strict=True):
        plan = choice["plan"]
        kind = "whole" if plan == "whole" else "sharded" if re.search(r" x\d", plan) else "cut"
        seconds[kind] += end - choice["seconds"]
    return max(seconds, key=lambda kind: seconds[kind])


def scaling(result: Row) -> str:
    """Workers and loops against one loop, of each case."""
    rows = {row["what"]: row for row in result["summary"]}

    def cell(case: str, n: int) -> str:
        workers = rows[f"{case}: {n} workers against 1 loop"]["median"]
        loops = 1.0 if n == 1 else rows[f"{case}: {n} loops at once against 1 loop"]["median"]
        return f"{workers:.2f} / {loops:.2f}"

    cases = {run["case"]: len(run["series"][0]["values"]) for run in result["runs"]}
    body = ([case, _count(n), *(cell(case, cores) for cores in CORES)] for case, n in cases.items())
    return markdown(["workers / loops, to one loop", "runs", *map(str, CORES)], body)


def workers_against_loops(summary: Sequence[Row]) -> str:
    """Workers against as many loops at once, of each case, both results side by side."""
    rows = [{row["what"]: row for row in result["summary"]} for result in summary]
    places = [(n, which) for n in CORES[1:] for which in range(len(summary))]
    body = (
        [case, *(_spread(Interval.of(rows[i][f"{case}: {n} workers against {n} loops at once"])) for n, i in places)]
        for case in (run["case"] for run in summary[0]["runs"])
    )
    return markdown(["workers to as many loops", *(f"{n}, {ORDINALS[i]}" for n, i in places)], body)


def plans(summary: Sequence[Row]) -> str:
    """The chosen plan against the best by hand and against serial, of both results."""
    cases = [[(run, which, result) for run in result["runs"]] for which, result in zip(ORDINALS, summary, strict=True)]
    body = []
    for run, which, result in (each for pair in zip(*cases, strict=True) for each in pair):
        by_what = {row["what"].partition(": ")[2]: row for row in result["summary"] if row["case"] == run["case"]}
        values = {each["name"]: each["values"] for each in run["series"]}
        best = next(row["of"] for row in run["rows"] if row["what"].endswith("by hand"))
        chosen = [Interval.of(by_what[f"chosen against {other}"]) for other in ("the best by hand", SERIAL)]
        spreads = [
            _spread(each)
            for each in (*chosen, *(paired_ratio(values[SERIAL], values[plan]) for plan in (best, "whole")))
        ]
        body.append([run["case"].removesuffix(", quiet"), which, _count(len(values[best])), best, *spreads])
    head = [
        "query",
        "result",
        "runs",
        "best by hand",
        "chosen to the best",
        "chosen to serial",
        "best to serial",
        "`whole` to serial",
    ]
    return markdown(head, body)


def schemes_over_queries(result: Row) -> str:
    """Each option of the paper's engine, and serial with one tuple a unit, in per cent of serial at its best."""
    rows = [row for row in result["summary"] if row["micro"] is None]
    serial: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in sorted(result["runs"], key=lambda run: int(run["repeat"])):
        if run["engine"] == SERIAL:
            serial[run["query"], run["unit"]].append(run["throughput"])
    cells: dict[str, list[str]] = defaultdict(list)
    places = [(query, n) for query in dict.fromkeys(row["query"] for row in rows) for n in (4, MOST)]
    for query, n in places:
        cells["`serial`, one tuple a unit"].append(_percent(paired_ratio(serial[query, 1], serial[query, 1024])))
        for row in rows:
            if (row["query"], row["workers"]) == (query, n):
                cells[_option(row)].append(_percent(Interval.of(row["ratio"])))
    head = [
        f"per cent of serial ({_span(row['runs'] for row in rows)} runs)",
        *(f"{query}, {n}" for query, n in places),
    ]
    return markdown(head, ([option, *row] for option, row in cells.items()))


def schemes_over_pipelines(summary: Sequence[Row]) -> str:
    """Partitioning and reordering of the paper's engine over parametric pipelines."""
    rows = [row for row in summary if row["micro"] is not None and row["engine"] != SERIAL]
    cells: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for row in rows:
        option = f"reordering `{row['reorder']}`" if row["query"].startswith("sl") else f"`{row['partitioning']}`"
        option += ", routed in order" if row["routing"] == "in-order" else ""
        cells[title(row), option][row["workers"]] = ratio_text(row["ratio"])
    head = ["pipeline", "option", *(f"{n} workers ({_span(row['runs'] for row in rows)} runs)" for n in (4, MOST))]
    return markdown(head, ([*key, row[4], row[MOST]] for key, row in cells.items()))


def _option(row: Row) -> str:
    for name, usual in (("heuristic", "ct"), ("partitioning", "hybrid"), ("reorder", "nonblocking")):
        if row[name] != usual:
            return f"{name} `{row[name]}`"
    return "`ct`, `hybrid`, `nonblocking`"


def joins(summary: Sequence[Row], measure: str, cell: Callable[[Row, Row], str]) -> str:
    """A row for each tier and result."""
    body = []
    for which, result in zip(ORDINALS, summary, strict=True):
        rows = {(row["tier"], row["threads"]): row for row in result["summary"] if row["measure"] == measure}
        for tier in dict.fromkeys(tier for tier, _ in rows):
            own = {n: rows[tier, n] for n in CORES if (tier, n) in rows}
            runs = _count(*(row["runs"] for row in own.values()))
            body.append([f"`{tier}`", which, runs, *(cell(own[n], own[1]) if n in own else "" for n in CORES)])
    return markdown(["tier", "result", "runs", *(f"{n} thread{'s' * (n > 1)}" for n in CORES)], body)


def _speed_up(name: str) -> Callable[[Row, Row], str]:
    return lambda row, least: f"{human(row[name])}, {row[name] / least[name]:.2f} {TIMES}"


def _join_latency(row: Row, _: Row) -> str:
    late = "" if row["sustained"] else ", behind the rate"
    return f"{duration(row['latency']['p50'])}, {duration(row['latency']['p99'])}{late}"


def topk(summary: Sequence[Row]) -> str:
    """Updates a second of each design, and what takes most of the time with the most threads that were timed."""
    cell = _speed_up("updates_per_second")
    body = []
    for alpha, design in dict.fromkeys((row["alpha"], row["design"]) for row in summary):
        rows = {row["threads"]: row for row in summary if (row["alpha"], row["design"]) == (alpha, design)}
        runs = _count(*(row["updates_interval"]["n"] for row in rows.values()))
        timed = [(n, shares(row["profile"])) for n, row in sorted(rows.items()) if row["profile"]]
        cells = [cell(rows[n], rows[2]) for n in CORES[1:]]
        body.append([f"{alpha:g}", f"`{design}`", runs, *cells, _most(*timed[-1]) if timed else ""])
    return markdown(["α", "design", "runs", *(f"{n} threads" for n in CORES[1:]), "most of the time"], body)


def _most(threads: int, parts: Mapping[str, float]) -> str:
    largest = sorted(parts, key=lambda name: -parts[name])[:MOST_TOLD]
    return f"{threads}: " + ", ".join(f"{name.replace('_', ' ')} {parts[name]:.0f} %" for name in largest)


def front(summary: Sequence[Row]) -> str:
    """The time of one worker by that of more, of each program."""
    programs: dict[tuple[str, int, int], dict[int, Row]] = defaultdict(dict)
    for row in summary:
        if row["runtime"] == "front":
            programs[row["case"], row["size"], row["concurrency"]][row["workers"]] = row
    body = []
    for (case, size, calls), rows in programs.items():
        one = programs[case, size, 1][1]["seconds_interval"]
        runs = _count(*(row["runs"] for row in rows.values()))
        start = [f"`{case}` {size:,}", str(calls), runs, _spread(Interval.of(one), duration)]
        body.append([*start, *(ratio_text(rows[n]["ratio"]) for n in CORES[1:])])
    return markdown(
        ["program", "calls of a box at once", "runs", "one worker", *(f"{n} workers" for n in CORES[1:])], body
    )


def sources(names: Sequence[str]) -> str:
    """The results, how many of their points were wrong, and what they warn of."""
    body = []
    for name in names:
        result = read(name)
        holds = f"{len(result['runs'])} {'cases' if result['kind'] == 'perf' else 'runs'}"
        wrong = sum(not row.get("verified", True) for row in result["summary"])
        warnings = "; ".join(re.sub(r" ?\([^)]*\)", "", warning).partition(":")[0] for warning in result["warnings"])
        body.append([f"`results/{name}.json`", holds, str(wrong), warnings])
    return markdown(["result", "holds", "wrong points", "warns"], body)


def _spread(interval: Interval, write: Callable[[float], str] = "{:.2f}".format) -> str:
    return written(interval, write)


def _percent(interval: Interval) -> str:
    return _spread(interval, lambda share: f"{100 * share:.2g}")


def _count(*runs: int) -> str:
    return "one" if set(runs) == {1} else _span(runs)


def _span(numbers: Iterable[float]) -> str:
    return " to ".join(map(str, dict.fromkeys((min(values), max(values))))) if (values := list(numbers)) else ""


if __name__ == "__main__":
    PAGE.write_text(replaced(PAGE.read_text("utf-8"), tables()), "utf-8")
