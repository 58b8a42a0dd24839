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
)

WINDOW = 10
_CLICK, _PURCHASE = 1, 2

AD_EDGES = (
    Edge(
        "views of a campaign in a window's last second and in the next one's first",
        f"""SELECT count(*) FROM event AS a JOIN event AS b USING (campaign)
            WHERE a.type = 0 AND b.type = 0 AND b.ts = a.ts + 1 AND b.ts % {WINDOW} = 0""",
        events=tuple(AdEvent(second, BOUNDARY) for second in (9, 10, 19, 20)),
    ),
    Edge(
        "wholly equal views",
        "SELECT count(*) FROM (SELECT ts FROM event WHERE type = 0 GROUP BY ts, user_sk, page, ad HAVING count(*) > 1)",
        events=2 * (AdEvent(25, BOUNDARY),),
    ),
    Edge(
        "windows without views between two of a campaign",
        f"""SELECT count(*) FROM (
              SELECT ts // {WINDOW} - lag(ts // {WINDOW}) OVER (PARTITION BY campaign ORDER BY ts) AS past
              FROM event WHERE type = 0 AND campaign IS NOT NULL) WHERE past > 1""",
        events=(AdEvent(5, GAP), AdEvent(95, GAP)),
    ),
    Edge(
        "a click, a purchase and an event of no type, each in a window without views",
        f"""SELECT least(count(*) FILTER (a.type = {_CLICK}), count(*) FILTER (a.type = {_PURCHASE}),
              count(*) FILTER (a.type IS NULL)) FROM event AS a
            WHERE campaign IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event AS b WHERE b.campaign = a.campaign
              AND b.type = 0 AND b.ts // {WINDOW} = a.ts // {WINDOW})""",
        # Were one of them a view, there would be a window in the gap.
        events=tuple(AdEvent(45, GAP, kind) for kind in (_CLICK, _PURCHASE, None)),
    ),
    Edge(
        "a campaign with views in one window only",
        f"""SELECT count(*) FROM (SELECT campaign FROM event WHERE type = 0 AND campaign IS NOT NULL GROUP BY campaign
            HAVING count(DISTINCT ts // {WINDOW}) = 1)""",
        events=(AdEvent(30, ONE_WINDOW),),
    ),
    Edge(
        "views of an ad without campaign, of an unknown ad and of none",
        """SELECT least(count(*) FILTER (known AND campaign IS NULL), count(*) FILTER (NOT known AND ad IS NOT NULL),
             count(*) FILTER (ad IS NULL)) FROM event WHERE type = 0""",
        events=(AdEvent(33, NO_CAMPAIGN), AdEvent(34, UNKNOWN_AD), AdEvent(35, None)),
    ),
    Edge(
        "views of two campaigns in one second, in the order of their users, their pages and their ads",
        """SELECT least(count(*) FILTER (a.user_sk IS NULL AND b.user_sk IS NOT NULL),
             count(*) FILTER (a.user_sk < b.user_sk), count(*) FILTER (a.user_sk = b.user_sk AND a.page < b.page),
             count(*) FILTER (a.user_sk = b.user_sk AND a.page = b.page AND a.ad > b.ad)) FROM event AS a
           JOIN event AS b USING (ts) WHERE a.type = 0 AND b.type = 0 AND a.campaign < b.campaign""",
        # The two campaigns' windows close in one second: by user, where none is first; by page; by ad.
        events=(
            *(AdEvent(40, TIED_TOO), AdEvent(40, TIED)),
            *(AdEvent(50, TIED_TOO, user=None), AdEvent(50, TIED)),
            *(AdEvent(60, TIED_TOO), AdEvent(60, TIED, user=1)),
            *(AdEvent(70, TIED_TOO), AdEvent(70, TIED, page=1)),
            *(AdEvent(80, TIED_TOO), AdEvent(80, TIED)),
        ),
    ),
)
