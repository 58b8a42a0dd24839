"""The queries in plain Python, one tuple at a time: a second opinion on the SQL and on the operators.

Every function takes rows in any order (it sorts them into replay order), the look-up it needs and a parameter set, and
returns the output sequence at the sink and the answer, as lists of tuples. Written from the meaning of the queries
alone; speed is no concern.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from small_data import DAY, AdEvent, Click, Sale, SmallData, click_order, event_order, sale_order

Rows = list[tuple[Any, ...]]
Result = tuple[Rows, Rows]


def q1(sales: Iterable[Sale], categories: dict[int, int | None], parameters: dict[str, Any]) -> Result:
    """Items sold together."""
    bought: dict[int, list[int]] = defaultdict(list)
    counts: Counter[tuple[int, int]] = Counter()
    sequence: Rows = []
    window: int | None = None

    def emit() -> None:
        rows = [(window, a, b, n) for (a, b), n in counts.items() if n > parameters["min_count"]]
        rows.sort(key=lambda row: (-row[3], row[1], row[2]))
        sequence.extend(rows[: parameters["top"]])
        counts.clear()

    for sale in sorted(sales, key=sale_order):
        if parameters["stores"] is not None and sale.store not in parameters["stores"]:
            continue
        if parameters["categories"] is not None and categories.get(sale.item) not in parameters["categories"]:
            continue
        basket = bought[sale.ticket]
        if sale.item in basket:
            continue
        for earlier in basket:
            hour = (sale.date * DAY + sale.time) // 3600 if parameters["hourly"] else 0
            if window is not None and hour > window:
                emit()
            window = hour
            counts[min(earlier, sale.item), max(earlier, sale.item)] += 1
        basket.append(sale.item)
    emit()
    return sequence, list(sequence)


def q2(clicks: Iterable[Click], parameters: dict[str, Any]) -> Result:
    """Products viewed together."""
    wanted = parameters["item"]
    counts: Counter[tuple[int, int]] = Counter()
    useful = [click for click in clicks if click.user is not None and click.item is not None]
    for session in _sessions(useful, parameters["gap"]):
        items = sorted({click.item for click in session if click.item is not None})
        if wanted is None:
            counts.update(combinations(items, 2))
        elif wanted in items:
            counts.update((item, wanted) for item in items if item != wanted)
    rows = sorted(((a, b, n) for (a, b), n in counts.items()), key=lambda row: (-row[2], row[0], row[1]))
    return rows[: parameters["top"]], rows[: parameters["top"]]


def q3(clicks: Iterable[Click], categories: dict[int, int | None], parameters: dict[str, Any]) -> Result:
    """Last views before a purchase."""
    history: dict[int, list[Click]] = defaultdict(list)
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    sequence: Rows = []
    for click in sorted(clicks, key=click_order):
        if click.user is None or click.item is None:
            continue
        ring = history[click.user][-parameters["depth"] :]
        if click.sales is not None and parameters["purchased"] in (None, click.item):
            for viewed in ring:
                assert viewed.item is not None
                if _ts(viewed) < _ts(click) - parameters["window"]:
                    continue
                if parameters["categories"] is not None and categories.get(viewed.item) not in parameters["categories"]:
                    continue
                counts[click.item][viewed.item] += 1
                sequence.append((click.item, viewed.item, counts[click.item][viewed.item]))
        history[click.user].append(click)
    return sequence, _tops(counts, parameters["top"])


def q4(clicks: Iterable[Click], pages: dict[int, str | None], parameters: dict[str, Any]) -> Result:
    """Abandoned carts."""
    total = sessions = 0
    sequence: Rows = []
    useful = [click for click in clicks if click.user is not None and click.sales is None and click.page in pages]
    for session in _sessions(useful, parameters["gap"]):
        last = {"dynamic": -1, "order": -1}
        for click in session:
            kind = pages[click.page] if click.page is not None else None
            if kind in last:
                last[kind] = max(last[kind], _ts(click))
        if last["dynamic"] > last["order"]:
            total += len(session)
            sessions += 1
            sequence.append((total, sessions))
    return sequence, [(total, sessions, total / sessions if sessions else None)]


def q15(sales: Iterable[Sale], categories: dict[int, int | None], parameters: dict[str, Any]) -> Result:
    """Flat or declining categories."""
    days: dict[int, dict[int, int]] = defaultdict(dict)
    sequence: Rows = []
    for sale in sorted(sales, key=sale_order):
        if parameters["store"] is not None and sale.store != parameters["store"]:
            continue
        if parameters["first_date"] is not None and sale.date < parameters["first_date"]:
            continue
        if parameters["last_date"] is not None and sale.date > parameters["last_date"]:
            continue
        category = categories.get(sale.item)
        if category is None:
            continue
        seen = days[category]
        if sale.date not in seen and len(seen) >= 2:
            sequence.append((category, len(seen), *_line(seen)))
        seen[sale.date] = seen.get(sale.date, 0) + int((sale.paid * 100).quantize(Decimal(1), ROUND_HALF_UP))
    final = [(category, len(seen), *_line(seen)) for category, seen in sorted(days.items()) if len(seen) >= 2]
    return sequence + final, [(category, slope, intercept) for category, _, slope, intercept in final if slope <= 0]


def ysb(events: Iterable[AdEvent], ads: dict[int, int | None], parameters: dict[str, Any]) -> Result:
    """Views per campaign."""
    opened: dict[int, tuple[int, int]] = {}  # by campaign: when its window begins, and its views
    sequence: Rows = []
    for event in sorted(events, key=event_order):
        campaign = ads.get(event.ad) if event.ad is not None else None
        if event.type != 0 or campaign is None:
            continue
        begins = (event.date * DAY + event.time) // parameters["window"] * parameters["window"]
        last, n = opened.get(campaign, (begins, 0))
        if begins > last:
            sequence.append((last, campaign, n))
            n = 0
        opened[campaign] = (begins, n + 1)
    sequence += [(begins, campaign, n) for campaign, (begins, n) in sorted(opened.items())]
    return sequence, list(sequence)


def qjoin(clicks: Iterable[Click], categories: dict[int, int | None], parameters: dict[str, Any]) -> Result:
    """Views that a purchase followed."""
    views: dict[int, list[Click]] = defaultdict(list)
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    sequence: Rows = []
    for click in sorted(clicks, key=click_order):
        category = categories.get(click.item) if click.item is not None else None
        if click.user is None or category is None or category not in (parameters["categories"] or {category}):
            continue
        if click.sales is None:
            views[click.user].append(click)
            continue
        for view in views[click.user]:
            assert click.item is not None
            assert view.item is not None
            if categories[view.item] == category and _ts(view) >= _ts(click) - parameters["window"]:
                counts[click.item][view.item] += 1
                sequence.append((click.item, view.item, counts[click.item][view.item]))
    return sequence, _tops(counts, parameters["top"])


def run(query: str, data: SmallData, parameters: dict[str, Any]) -> Result:
    """Run one query over a small data directory's rows."""
    functions: dict[str, Callable[[], Result]] = {
        "q1": lambda: q1(data.sales, data.categories, parameters),
        "q2": lambda: q2(data.clicks, parameters),
        "q3": lambda: q3(data.clicks, data.categories, parameters),
        "q4": lambda: q4(data.clicks, data.pages, parameters),
        "q15": lambda: q15(data.sales, data.categories, parameters),
        "ysb": lambda: ysb(data.events, data.ads, parameters),
        "qjoin": lambda: qjoin(data.clicks, data.categories, parameters),
    }
    return functions[query]()


