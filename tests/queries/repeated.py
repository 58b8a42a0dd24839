"""Small data in laps, as plain rows: what a replay of the stream means, written down once more."""

from __future__ import annotations

from dataclasses import replace

from small_data import SmallData


def repeated(data: SmallData, laps: int) -> SmallData:
    """The rows of several laps: dates move on by the stream's days, tickets and orders by the largest number + 1."""
    sale_days = max(s.date for s in data.sales) - min(s.date for s in data.sales) + 1
    click_days = max(c.date for c in data.clicks) - min(c.date for c in data.clicks) + 1
    event_days = max(e.date for e in data.events) - min(e.date for e in data.events) + 1
    tickets = max(s.ticket for s in data.sales) + 1
    orders = max((c.sales for c in data.clicks if c.sales is not None), default=-1) + 1
    sales = [
        s._replace(date=s.date + lap * sale_days, ticket=s.ticket + lap * tickets)
        for lap in range(laps)
        for s in data.sales
    ]
    clicks = [
        c._replace(date=c.date + lap * click_days, sales=None if c.sales is None else c.sales + lap * orders)
        for lap in range(laps)
        for c in data.clicks
    ]
    events = [e._replace(date=e.date + lap * event_days) for lap in range(laps) for e in data.events]
    return replace(data, sales=sales, clicks=clicks, events=events)
