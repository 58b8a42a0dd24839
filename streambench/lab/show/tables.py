"""The tables that benches print, by kind of result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich.table import Table

from streambench.lab.record.cluster_bench_summary import TARGETS, WAYS, Target
from streambench.lab.record.join_summary import GATE
from streambench.lab.record.peers_summary import BASE, MIB
from streambench.lab.record.rate_search_summary import SUSTAINS, label, scheme, sustains
from streambench.lab.record.run import Plain
from streambench.lab.record.snet_summary import by
from streambench.lab.record.summary import SERIAL, duration, human
from streambench.lab.record.topk_summary import MOST_TOLD, shares
from streambench.lab.show.table import Cell, Column, Layout, number, words


def two_decimals(value: float) -> str:
    """Of a ratio: "1.84"."""
    return f"{value:.2f}"


def waits(*names: str, none: str = "-") -> list[Column]:
    """Columns of the latency's quantiles."""
    return [number(name, f"latency.{name}", duration, none) for name in names]


def to_serial(row: Plain) -> Any:
    """The ratio to the engine serial, which is 1 for itself."""
    return Cell("1", 1.0) if row["engine"] == SERIAL else row["ratio"]


def to_base(row: Plain) -> Any:
    """The ratio of the peer that all are compared with, which is 1 for itself."""
    return Cell("1", 1.0) if row["peer"] == BASE else row["ratio"]


def checked(wrong: str) -> Column:
    """Whether all runs were right. ``wrong``: else, with the row's fields in braces."""
    return Column("verified", lambda row: "yes" if row["verified"] else wrong.format_map(row))


WRONG = checked("[bold red]no[/bold red] ({wrong} of {runs} wrong)")
PLAINLY_WRONG = checked("no, {wrong} of {runs} wrong")


def bench(rows: Sequence[Plain]) -> Table:
    """Of `bench queries`."""
    columns = (
        *words("query", "engine"),
        number("workers", "workers"),
        number("unit", lambda row: row["unit"] or None, none="chosen"),
        number("tuples/s", "throughput", human, wrong="wrong"),
        number("ratio to serial", to_serial, two_decimals, wrong="-"),
        *waits("p50", "p99"),
        WRONG,
    )
    return Layout("throughput and latency", columns, "query").terminal(rows)


def cluster(rows: Sequence[Plain]) -> Table:
    """Of `bench cluster`."""
    ways = [way for way in WAYS if any(way in row["seconds"] for row in rows)]
    columns = (
        *words("query", "data"),
        number("tuples", "tuples", "{:,}".format),
        *(number(WAYS[way], f"seconds.{way}", "{:.3f}".format) for way in ways),
        *map(_target, TARGETS),
    )
    return Layout("seconds; of growth for a million tuples", columns).terminal(rows)


def _target(target: Target) -> Column:
    def judged(ratio: float) -> str:
        return f"{ratio:.2f}{'' if ratio >= target.least else ' missed'}"

    return number(f"{target.name} (≥ {target.least:g})", lambda row: row["ratios"][target.name], judged)


def joins(rows: Sequence[Plain]) -> Table:
    """Of `bench joins`."""
    columns = (
        Column("measure", "measure"),
        Column(
            "tier", lambda row: f"{'' if row['join'] == 'scale' or _is_gate(row) else row['join'] + ' '}{row['tier']}"
        ),
        number(
            "threads", lambda row: f"{row['sources']} in, {row['readers']} out" if _is_gate(row) else row["threads"]
        ),
        number("window", "window_seconds", "{:g} s".format, none=""),
        number("tuples", "window_tuples", human, none=""),
        number("comparisons/s", "comparisons_interval", human, none=""),
        number("tuples/s", "tuples_per_second", human, none=""),
        number("deviation", "per_thread_deviation", "{:.2f} %".format, none=""),
        *waits("p50", "p99", none=""),
        PLAINLY_WRONG,
    )
    return Layout("joins of paper 001, section VI", columns, _first_word).terminal(rows)


def _is_gate(row: Plain) -> bool:
    return bool(row["measure"] == GATE)


def _first_word(row: Plain) -> str:
    return str(row["measure"]).partition(" ")[0]


def peers(rows: Sequence[Plain]) -> Table:
    """Of `bench peers`."""
    columns = (
        *words("query", "peer", "order"),
        number("laps", "laps", wrong="-"),
        number("tuples/s", "throughput", human, wrong="wrong"),
        number(
            f"{BASE} to it", to_base, lambda value: f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}", wrong="-"
        ),
        *waits("p50", "p99"),
        number("one pass", "pass_seconds", duration),
        number("memory", "peak_memory", mebibytes),
        number("start", "start_seconds", duration),
        number("first run", "first_seconds", duration),
        checked("[bold red]no[/bold red]"),
    )
    return Layout("the same queries, files and checks", columns, "query").terminal(rows)


def mebibytes(size: float) -> str:
    """Of memory: "12 MiB"."""
    return f"{size / MIB:.0f} MiB"


