"""The edges of web_clickstreams: session gaps, the ring of last views, abandoned carts, ties in the replay order."""

from __future__ import annotations

from collections.abc import Callable

from streambench.datagen import model
from streambench.datagen.make.edges import BOUGHT, BOUGHT_BY_MANY, DAY, NO_CATEGORY, Click, Edge, Layout

# Pairs of these four are among Q2's top ones at any scale factor, and 10001 is the one that the kit asks for.
HOT = tuple(range(model.HOT_ITEMS[0], model.HOT_ITEMS[1] + 1))
KIT_ITEM = 10_001
HOUR, TEN_DAYS = 3_600, 864_000
NOON = DAY // 2


def _gap(seconds: int) -> Edge:
    """For Q2 a pair of hot items; for Q4 a cart, abandoned unless the order page belongs to its session."""

    def lay(layout: Layout) -> None:
        for item in (HOT[0], HOT[2], HOT[3]):
            user = layout.user()
            layout.clicks += [
                Click(NOON, user, item, "dynamic"),
                Click(NOON + seconds, user, KIT_ITEM, "order"),
            ]

    return Edge(f"a gap of {seconds} s in a user's clicks", lay, f"SELECT count(*) FROM click WHERE gap = {seconds}")


def _over_midnight(layout: Layout) -> None:
    user = layout.user()
    layout.clicks += [Click(DAY - 10, user, HOT[0], "dynamic"), Click(DAY + 10, user, KIT_ITEM, "order")]


def _without_item(layout: Layout) -> None:
    """The click without item would join two sessions of Q2."""
    user = layout.user()
    layout.clicks += [Click(NOON, user, HOT[0]), Click(NOON + 3_000, user, None), Click(NOON + 6_000, user, KIT_ITEM)]


def _without_page(layout: Layout) -> None:
    """The click without page would join two sessions of Q4, and the cart would not be an abandoned one."""
    user = layout.user()
    layout.clicks += [
        Click(NOON, user, 1, "dynamic"),
        Click(NOON + 3_000, user, 2, None),
        Click(NOON + 6_000, user, 3, "order"),
    ]


def _order_page_after(seconds: int) -> Edge:
    def lay(layout: Layout) -> None:
        user = layout.user()
        layout.clicks += [Click(NOON, user, 1, "dynamic"), Click(NOON + seconds, user, 2, "order")]

    words = {-1: "a second before", 0: "in the second of", 1: "a second after"}
    return Edge(
        f"a last order page {words[seconds]} the last dynamic one",
        lay,
        f"SELECT count(*) FROM visit WHERE last_order - last_dynamic = {seconds}",
    )


def _session_with(page: str) -> Callable[[Layout], None]:
    def lay(layout: Layout) -> None:
        user = layout.user()
        layout.clicks += [Click(NOON, user, 1, page), Click(NOON + 60, user, 2)]

    return lay


def _ten_days(layout: Layout) -> None:
    """For the kit's item, and for one that only edges buy, since the kit's has more views than its top 30 show."""
    bought = layout.last
    for exactly, older in zip(HOT, (*HOT[1:], HOT[0]), strict=True):
        user = layout.user()
        layout.clicks += [
            Click(bought - TEN_DAYS - 1, user, older),
            Click(bought - TEN_DAYS, user, exactly),
            Click(bought - TEN_DAYS + 1, user, 4),
        ]
        layout.order(user, KIT_ITEM, layout.item(BOUGHT))


def _sixth_view(layout: Layout) -> None:
    """Of six views a ring of five has lost the first."""
    for first, sixth in ((6, 7), (HOT[0], HOT[2]), (HOT[2], HOT[3]), (HOT[3], HOT[0])):
        user = layout.user()
        items = (first, sixth, 8, 9, 10, 11)
        layout.clicks += [Click(layout.last - 600 + 60 * n, user, item) for n, item in enumerate(items)]
        layout.order(user, KIT_ITEM, layout.item(BOUGHT))


def _view_without_item(layout: Layout) -> None:
    """Were it in the ring, the first of the five others would not be."""
    user = layout.user()
    layout.clicks += [Click(layout.last - 600 + 60 * n, user, item) for n, item in enumerate((*range(60, 65), None))]
    layout.order(user, layout.item(BOUGHT))


def _same_second(layout: Layout) -> None:
    """Seven views in one second, of which the ring keeps the five with the highest items."""
    user = layout.user()
    layout.clicks += [Click(layout.last - 60, user, item) for item in range(12, 19)]
    layout.order(user, layout.item(BOUGHT))


def _two_orders(layout: Layout) -> None:
    """The first order's item is the higher one, so the order's number must go before the item."""
    user = layout.user()
    layout.order(user, layout.item(BOUGHT_BY_MANY))
    layout.order(user, layout.item(BOUGHT))


def _equal_clicks(layout: Layout) -> None:
    user = layout.user()
    layout.clicks += [
        Click(NOON, user, HOT[0], "dynamic"),
        Click(NOON, user, HOT[0], "dynamic"),
        Click(NOON, user, HOT[0], "welcome"),
        Click(NOON, user, KIT_ITEM, "welcome"),
    ]


def _bought_by_many(layout: Layout) -> None:
    """35 items viewed once each before an item that nobody else buys: the 30th and the 31st tie."""
    for buyer in range(7):
        user = layout.user()
        layout.clicks += [Click(layout.last - 600 + 60 * n, user, 20 + 5 * buyer + n) for n in range(5)]
        layout.order(user, layout.item(BOUGHT_BY_MANY))


