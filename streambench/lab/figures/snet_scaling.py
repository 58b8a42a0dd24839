"""Figures 12 and 13 of paper 004: what calls of one box at a time bring, and what workers do."""

from __future__ import annotations

from typing import Any

from streambench.lab.figures.chart import Chart, Panel, Row
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.snet_points import THREADS, Document, level, line, row, verified

FRONT = "FRONT"
IDEAL = "ideal"


def concurrency(document: Document) -> Chart | None:
    """Figure 12: execution time, and how many times as fast as threads, over the calls of one box at a time."""
    found = verified(document, "stap-like")
    if not found:
        return None
    front = [each for each in found if each["runtime"] == "front"]
    threads = next((each for each in found if each["runtime"] == "threads"), None)
    panels = {"time": Panel("a: execution time", "execution time", unit=seconds)}
    drawn: list[Row] = []
    for each in front:
        drawn.append(row("time", line(each), each["concurrency"], each, document, lambda taken, _: taken))
    if threads:
        drawn.append(level("time", THREADS, None, threads["seconds"]))
        panels["speed-up"] = Panel("b: threads' time to FRONT's", "times as fast")
        for each in front:
            drawn.append(
                row(
                    "speed-up",
                    line(each),
                    each["concurrency"],
                    each,
                    document,
                    _times_as_fast,
                    threads,
                )
            )
    text = (
        "A pipeline of 29 boxes in the manner of MTI-STAP, a substitute for it: the original is not public. The paper: "
        f"several calls of one box at a time make FRONT faster, as far as the application goes.{_gain(front)}"
    )
    return Chart("calls of one box at a time", panels, drawn, list(dict.fromkeys(map(line, front))), text)


def _gain(front: list[dict[str, Any]]) -> str:
    most = max((each["workers"] for each in front), default=1)
    own = {each["concurrency"]: each["seconds"] for each in front if each["workers"] == most}
    if len(own) < 2 or 1 not in own:
        return ""
    best = min(own, key=lambda calls: own[calls])
    return (
        f" Here, with {most} workers, {best} at a time are the fastest, {own[1] / own[best]:.2f} times as fast as one."
    )


def _times_as_fast(own: float, beside: float) -> float:
    return beside / own


def workers(document: Document) -> Chart | None:
    """Figure 13: how many times as fast as one worker, over workers; a panel for each size of matrix and tile."""
    found = verified(document, "cholesky")
    one = {(each["size"], each["tile"]): each for each in found if (each["runtime"], each["workers"]) == ("front", 1)}
    if not one:
        return None
    panels: dict[str, Panel] = {}
    drawn: list[Row] = []
    told = []
    for (size, tile), base in one.items():
        name = f"{size}/{tile}"
        panels[name] = Panel(f"{size:,} by {size:,}, tiles of {tile}", "times as fast as one worker")
        own = [each for each in found if (each["size"], each["tile"]) == (size, tile)]
        front = [each for each in own if each["runtime"] == "front"]
        for each in front:
            drawn.append(row(name, FRONT, each["workers"], each, document, _times_as_fast, base))
            drawn.append(level(name, IDEAL, each["workers"], each["workers"]))
        for each in own:
            if each["runtime"] == "threads":
                drawn.append(level(name, THREADS, None, base["seconds"] / each["seconds"]))
        most = max(front, key=lambda each: int(each["workers"]))
        if most["workers"] > 1:
            told.append(f"{base['seconds'] / most['seconds']:.2f} times at {name} with {most['workers']} workers")
    text = (
        "Cholesky decomposition by tiles. The paper: FRONT gains up to 24 cores with small tiles, up to 48 with tiles "
        "of four times the data; threads gain little." + (f" Here {', '.join(told)}." if told else "")
    )
    return Chart("workers", panels, drawn, [FRONT], text)
