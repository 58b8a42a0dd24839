"""The five queries: serial and ordered engine against the hand-fused loop, and DuckDB with one thread."""

from __future__ import annotations

import query_bars
from sections.query_streams import load, query_names
from sections.section import TIMES, Plan, Section, Tell, number

from streambench.statistics import Interval


def measure(plan: Plan, tell: Tell) -> Section:
    """Each query's bars, and how many times as fast one is as another."""
    section = Section("The five queries")
    for name in query_names(plan):
        workload = load(plan, name, tell)
        found = query_bars.measure(workload, repeats=plan.repeats, seconds=plan.seconds, tell=tell)
        plan.distances.extend(found["core_round_trip_ns"])
        for bar in found["bars"]:
            section.record(f"{name}, {bar['name']}", bar["runs"], bar["unit"])
        costs = {bar["name"]: bar["median"] for bar in found["bars"]}
        for row in found["ratios"]:
            note = f"{number(costs[row['what']])} and {number(costs[row['base']])} ns per tuple"
            section.add(
                f"{name}: {row['what']} against {row['base']}", Interval.of(row), TIMES, row["target"], note=note
            )
    return section
