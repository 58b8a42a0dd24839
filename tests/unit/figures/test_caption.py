"""What stands under every figure names what disturbed the runs that it shows."""

from __future__ import annotations

import pytest
from made_up_sweep import document, runs

from streambench.figures.caption import origin


@pytest.mark.parametrize("disturbed", [0, 1, 9])
def test_a_caption_says_how_many_runs_were_disturbed(disturbed: int) -> None:
    made = runs()
    for number, run in enumerate(made):
        run["disturbed"] = True if number < disturbed else (False, None)[number % 2]
    told = origin(document(made, 4))
    sentence = f" {disturbed} of {len(made)} runs were disturbed by neighbours or the host."
    assert told.endswith(sentence) == (disturbed > 0)
    assert ("disturbed" in told) == (disturbed > 0)
