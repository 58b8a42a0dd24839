"""The summary of a run: what it says of the controller's choices."""

from __future__ import annotations

from typing import Any

from streambench.lab.show.run_summary import _plan


def choice(number: int, seconds: float) -> dict[str, Any]:
    return {"number": number, "seconds": seconds, "unit": 64, "in_flight": 16, "plan": "whole"}


def test_a_first_choice_has_none_before_it() -> None:
    assert _plan([choice(0, 0.0)]) == "whole, unit 64"


def test_choices_that_were_not_kept_are_counted_all_the_same() -> None:
    kept = [choice(0, 0.0), choice(1, 0.5), choice(1999, 60.0)]
    assert _plan(kept) == "whole, unit 64; 1999 choices before, the last after 60 s"
