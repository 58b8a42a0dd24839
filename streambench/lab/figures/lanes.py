"""The picture of lanes: where each worker's time went, slot by slot, and above them the controller's plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from streambench.lab.figures.lines import COLOURS
from streambench.lab.record.lanes import Activity, Lanes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = npt.NDArray[np.float64]
Looks = dict[Activity, tuple[str, dict[str, Any]]]

SLOTS = 240  # more than the eye can tell apart
WIDTH, LANE, STRIP, REST = 9.2, 0.62, 0.34, 1.5  # inches
LEGEND_LINE = 0.2
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "---")
IDLE = "0.93"
PALEST = 0.6  # of white in the last shard's colour
MOST_PLANS = 12  # that are told in words
WIDE = 0.02  # of the picture: a plan that lasted that long gets its number


def shares(lanes: Lanes, worker: int, activity: Activity, edges: Array) -> Array:
    """The part of each slot, between two ``edges``, that the worker spent on the activity."""
    spans = [span for span in lanes.spans if span.worker == worker and span.activity == activity]
    if not spans:
        return np.zeros(len(edges) - 1)
    ends = np.array([(span.begin, span.end) for span in spans]).ravel()
    done = np.cumsum([(0.0, span.busy) for span in spans])
    return np.asarray(np.diff(np.interp(edges, ends, done)) / np.diff(edges), dtype=float)


def activities(lanes: Lanes) -> list[Activity]:
    """All there are, from the source on."""
    return sorted({span.activity for span in lanes.spans})


def plans(lanes: Lanes) -> list[str]:
    """The plans that were chosen, each once, in order."""
    return list(dict.fromkeys(str(choice["plan"]) for choice in lanes.choices))


def draw(lanes: Lanes, title: str) -> Figure:
    """The figure: a strip of plans, where a controller chose any, and a lane for each worker."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    workers, kinds = lanes.workers, activities(lanes)
    looks = _looks(lanes, kinds)
    legend_looks = [look for label, look in looks.values() if label]
    labels = [label for label, _ in looks.values() if label]
    words = _words(plans(lanes))
    strip = [STRIP] if lanes.choices else []
    legend = LEGEND_LINE * (len(labels) + 1 + len(words))
    heights = [*strip, *[LANE] * max(1, len(workers))]
    figure = Figure(figsize=(WIDTH, sum(heights) + REST + legend))
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights).ravel()
    figure.suptitle(title, fontsize=11)
    if not lanes.spans:
        panels[0].text(0.5, 0.5, "no worker did anything", ha="center", va="center", transform=panels[0].transAxes)
        return figure
    until = max(span.end for span in lanes.spans)
    edges = np.linspace(0.0, until, SLOTS + 1)
    if strip:
        _strip(panels[0], lanes, until)
    for axes, worker in zip(panels[len(strip) :], workers, strict=True):
        _lane(axes, worker, {each: shares(lanes, worker, each, edges) for each in kinds}, looks, edges)
    panels[-1].set_xlabel("seconds since the start", fontsize=9)
    panels[-1].set_xlim(0, until)
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.085, right=0.985, top=1 - 0.45 / height, bottom=(0.75 + legend) / height, hspace=0.18)
    patches = [Patch(**look) for look in legend_looks] + [Patch(facecolor=IDLE)]
    where: dict[str, Any] = {"loc": "lower left", "frameon": False, "fontsize": 8, "borderaxespad": 0}
    low = (0.12 + LEGEND_LINE * len(words)) / height
    figure.legend(patches, [*labels, "idle"], bbox_to_anchor=(0.08, low), **where)
    figure.text(0.085, 0.1 / height, "\n".join(words), fontsize=8, va="bottom", linespacing=1.4)
    return figure


def _looks(lanes: Lanes, kinds: Sequence[Activity]) -> Looks:
    """What each activity is called in the legend (nothing for all shards but an operator's first), and how it looks."""
    from matplotlib.colors import to_rgb

    numbers: dict[Any, int] = {}
    looks: Looks = {}
    for each in kinds:
        one = each if each.shard < 0 else ("shards of", each.head)
        first = one not in numbers
        number = numbers.setdefault(one, len(numbers))
        base = np.array(to_rgb(COLOURS[number % len(COLOURS)]))
        pale = 0.0
        label = lanes.title(each) if each.shard < 0 else f"{lanes.names[each.head]}, the first darkest"
        if each.shard >= 0:
            most = max(other.shard for other in kinds if other.head == each.head)
            pale = PALEST * each.shard / max(1, most)
        look = {
            "facecolor": tuple(base + (1 - base) * pale),
            "hatch": HATCHES[number // len(COLOURS) % len(HATCHES)],
            "edgecolor": "white",
            "linewidth": 0.0,
        }
        kind = "shards: " if each.shard >= 0 else f"{lanes.kind(each)}: "
        looks[each] = (kind + label if first else "", look)
    return looks


def _lane(axes: Any, worker: int, parts: dict[Activity, Array], looks: Looks, edges: Array) -> None:
    below = np.zeros(len(edges) - 1)
    axes.set_facecolor(IDLE)
    for activity, part in parts.items():
        above = below + part
        if part.any():
            last = [below[-1]], [above[-1]]
            lower, upper = (np.concatenate(pair) for pair in ((below, last[0]), (above, last[1])))
            axes.fill_between(edges, lower, upper, step="post", **looks[activity][1])
        below = above
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.set_ylabel(f"worker {worker}", fontsize=9, rotation=0, ha="right", va="center")
    axes.tick_params(labelsize=9)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def reigns(lanes: Lanes, until: float) -> list[tuple[str, float, float]]:
    """Which plan was in force from when to when; nothing for times of which choices were not kept."""
    spans: list[tuple[str, float, float]] = []
    for choice, after in zip(lanes.choices, [*lanes.choices[1:], None], strict=True):
        plan, begin = str(choice["plan"]), min(float(choice["seconds"]), until)
        end = until if after is None else min(float(after["seconds"]), until)
        if after is not None and after["number"] > choice["number"] + 1:
            continue
        if spans and spans[-1][0] == plan and spans[-1][2] == begin:
            plan, begin, _ = spans.pop()
        spans.append((plan, begin, end))
    return spans


def _strip(axes: Any, lanes: Lanes, until: float) -> None:
    """Which plan was in force, by number, and a tick for each decision: plan, unit or units in flight."""
    numbers = {plan: number for number, plan in enumerate(plans(lanes), start=1)}
    times = [min(float(choice["seconds"]), until) for choice in lanes.choices]
    for plan, begin, end in reigns(lanes, until):
        grey = "0.82" if numbers[plan] % 2 else "0.68"
        axes.axvspan(begin, end, ymin=0.0, ymax=0.62, facecolor=grey, edgecolor="white", linewidth=0.5)
        if end - begin > WIDE * until:
            axes.text((begin + end) / 2, 0.31, str(numbers[plan]), fontsize=8, ha="center", va="center")
    axes.vlines(times, 0.68, 1.0, color="black", linewidth=0.8)
    axes.set_ylim(0, 1)
    axes.set_axis_off()
    axes.annotate(
        "controller", (0, 0.5), (-6, 0), xycoords="axes fraction", textcoords="offset points", fontsize=9, ha="right",
        va="center",
    )  # fmt: skip


def _words(plans: Sequence[str]) -> list[str]:
    lines = [f"plan {number}: {plan}" for number, plan in enumerate(plans[:MOST_PLANS], start=1)]
    more = len(plans) - len(lines)
    return [*lines, f"and {more} more plans"] if more > 0 else lines
