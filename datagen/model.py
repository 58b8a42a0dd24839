"""What is generated: the options, the tables' sizes at a scale factor, and the constants of the distributions."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

from streambench.datagen import baskets
from streambench.datagen.buckets import require_buckets
from streambench.datagen.errors import DatagenOptionError

PROFILES = ("session", "pdgf", "heavy", "even")  # heavy is session with other tickets, even with other categories
SMALLEST_SCALE, LARGEST_SCALE = 0.001, 100_000.0

FIRST_DATE = datetime.date(2001, 9, 1)
FIRST_DATE_SK = (FIRST_DATE - datetime.date(1900, 1, 1)).days
CALENDAR_DAYS = (datetime.date(2200, 1, 1) - datetime.date(1900, 1, 1)).days  # rows of date_dim
MOST_DAYS = CALENDAR_DAYS - FIRST_DATE_SK
MOST_PARTITIONS = 10_000

GROUP_VISITS = 5  # four visitors and then one buyer
VISITOR_CLICKS = (11, 21)
BUYER_CLICKS = (3, 6)
LINES = (1, 14)  # of an order, or of a ticket that is not heavy
ANONYMOUS_SHARE = 0.5
HOT_ITEMS = (10_000, 10_003)
HOT_SHARE, NORMAL_ITEM_SHARE = 0.05, 0.40
NORMAL_CUSTOMER_SHARE = 0.5
ITEM_SPREAD, CUSTOMER_SPREAD = 60.0, 400.0  # standard deviations at SF 1
CATEGORY_WEIGHTS = (2.77, 45.2, 29.98, 3.63, 3.96, 2.21, 2.14, 7.52, 2.6)
PAGE_TYPES = ("feedback", "ad", "dynamic", "review", "order", "welcome", "general", "protected")
QUANTITIES = (1, 100)
WHOLESALE_CENTS = (100, 10_000)
NO_COUPON_SHARE = 0.8
# A visit's pace: seconds between clicks, on average; many quick visits and few slow ones.
PACE_SECONDS = (5.0, 120.0)
# How far noon outweighs midnight: density 1 / (1 + DAYLIGHT) at midnight, 1 / (1 - DAYLIGHT / 2) at noon.
DAYLIGHT = 0.8
# The Yahoo Streaming Benchmark's campaigns, and its events: as many in each second, each as likely of any type and ad.
CAMPAIGNS, ADS_PER_CAMPAIGN = 100, 10
ADS = CAMPAIGNS * ADS_PER_CAMPAIGN
EVENT_TYPES = ("view", "click", "purchase")  # by their codes, from 0 up
EVENT_SECONDS, EVENTS_PER_SECOND = 3_600, 1_000  # from the stream's first second on; at SF 1
_ROWS_PER_FILE = 2_000_000


@dataclass(frozen=True)
class Options:
    """What the user asks for. Raises DatagenOptionError, when made, for what cannot be met."""

    scale_factor: float = 1.0
    days: int = 30
    seed: int = 1
    profile: str = "session"
    partitions: int | None = None
    edges: bool = True
    buckets: int | None = None

    def __post_init__(self) -> None:
        scale = self.scale_factor
        if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not math.isfinite(scale):
            raise DatagenOptionError(f"The scale factor must be a number, not {scale!r}.")
        if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            raise DatagenOptionError(
                f"The scale factor must lie in {SMALLEST_SCALE} to {LARGEST_SCALE:g}, not {scale:g}."
            )
        _whole("days", self.days, 1, MOST_DAYS)
        _whole("seed", self.seed, 0, 2**63 - 1)
        if self.profile not in PROFILES:
            raise DatagenOptionError(f"The profile must be one of {', '.join(PROFILES)}, not {self.profile!r}.")
        if self.partitions is not None:
            _whole("number of partitions", self.partitions, 1, MOST_PARTITIONS)
        require_buckets(self.buckets)
        if not isinstance(self.edges, bool):
            raise DatagenOptionError(f"Edges are to be laid or not, True or False, not {self.edges!r}.")

    @property
    def sizes(self) -> Sizes:
        """The tables' sizes at this scale factor."""
        return sizes(float(self.scale_factor))

    @property
    def heavy(self) -> bool:
        """Whether tickets have the long tail of a real shop's."""
        return self.profile == "heavy"

    @property
    def expected_sales(self) -> int:
        """Rows of store_sales to be expected."""
        return round(self.sizes.tickets * (baskets.tail().mean if self.heavy else mean(LINES)))


@dataclass(frozen=True)
class Sizes:
    """How many keys there are of each kind, and how wide the normal distributions are."""

    items: int
    customers: int
    stores: int
    pages: int
    addresses: int
    promotions: int
    tickets: int
    orders: int
    events: int
    item_sd: float
    customer_sd: float

    @property
    def visits(self) -> int:
        """Click visits: five for each order."""
        return GROUP_VISITS * self.orders

    @property
    def expected_clicks(self) -> int:
        """Rows of web_clickstreams to be expected."""
        each = (GROUP_VISITS - 1) * mean(VISITOR_CLICKS) + mean(BUYER_CLICKS) + mean(LINES)
        return round(self.orders * each)


def sizes(scale: float) -> Sizes:
    """Sizes at `scale`: the original's formulas from 1 up, linear facts and square-root dimensions below.

    The original's page and spread formulas turn negative below 1, so there they keep their values at 1. There
    are never fewer items than the four hot ones need (10,004), nor fewer than 60 pages and 12 stores. Ad events are
    linear everywhere.
    """
    log5 = max(0.0, math.log(scale) / math.log(5)) + 1
    log15 = max(0.0, math.log(scale) / math.log(1.5)) + 1
    root = math.sqrt(scale)
    linear = scale * (2 - log5 * root / scale) if scale > 1 else scale
    facts = max(1, round(90_000 * linear))
    return Sizes(
        items=max(HOT_ITEMS[1] + 1, round(18_000 * root)),
        customers=round(100_000 * root),
        stores=max(12, round(12 * root)),
        pages=max(60, round(60 * log15)),
        addresses=round(50_000 * root),
        promotions=round(300 * log15),
        tickets=facts,
        orders=facts,
        events=max(1, round(EVENT_SECONDS * EVENTS_PER_SECOND * scale)),
        item_sd=ITEM_SPREAD * log5,
        customer_sd=CUSTOMER_SPREAD * log5,
    )


def category_shares(profile: str) -> list[float]:
    """Each category's share of the items, from category 1 up."""
    weights = (1.0,) * len(CATEGORY_WEIGHTS) if profile == "even" else CATEGORY_WEIGHTS
    return [weight / sum(weights) for weight in weights]


def files_for(rows: int) -> int:
    """Files that a fact table of `rows` rows is written to, when the user does not say."""
    return max(1, math.ceil(rows / _ROWS_PER_FILE))


def item_permutation(items: int) -> tuple[int, int]:
    """(a, b) of the fixed permutation i -> (a·i + b) mod items that scatters the popular items over the keys."""
    a = round(items * (math.sqrt(5) - 1) / 2)
    while math.gcd(a, items) != 1:
        a += 1
    return a, items // 3


def mean(span: tuple[int, int]) -> float:
    """Mean of a uniform whole number from a span, both ends included."""
    return (span[0] + span[1]) / 2


def daytime(x: float) -> float:
    """Fraction of the day at which the fraction `x` of its visits has begun (0 to 1, rising)."""
    return x + DAYLIGHT * (x * (1 - x) * (1 - 2 * x))


def _whole(what: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise DatagenOptionError(f"The {what} must be a whole number from {least} to {most}, not {value!r}.")
