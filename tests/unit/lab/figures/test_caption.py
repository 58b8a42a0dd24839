"""What stands under every figure names what disturbed the runs that it shows."""

from __future__ import annotations

import pytest
from made_up_sweep import document, runs

from streambench.lab.figures.caption import origin


@pytest.mark.parametrize("disturbed", [0, 1, 9])
def test_a_caption_says_how_many_runs_were_disturbed(disturbed: int) -> None:
    made = runs()
    for number, run in enumerate(made):
        run["disturbed"] = True if number < disturbed else (False, None)[number % 2]
    simulated = [{**run, "disturbed": None, "simulated": True} for run in made]
    told = origin(document([*made, *simulated], 4))
    unknown = sum(run["disturbed"] is None for run in made)
    more = f", and of {unknown} that is not known" if unknown else ""
    sentence = f" {disturbed} of {len(made)} runs were disturbed by neighbours or the host{more}."
    assert told.endswith(sentence) == (disturbed > 0)
    assert ("disturbed" in told) == (disturbed > 0)
