"""The edges of web_clickstreams: session gaps, the ring of last views, abandoned carts, ties in the replay order."""

from __future__ import annotations

from streambench.datagen import model
from streambench.datagen.make.edges import BOUGHT, BOUGHT_BY_MANY, DAY, LAST, NO_CATEGORY, Click, Edge

# Pairs of these four are among Q2's top ones at any scale factor, and 10001 is the one that the kit asks for.
HOT = tuple(range(model.HOT_ITEMS[0], model.HOT_ITEMS[1] + 1))
KIT_ITEM = 10_001
HOUR, TEN_DAYS = 3_600, 864_000
NOON = DAY // 2
_BETWEEN_SESSIONS = f"""SELECT count(*) FROM click AS c JOIN click AS d USING (user_sk) JOIN click AS e USING (user_sk)
            WHERE d.{{}} IS NULL AND d.ts - c.ts BETWEEN 0 AND {HOUR} AND e.ts - d.ts BETWEEN 0 AND {HOUR}
              AND e.ts - c.ts > {HOUR}"""


def _gap(seconds: int) -> Edge:
    """For Q2 a pair of hot items; for Q4 a cart, abandoned unless the order page belongs to its session."""
    return Edge(
        f"a gap of {seconds} s in a user's clicks",
        f"SELECT count(*) FROM click WHERE gap = {seconds}",
        tuple(
            (Click(NOON, item, "dynamic"), Click(NOON + seconds, KIT_ITEM, "order"))
            for item in (HOT[0], HOT[2], HOT[3])
        ),
    )


def _order_page_after(seconds: int, words: str) -> Edge:
    return Edge(
        f"a last order page {words} the last dynamic one",
        f"SELECT count(*) FROM visit WHERE last_order - last_dynamic = {seconds}",
        ((Click(NOON, 1, "dynamic"), Click(NOON + seconds, 2, "order")),),
    )


def _session_with(page: str, pages: str, dynamic: str = "", order: str = "") -> Edge:
    return Edge(
        f"a session with {pages}",
        f"SELECT count(*) FROM visit WHERE last_dynamic IS {dynamic}NULL AND last_order IS {order}NULL",
        ((Click(NOON, 1, page), Click(NOON + 60, 2)),),
    )


def _order(*items: int, sales: int = 0) -> tuple[Click, ...]:
    return tuple(Click(LAST, item, sales=sales) for item in items)


def _views(*items: int | None) -> tuple[Click, ...]:
    """A view a minute, up to ten minutes before the stream's end."""
    return tuple(Click(LAST - 600 + 60 * n, item) for n, item in enumerate(items))