def rate_search(rows: Sequence[Plain]) -> Table:
    """Of `bench rate`."""
    bound = rows[0]["bound"]
    within = f"{label(bound['quantile'])} within {duration(bound['seconds'])}"
    columns = (
        *words("query"),
        Column("engine", scheme),
        number("workers", lambda row: None if row["engine"] == SERIAL else row["workers"]),
        number(SUSTAINS, sustains, wrong="wrong"),
        number("misses at", _misses, wrong="-"),
        number("of full speed", _load, "{:.0%}".format, wrong="-"),
        number("p50", lambda row: _at_the_rate(row).get("p50"), duration),
        number(label(bound["quantile"]), lambda row: _at_the_rate(row).get(row["bound"]["quantile"]), duration),
        number("runs", "runs", wrong="-"),
        WRONG,
    )
    return Layout(f"highest rate with {within} of arrival", columns, "query").terminal(rows)


def _misses(row: Plain) -> str:
    misses = "-" if row["missed_rate"] is None else f"{human(row['missed_rate'])}/s"
    return f"{misses}{' (open between)' if row['sustainable_rate'] and row['undecided'] else ''}"


def _load(row: Plain) -> float | None:
    rate, full = row["sustainable_rate"], row["full_speed"]
    return rate / full if full and rate is not None else None


def _at_the_rate(row: Plain) -> Plain:
    return next((each["latency"] for each in row["curve"] if each["rate"] == row["sustainable_rate"]), {})


def snet(rows: Sequence[Plain]) -> Table:
    """Of `bench snet`."""
    columns = (
        Column("case", "case"),
        number("size", lambda row: f"{row['size']:,}" + (f"/{row['tile']}" if row["tile"] else "")),
        Column("runtime", lambda row: by(row["runtime"], row["workers"], row["concurrency"])),
        number("ms", "seconds_interval", lambda seconds: f"{1e3 * seconds:.2f}", none=""),
        number("ratio", lambda row: f"{row['ratio']['median']:.2f} {row['ratio_to']}" if row["ratio"] else ""),
        number("calls/s", lambda row: row["calls_per_second"] or None, human, none=""),
        Column("targets", lambda row: "; ".join(map(_snet_target, row["targets"]))),
        Column("verified", PLAINLY_WRONG.of, number=True),
    )
    return Layout("benchmarks of paper 004, section 5", columns, itemgetter("case", "size", "tile")).terminal(rows)


def _snet_target(target: Mapping[str, Any]) -> str:
    sign, end = "≤" if target["at_most"] else "≥", "met" if target["met"] else "missed"
    limit = target["wanted"]
    return f"{target['what']} {sign} {limit if limit < 1000 else human(limit)}: {end}"


def stream(rows: Sequence[Plain]) -> Table:
    """Of `bench stream`."""
    columns = (
        *words("query"),
        Column("", "contender"),
        number("sustained rows/s", "sustained", "{:,.0f}".format),
        number("at rows/s", "rate", "{:,}".format),
        number("committed p50", "committed.p50", "{:.2f} s".format, none=""),
        number("p99", "committed.p99", "{:.2f} s".format, none=""),
        number("ordered p50", "ordered.p50", "{:.2f} s".format, none=""),
        number("p99", "ordered.p99", "{:.2f} s".format, none=""),
    )
    return Layout(None, columns).terminal(rows, box=None)


def topk(rows: Sequence[Plain]) -> Table:
    """Of `bench topk`; without ε and ρ where there is one of each, and what no row has."""
    several = {name for name in ("epsilon", "rho") if len({row[name] for row in rows} - {0, None}) > 1}
    known = {name for row in rows for name in row if row[name] is not None}
    columns = (
        *words("design"),
        number("α", lambda row: row["source"] if row["alpha"] is None else f"{row['alpha']:g}"),
        *([number("ε", "epsilon", "{:g}".format)] if "epsilon" in several else []),
        *([number("ρ", lambda row: row["rho"] or None, none="")] if "rho" in several else []),
        number("threads", "threads"),
        number("failing", lambda row: f"{100 * row['failing']:g} %"),
        number("updates/s", "updates_interval", human, none=""),
        number("error bound", "error_bound", lambda bound: f"{100 * bound:.4f} %", none=""),
        *(column for name, column in TOPK_MEASURES.items() if name in known),
        Column("most of its time", _most),
        PLAINLY_WRONG,
    )
    return Layout("summaries of paper 002, section 5", columns, itemgetter("source", "alpha", "threads")).terminal(rows)


def _accuracy(row: Plain) -> str | None:
    shares = [row["precision"], row["recall"]]
    return None if None in shares else ", ".join(f"{100 * each:.3g} %" for each in shares)


def _query(row: Plain) -> str | None:
    latency = row["query_latency"]
    return latency and f"{duration(latency['p50'])}, {duration(latency['p99'])}"


TOPK_MEASURES = {
    "summary_bytes": number("memory", "summary_bytes", lambda size: f"{human(size)}B", none=""),
    "precision": number("precision, recall", _accuracy, none=""),
    "query_latency": number("query p50, p99", _query, none=""),
    "stale_items": number("stale items, p99", "stale_items.p99", human, none=""),
}


def _most(row: Plain) -> str:
    most = sorted(shares(row["profile"] or {}).items(), key=lambda each: -each[1])[:MOST_TOLD]
    return ", ".join(f"{name.replace('_', ' ')} {share:.0f} %" for name, share in most)
