"""The edges of ad_events: windows of ten seconds, what is no view of a campaign, and ties in the replay order."""

from __future__ import annotations

from streambench.datagen.make.edges import (
    BOUNDARY,
    GAP,
    NO_CAMPAIGN,
    ONE_WINDOW,
    TIED,
    TIED_TOO,
    UNKNOWN_AD,
    AdEvent,
    Edge,
    Layout,
)

WINDOW = 10
_CLICK, _PURCHASE = 1, 2


def _boundary(layout: Layout) -> None:
    layout.events += [AdEvent(second, BOUNDARY) for second in (9, 10, 19, 20)]


def _equal_views(layout: Layout) -> None:
    layout.events += 2 * [AdEvent(25, BOUNDARY)]


def _gap(layout: Layout) -> None:
    layout.events += [AdEvent(second, GAP) for second in (5, 95)]


def _other_types(layout: Layout) -> None:
    """Were one of them a view, there would be a window in the gap."""
    layout.events += [AdEvent(45, GAP, kind) for kind in (_CLICK, _PURCHASE, None)]


def _one_window(layout: Layout) -> None:
    layout.events.append(AdEvent(30, ONE_WINDOW))


def _no_campaign(layout: Layout) -> None:
    layout.events += [AdEvent(33, NO_CAMPAIGN), AdEvent(34, UNKNOWN_AD), AdEvent(35, None)]


def _ties(layout: Layout) -> None:
    """Two campaigns' windows close in one second: by user, where none is first; by page; by ad."""
    for second in (40, 50, 60, 70, 80):
        first, then = (AdEvent(second, ad) for ad in (TIED_TOO, TIED))
        if second == 50:
            first = AdEvent(second, TIED_TOO, user=None)
        elif second == 60:
            then = AdEvent(second, TIED, user=1)
        elif second == 70:
            then = AdEvent(second, TIED, page=1)
        layout.events += [first, then]


AD_EDGES = (
    Edge(
        "views of a campaign in a window's last second and in the next one's first",
        _boundary,
        f"""SELECT count(*) FROM event AS a JOIN event AS b USING (campaign)
            WHERE a.type = 0 AND b.type = 0 AND b.ts = a.ts + 1 AND b.ts % {WINDOW} = 0""",
    ),
    Edge(
        "wholly equal views",
        _equal_views,
        "SELECT count(*) FROM (SELECT ts FROM event WHERE type = 0 GROUP BY ts, user_sk, page, ad HAVING count(*) > 1)",
    ),
    Edge(
        "windows without views between two of a campaign",
        _gap,
        f"""SELECT count(*) FROM (
              SELECT ts // {WINDOW} - lag(ts // {WINDOW}) OVER (PARTITION BY campaign ORDER BY ts) AS past
              FROM event WHERE type = 0 AND campaign IS NOT NULL) WHERE past > 1""",
    ),
    Edge(
        "a click, a purchase and an event of no type, each in a window without views",
        _other_types,
        f"""SELECT least(count(*) FILTER (a.type = {_CLICK}), count(*) FILTER (a.type = {_PURCHASE}),
              count(*) FILTER (a.type IS NULL)) FROM event AS a
            WHERE campaign IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event AS b WHERE b.campaign = a.campaign
              AND b.type = 0 AND b.ts // {WINDOW} = a.ts // {WINDOW})""",
    ),
    Edge(
        "a campaign with views in one window only",
        _one_window,
        f"""SELECT count(*) FROM (SELECT campaign FROM event WHERE type = 0 AND campaign IS NOT NULL GROUP BY campaign
            HAVING count(DISTINCT ts // {WINDOW}) = 1)""",
    ),
    Edge(
        "views of an ad without campaign, of an unknown ad and of none",
        _no_campaign,
        """SELECT least(count(*) FILTER (known AND campaign IS NULL), count(*) FILTER (NOT known AND ad IS NOT NULL),
             count(*) FILTER (ad IS NULL)) FROM event WHERE type = 0""",
    ),
    Edge(
        "views of two campaigns in one second, in the order of their users, their pages and their ads",
        _ties,
        """SELECT least(count(*) FILTER (a.user_sk IS NULL AND b.user_sk IS NOT NULL),
             count(*) FILTER (a.user_sk < b.user_sk), count(*) FILTER (a.user_sk = b.user_sk AND a.page < b.page),
             count(*) FILTER (a.user_sk = b.user_sk AND a.page = b.page AND a.ad > b.ad)) FROM event AS a
           JOIN event AS b USING (ts) WHERE a.type = 0 AND b.type = 0 AND a.campaign < b.campaign""",
    ),
)
