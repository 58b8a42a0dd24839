"""What the sizes of Q15's categories do to its speed: each is with one worker at a time."""

from __future__ import annotations

from streambench.datagen.model import PROFILES, category_shares

UNEVEN = 2.0  # times an equal share, from which on a category decides


def uneven_categories(data_profile: str | None) -> str:
    """What the two largest categories hold, and how much faster Q15's keyed operator can get at most.

    Empty where categories are about equal, and for data that were not generated.
    """
    if data_profile not in PROFILES:
        return ""
    shares = sorted(category_shares(data_profile))
    if shares[-1] * len(shares) < UNEVEN:
        return ""
    return (
        f"two of Q15's categories have {sum(shares[-2:]):.0%} of the items, and one worker at a time has a category, "
        f"so more workers make its keyed operator {1 / shares[-1]:.1f} times as fast at most"
    )