def _tops(counts: dict[int, Counter[int]], top: int) -> Rows:
    """Of each item bought those viewed most often."""
    found: Rows = []
    for purchased, views in sorted(counts.items()):
        best = sorted(views.items(), key=lambda view: (-view[1], view[0]))[:top]
        found += [(purchased, viewed, n) for viewed, n in best]
    return found


def _ts(click: Click) -> int:
    return click.date * DAY + click.time


def _sessions(clicks: Sequence[Click], gap: int) -> Iterator[list[Click]]:
    """Sessions in the order in which they close; those still open at the end of the stream by ascending user."""
    opened: dict[int, list[Click]] = {}
    for click in sorted(clicks, key=click_order):
        assert click.user is not None
        session = opened.setdefault(click.user, [])
        if session and _ts(click) - _ts(session[-1]) > gap:
            yield session
            opened[click.user] = session = []
        session.append(click)
    for _, session in sorted(opened.items()):
        yield session


def _line(days: dict[int, int]) -> tuple[float, float]:
    """Least-squares slope (currency units per day) and intercept over daily cents, exact until the last step."""
    n, mean_x = len(days), Fraction(sum(days), len(days))
    mean_y = Fraction(sum(days.values()), n)
    spread = sum((x - mean_x) ** 2 for x in days)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in days.items()) / spread
    return float(slope / 100), float((mean_y - slope * mean_x) / 100)
