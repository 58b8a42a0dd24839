"""How long a stream takes that arrives at a rate: said where that is long, refused where nobody could wait for it."""

from __future__ import annotations

from streambench.errors import OptionError

LONG = 60.0  # s
LONGEST = 30 * 86_400.0  # s
SPANS = (("years", 365.25 * 86_400), ("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0), ("seconds", 1.0))


def span(seconds: float) -> str:
    """A length of time in words: "219,000 years", "2.5 hours"."""
    name, unit = next(((name, unit) for name, unit in SPANS if seconds >= 1.5 * unit), SPANS[-1])
    number = seconds / unit
    return f"{number:.2g} {name}" if number < 10 else f"{float(f'{number:.3g}'):,.0f} {name}"


def require_end(tuples: int | None, rate: float) -> None:
    """Raise OptionError where a stream of so many tuples, if that is known, would arrive for more than 30 days."""
    if tuples and rate and tuples / rate > LONGEST:
        raise OptionError(
            f"at {rate:g} tuples per second the stream of {tuples:,} would take {span(tuples / rate)}: "
            f"choose a rate of at least {tuples / LONGEST:.2g}, or max."
        )


def long_one(tuples: int, rate: float) -> str | None:
    """A sentence where the stream takes longer than a minute to arrive."""
    if not rate or tuples / rate <= LONG:
        return None
    return f"at {rate:g} tuples per second the stream of {tuples:,} takes {span(tuples / rate)} to arrive."
