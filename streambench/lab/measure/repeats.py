"""How often each thing may be measured."""

from __future__ import annotations

from streambench.errors import OptionError

MOST_REPEATS = 10_000  # an interval of so many is as narrow as anyone needs


def require_repeats(repeats: int) -> None:
    """Raise OptionError for a number of repeats that nobody could mean."""
    if repeats < 1:
        raise OptionError(f"`repeats` must be at least 1, not {repeats}.")
    if repeats > MOST_REPEATS:
        raise OptionError(f"`repeats` must be at most {MOST_REPEATS}, not {repeats}.")
