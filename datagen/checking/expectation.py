"""What the distributions of the model amount to: exact shares, and how far a finite sample may stray from them."""

from __future__ import annotations

import math

from streambench.datagen import model

SIGMAS = 5.0  # a sound directory fails one check in some millions


def sampling(share: float, count: float) -> float:
    """Tolerance for a share measured on `count` independent draws."""
    return SIGMAS * math.sqrt(max(share * (1 - share), 0.0) / max(count, 1.0))


def spread(sd: float, count: float) -> float:
    """Tolerance for a mean of `count` independent draws with standard deviation `sd`."""
    return SIGMAS * sd / math.sqrt(max(count, 1.0))


def uniform_sd(span: tuple[int, int]) -> float:
    """Standard deviation of a uniform whole number from a span."""
    return math.sqrt(((span[1] - span[0] + 1) ** 2 - 1) / 12)


def popular_items(sizes: model.Sizes) -> list[int]:
    """The items within two standard deviations of the normal part's centre, without the four hot ones."""
    a, b = model.item_permutation(sizes.items)
    low, high = popular_range(sizes.items, sizes.item_sd)
    keys = ((a * place + b) % sizes.items for place in range(low, high + 1))
    return [key for key in keys if not model.HOT_ITEMS[0] <= key <= model.HOT_ITEMS[1]]


def popular_range(count: int, sd: float) -> tuple[int, int]:
    """First and last key (before any permutation) within two standard deviations of the middle."""
    return max(0, math.floor(count / 2 - 2 * sd)), min(count - 1, math.floor(count / 2 + 2 * sd))


def item_shares(sizes: model.Sizes) -> tuple[float, float]:
    """Shares of rows that name one of the four hot items, and one of the `popular_items`."""
    a, b = model.item_permutation(sizes.items)
    back = pow(a, -1, sizes.items)

    def share(key: int) -> float:
        place = (key - b) * back % sizes.items
        any_item = (1 - model.HOT_SHARE - model.NORMAL_ITEM_SHARE) / sizes.items
        return any_item + model.NORMAL_ITEM_SHARE * _normal_mass(place, place, sizes.items, sizes.item_sd)

    hot = range(model.HOT_ITEMS[0], model.HOT_ITEMS[1] + 1)
    return model.HOT_SHARE + sum(map(share, hot)), sum(map(share, popular_items(sizes)))


def popular_customer_share(sizes: model.Sizes) -> float:
    """Share of tickets whose customer lies within two standard deviations of the middle."""
    low, high = popular_range(sizes.customers, sizes.customer_sd)
    normal = _normal_mass(low, high, sizes.customers, sizes.customer_sd)
    part = model.NORMAL_CUSTOMER_SHARE
    return part * normal + (1 - part) * (high - low + 1) / sizes.customers


def daylight_share() -> float:
    """Share of visits and tickets that begin from 6:00 to 18:00."""
    low, high = 0.0, 0.5
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if model.daytime(middle) < 0.25 else (low, middle)
    return 1 - 2 * low


def _normal_mass(first: int, last: int, count: int, sd: float) -> float:
    def below(place: float) -> float:
        return 0.5 * (1 + math.erf((place - count / 2) / (sd * math.sqrt(2))))

    return below(last + 1) - below(first)
