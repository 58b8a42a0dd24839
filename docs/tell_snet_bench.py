"""Writes the table of docs/snet.md from a result of `streambench bench snet`.

``python docs/tell_snet_bench.py results/20261124T144526Z-amd-epyc-2c-snet-bench.json``. The table stands between two
comments of the page, and names its result; a test compares it with that.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streambench.lab.record.snet_summary import rows
from streambench.lab.record.summary import human

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "snet.md"
BEGIN, END = "<!-- by docs/tell_snet_bench.py -->", "<!-- until here -->"


def measured_table(result: Path) -> str:
    """The table, and how the runs of the result were."""
    document = json.loads(result.read_text("utf-8"))
    runs = document["runs"]
    lines = [
        "| measured | wanted | median [interval] |",
        "| --- | --- | --- |",
        *(_line(row, target) for row in rows(runs) for target in row["targets"]),
        "",
        f"This is `results/{result.name}` ({document['machine']['cpu']['model']}): {len(runs)} runs,"
        f" {sum(not run['verified'] for run in runs)} of them wrong, {document['parameters']['repeats']} of each point;"
        " in brackets intervals, where there are too few runs for these the least and the most. What is short is bold.",
        *(f"It warns: {each}." for each in document["warnings"]),
    ]
    return "\n".join(lines) + "\n"


def replaced(page: str, table: str) -> str:
    """The page with another table."""
    return re.sub(f"{BEGIN}\n.*?{END}", lambda _: f"{BEGIN}\n{table}{END}", page, flags=re.DOTALL)


def _line(row: Mapping[str, Any], target: Mapping[str, Any]) -> str:
    size = f"{row['size']:,}" + (f"/{row['tile']}" if row["tile"] else "")
    calls = f", {row['concurrency']} calls of a box at a time" if row["concurrency"] > 1 else ""
    limit, found = target["wanted"], target["found"]
    if target["at_most"]:
        interval = row["seconds_interval"]
        what, texts = "one worker", [f"{1e3 * each:.3g} ms" for each in (limit, found)]
        scale = 1e3
    elif target["what"].startswith("calls"):
        interval, what, texts, scale = None, "calls a second and worker", [human(each) for each in (limit, found)], 1.0
    else:
        interval, scale = row["ratio"], 1.0
        what = "threads / FRONT" if row["workers"] == 1 else "two workers / one"
        texts = [f"{each:.3g}" for each in (limit, found)]
    bounds = f" [{scale * interval['low']:.3g}, {scale * interval['high']:.3g}]" if interval else ""
    value = texts[1] if target["met"] else f"**{texts[1]}**"
    return f"| `{row['case']}` {size}, {what}{calls} | {texts[0]} | {value}{bounds} |"


if __name__ == "__main__":
    PAGE.write_text(replaced(PAGE.read_text("utf-8"), measured_table(Path(sys.argv[1]))), "utf-8")