def _no_category(layout: Layout) -> None:
    """Viewed before the kit's item, whose viewed items must have a category; and bought."""
    user = layout.user()
    layout.clicks.append(Click(layout.last - 60, user, layout.item(NO_CATEGORY), "dynamic"))
    layout.order(user, KIT_ITEM)
    layout.order(user, layout.item(NO_CATEGORY))


def _first_keys(layout: Layout) -> None:
    layout.clicks += [
        Click(0, 0, 0, "first"),
        Click(0, 0, KIT_ITEM, "dynamic"),
    ]


CLICK_EDGES = (
    _gap(HOUR - 1),
    _gap(HOUR),
    _gap(HOUR + 1),
    Edge(
        "a session over midnight",
        _over_midnight,
        f"SELECT count(*) FROM click WHERE gap <= {HOUR} AND ts // {DAY} > (ts - gap) // {DAY}",
        days=2,
    ),
    Edge(
        "a click without item between two sessions",
        _without_item,
        f"""SELECT count(*) FROM click AS c JOIN click AS d USING (user_sk) JOIN click AS e USING (user_sk)
            WHERE d.item IS NULL AND d.ts - c.ts BETWEEN 0 AND {HOUR} AND e.ts - d.ts BETWEEN 0 AND {HOUR}
              AND e.ts - c.ts > {HOUR}""",
    ),
    Edge(
        "a click without page between two sessions",
        _without_page,
        f"""SELECT count(*) FROM click AS c JOIN click AS d USING (user_sk) JOIN click AS e USING (user_sk)
            WHERE d.page IS NULL AND d.ts - c.ts BETWEEN 0 AND {HOUR} AND e.ts - d.ts BETWEEN 0 AND {HOUR}
              AND e.ts - c.ts > {HOUR}""",
    ),
    *map(_order_page_after, (-1, 0, 1)),
    Edge(
        "a session with dynamic pages, but no order page",
        _session_with("dynamic"),
        "SELECT count(*) FROM visit WHERE last_dynamic IS NOT NULL AND last_order IS NULL",
    ),
    Edge(
        "a session with order pages, but no dynamic page",
        _session_with("order"),
        "SELECT count(*) FROM visit WHERE last_dynamic IS NULL AND last_order IS NOT NULL",
    ),
    Edge(
        "a session with neither dynamic nor order page",
        _session_with("welcome"),
        "SELECT count(*) FROM visit WHERE last_dynamic IS NULL AND last_order IS NULL",
    ),
    Edge(
        "views exactly ten days before a purchase, a second less and a second more, in the ring",
        _ten_days,
        f"""SELECT least(count(*) FILTER (age = {TEN_DAYS}), count(*) FILTER (age = {TEN_DAYS - 1}),
              count(*) FILTER (age = {TEN_DAYS + 1})) FROM bought WHERE back <= 5""",
        days=11,
    ),
    Edge(
        "a sixth view within ten days before a purchase",
        _sixth_view,
        f"SELECT count(*) FROM bought WHERE back = 6 AND age <= {TEN_DAYS}",
    ),
    Edge(
        "a click without item behind five views, before a purchase",
        _view_without_item,
        """SELECT count(*) FROM bought JOIN click ON click.user_sk = bought.user_sk AND click.item IS NULL
             AND click.ts > bought.ts AND click.ts < bought.ts + age WHERE back = 5""",
    ),
    Edge(
        "seven views of different items in one second of a user, before a purchase",
        _same_second,
        """SELECT count(*) FROM (SELECT count(DISTINCT item) AS items FROM bought WHERE sales IS NULL AND back <= 7
             GROUP BY purchase, ts) WHERE items = 7""",
    ),
    Edge(
        "two orders of a user in one second, the first of a higher item",
        _two_orders,
        """SELECT count(*) FROM click AS c JOIN click AS d USING (user_sk, ts)
           WHERE c.sales < d.sales AND c.item > d.item""",
    ),
    Edge(
        "wholly equal clicks, and clicks that differ in the page only",
        _equal_clicks,
        """SELECT least(count(*) FILTER (n > pages), count(*) FILTER (pages > 1)) FROM (
             SELECT count(*) AS n, count(DISTINCT page) AS pages FROM click GROUP BY user_sk, ts, sales, item)""",
    ),
    Edge(
        "an item whose 30th and 31st views before a purchase tie",
        _bought_by_many,
        """WITH counted AS (SELECT bought_item, viewed, count(*) AS n FROM bought WHERE back <= 5 GROUP BY ALL),
             ranked AS (SELECT *, row_number() OVER (PARTITION BY bought_item ORDER BY n DESC, viewed) AS place
                        FROM counted)
           SELECT count(*) FROM ranked AS a JOIN ranked AS b USING (bought_item, n)
           WHERE a.place = 30 AND b.place = 31""",
    ),
    Edge(
        "an item without category that is viewed and bought",
        _no_category,
        """SELECT least(count(*) FILTER (sales IS NULL), count(*) FILTER (sales IS NOT NULL)) FROM click
           JOIN item ON item = i_item_sk WHERE i_category_id IS NULL""",
    ),
    Edge(
        "user 0, item 0 and page 0 in the stream's first second",
        _first_keys,
        f"""SELECT count(*) FROM web_clickstreams WHERE wcs_user_sk = 0 AND wcs_item_sk = 0 AND wcs_web_page_sk = 0
            AND wcs_click_date_sk = {model.FIRST_DATE_SK} AND wcs_click_time_sk = 0""",
    ),
)
