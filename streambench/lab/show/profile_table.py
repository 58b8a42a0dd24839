"""Where the workers' time went, stage by stage, and how often its reorder buffer did not simply pass an output on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from streambench.lab.record.summary import human

EVENTS = ("refused", "waiting", "retries", "contended")


def shares(profile: Sequence[Mapping[str, Any]]) -> list[float]:
    """The part of all worker time that each stage took; zeros where no time was taken."""
    total = sum(stage["seconds"] for stage in profile)
    return [stage["seconds"] / total if total > 0 else 0.0 for stage in profile]


def profile_table(profile: Sequence[Mapping[str, Any]]) -> Table:
    """A row per stage, from source to sink; a stage's operators are those that its workers run without a hand-over."""
    table = Table(title="profile", title_justify="left", box=None, pad_edge=False)
    table.add_column("stage", no_wrap=True)
    for name in ("worker time", "share", "ns/tuple", "tuples in", "out/in", "visits", *EVENTS):
        table.add_column(name, justify="right")
    for stage, share in zip(profile, shares(profile), strict=True):
        tuples_in = stage["tuples_in"]
        events = stage.get("reorder") or {}
        table.add_row(
            "\n+ ".join(stage["operators"]),
            f"{stage['seconds']:.3f} s",
            f"{100 * share:.1f} %",
            f"{1e9 * stage['seconds'] / tuples_in:.1f}" if tuples_in else "-",
            human(tuples_in),
            f"{stage['tuples_out'] / tuples_in:.3g}" if tuples_in else "-",
            f"{stage['visits']:,}",
            *(f"{events[name]:,}" if name in events else "-" for name in EVENTS),
        )
    return table
