"""What operators cost in the paper, as far as its text tells (paper 000, section 7), and a profile scaled to that.

Of the parametric operators the text gives the cost of a tuple. Of a query it gives no cost, but that CT scales almost
linearly up to so many cores, where it takes about millions of tuples a second, as fast as those costs allow: at a
million a second n cores spend n microseconds on a tuple. That is assumed here, divided among the query's operators as
they divide the time here. What the runtime takes for them, source and sink stay what they are here.
"""

from __future__ import annotations

from streambench.errors import OptionError
from streambench.execution.pipeline import Pipeline
from streambench.lab.simulate.kept_profile import KeptProfile
from streambench.lab.workloads.micro import MicroSpec

LINEAR_UP_TO = {"q1": 16, "q2": 8, "q3": 8, "q4": 8, "q15": 12}
"""Cores (section 7.1)."""
PEAK = 1e6  # tuples a second: "millions", so this is the least that is meant, and the costs are the highest


def required(name: str) -> None:
    """Raise OptionError for a query that the paper has not."""
    if name not in LINEAR_UP_TO:
        raise OptionError(
            f"the paper says nothing of {name}: with --costs-of paper choose from {', '.join(LINEAR_UP_TO)}."
        )


def as_in_the_paper(profile: KeptProfile, workload: str | MicroSpec, pipeline: Pipeline) -> KeptProfile:
    """The profile of one worker whose operators, source and sink left out, cost what the paper says."""
    operators = range(1, len(pipeline.operators) - 1)
    now = profile.per_tuple()
    if isinstance(workload, MicroSpec):
        reaching, by = 1.0, {}
        for place, each in zip(operators, workload.operators, strict=True):
            if now.get(place, 0.0) > 0:
                by[place] = reaching * each.cost_us * 1e3 / now[place]
            reaching *= each.selectivity
        return profile.scaled(by)
    tuple_ns = LINEAR_UP_TO[workload] / PEAK * 1e9
    working = sum(now.get(place, 0.0) for place in operators)
    rest = profile.whole() - working
    if working <= 0 or rest >= tuple_ns:
        return profile.scaled({})  # the runtime alone takes longer here: nothing can be added to that
    return profile.scaled(dict.fromkeys(operators, (tuple_ns - rest) / working))