CLICK_EDGES = (
    *map(_gap, (HOUR - 1, HOUR, HOUR + 1)),
    Edge(
        "a session over midnight",
        f"SELECT count(*) FROM click WHERE gap <= {HOUR} AND ts // {DAY} > (ts - gap) // {DAY}",
        ((Click(DAY - 10, HOT[0], "dynamic"), Click(DAY + 10, KIT_ITEM, "order")),),
        days=2,
    ),
    Edge(  # the click without item would join two sessions of Q2
        "a click without item between two sessions",
        _BETWEEN_SESSIONS.format("item"),
        ((Click(NOON, HOT[0]), Click(NOON + 3_000, None), Click(NOON + 6_000, KIT_ITEM)),),
    ),
    Edge(  # the click without page would join two sessions of Q4, and the cart would not be an abandoned one
        "a click without page between two sessions",
        _BETWEEN_SESSIONS.format("page"),
        ((Click(NOON, 1, "dynamic"), Click(NOON + 3_000, 2, None), Click(NOON + 6_000, 3, "order")),),
    ),
    _order_page_after(-1, "a second before"),
    _order_page_after(0, "in the second of"),
    _order_page_after(1, "a second after"),
    _session_with("dynamic", "dynamic pages, but no order page", dynamic="NOT "),
    _session_with("order", "order pages, but no dynamic page", order="NOT "),
    _session_with("welcome", "neither dynamic nor order page"),
    Edge(  # for the kit's item, and for one that only edges buy, since the kit's has more views than its top 30 show
        "views exactly ten days before a purchase, a second less and a second more, in the ring",
        f"""SELECT least(count(*) FILTER (age = {TEN_DAYS}), count(*) FILTER (age = {TEN_DAYS - 1}),
              count(*) FILTER (age = {TEN_DAYS + 1})) FROM bought WHERE back <= 5""",
        tuple(
            (
                *(Click(LAST - TEN_DAYS + n, item) for n, item in ((-1, older), (0, exactly), (1, 4))),
                *_order(KIT_ITEM, BOUGHT),
            )
            for exactly, older in zip(HOT, (*HOT[1:], HOT[0]), strict=True)
        ),
        days=11,
    ),
    Edge(  # of six views a ring of five has lost the first
        "a sixth view within ten days before a purchase",
        f"SELECT count(*) FROM bought WHERE back = 6 AND age <= {TEN_DAYS}",
        tuple(
            (*_views(first, sixth, 8, 9, 10, 11), *_order(KIT_ITEM, BOUGHT))
            for first, sixth in ((6, 7), (HOT[0], HOT[2]), (HOT[2], HOT[3]), (HOT[3], HOT[0]))
        ),
    ),
    Edge(  # were the click without item in the ring, the first of the five others would not be
        "a click without item behind five views, before a purchase",
        """SELECT count(*) FROM bought JOIN click ON click.user_sk = bought.user_sk AND click.item IS NULL
             AND click.ts > bought.ts AND click.ts < bought.ts + age WHERE back = 5""",
        ((*_views(*range(60, 65), None), *_order(BOUGHT)),),
    ),
    Edge(  # the ring keeps the five with the highest items
        "seven views of different items in one second of a user, before a purchase",
        """SELECT count(*) FROM (SELECT count(DISTINCT item) AS items FROM bought WHERE sales IS NULL AND back <= 7
             GROUP BY purchase, ts) WHERE items = 7""",
        ((*(Click(LAST - 60, item) for item in range(12, 19)), *_order(BOUGHT)),),
    ),
    Edge(  # so the order's number must go before the item
        "two orders of a user in one second, the first of a higher item",
        """SELECT count(*) FROM click AS c JOIN click AS d USING (user_sk, ts)
           WHERE c.sales < d.sales AND c.item > d.item""",
        ((*_order(BOUGHT_BY_MANY), *_order(BOUGHT, sales=1)),),
    ),
    Edge(
        "wholly equal clicks, and clicks that differ in the page only",
        """SELECT least(count(*) FILTER (n > pages), count(*) FILTER (pages > 1)) FROM (
             SELECT count(*) AS n, count(DISTINCT page) AS pages FROM click GROUP BY user_sk, ts, sales, item)""",
        ((*2 * (Click(NOON, HOT[0], "dynamic"),), Click(NOON, HOT[0]), Click(NOON, KIT_ITEM)),),
    ),
    Edge(  # 35 items viewed once each before an item that nobody else buys
        "an item whose 30th and 31st views before a purchase tie",
        """WITH counted AS (SELECT bought_item, viewed, count(*) AS n FROM bought WHERE back <= 5 GROUP BY ALL),
             ranked AS (SELECT *, row_number() OVER (PARTITION BY bought_item ORDER BY n DESC, viewed) AS place
                        FROM counted)
           SELECT count(*) FROM ranked AS a JOIN ranked AS b USING (bought_item, n)
           WHERE a.place = 30 AND b.place = 31""",
        tuple((*_views(*range(first, first + 5)), *_order(BOUGHT_BY_MANY)) for first in range(20, 55, 5)),
    ),
    Edge(  # viewed before the kit's item, whose viewed items must have a category; and bought
        "an item without category that is viewed and bought",
        """SELECT least(count(*) FILTER (sales IS NULL), count(*) FILTER (sales IS NOT NULL)) FROM click
           JOIN item ON item = i_item_sk WHERE i_category_id IS NULL""",
        ((Click(LAST - 60, NO_CATEGORY, "dynamic"), *_order(KIT_ITEM), *_order(NO_CATEGORY, sales=1)),),
    ),
    Edge(
        "user 0, item 0 and page 0 in the stream's first second",
        f"""SELECT count(*) FROM web_clickstreams WHERE wcs_user_sk = 0 AND wcs_item_sk = 0 AND wcs_web_page_sk = 0
            AND wcs_click_date_sk = {model.FIRST_DATE_SK} AND wcs_click_time_sk = 0""",
        ((Click(0, 0, "first", user=0), Click(0, KIT_ITEM, "dynamic", user=0)),),
    ),
)
