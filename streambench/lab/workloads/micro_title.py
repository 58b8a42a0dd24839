"""A parametric pipeline in a few words."""

from __future__ import annotations

from streambench.lab.workloads.micro import MicroSpec

USUAL_SIZES = (16,)  # of tuples and states, in numbers: those of a sweep that names none


def micro_title(spec: MicroSpec) -> str:
    """What tells a parametric pipeline from others: its parameters, but for those that are as they mostly are."""
    first = spec.operators[0]
    words = [spec.name, f"{first.cost_us:g} µs"]
    words += [f"selectivity {first.selectivity:g}"] if first.selectivity != 1 else []
    words += [f"tuple size {spec.tuple_size}"] if spec.tuple_size not in USUAL_SIZES else []
    words += [f"state size {first.state_size}"] if first.state_size not in USUAL_SIZES else []
    shape = {"normal": f" {spec.sigma:g}", "zipf": f" {spec.exponent:g}"}.get(spec.keys, "")
    return ", ".join([*words, spec.keys + shape, *([spec.change] if spec.changes else [])])
