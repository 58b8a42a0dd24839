"""What `topk` prints, and what it writes as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from streambench.execution.resources import account
from streambench.execution.shares import shares
from streambench.host.meanwhile import Meanwhile
from streambench.lab.data.column_count import Share
from streambench.lab.host.machine import describe
from streambench.lab.record import results
from streambench.lab.record.summary import duration, human
from streambench.lab.show.facts import print_facts
from streambench.topk.answer import Answer
from streambench.topk.ranking import Ranking
from streambench.topk.topk import TopK


def content(
    hitters: TopK,
    answer: Answer,
    ranking: Ranking,
    seconds: float,
    counted: Sequence[Share],
    meanwhile: Meanwhile,
    told: Mapping[str, Any],
) -> dict[str, Any]:
    """The count as plain values. ``ranking``: what the user gets; ``counted``: by thread, ``meanwhile``: beside that;
    ``told``: files, column, type, epsilon, k, phi.
    """
    rows = [each.rows for each in counted]
    return {
        **results.head("topk", describe(), schema=1),
        **told,
        "design": hitters.design,
        "threads": hitters.threads,
        "counters": hitters.counters,
        "n": answer.n,
        "nulls": answer.nulls,
        "error_bound": answer.error_bound,
        "floor": answer.floor,
        "rows": len(ranking),
        "guaranteed": int(ranking.guaranteed.sum()),
        "complete": ranking.complete,
        "seconds": seconds,
        "updates_per_second": answer.n / seconds,
        **account([each.account for each in counted], shares(rows), sum(rows), meanwhile),
    }


def print_topk(console: Console, found: Mapping[str, Any]) -> None:
    """Print what was counted, how, and how exactly; ``found``: what ``content`` says."""
    nulls = f", and {found['nulls']:,} nulls" if found["nulls"] else ""
    threads = f"{found['threads']} thread{'s' * (found['threads'] > 1)}"
    share = found["error_bound"] / found["n"] if found["n"] else 0.0
    bound = f"no estimate is off by more than {found['error_bound']:,}, {share:.2g} of all"
    facts = {
        "column": escape(f"{found['column']} ({found['type']}): {found['n']:,} items{nulls}"),
        "design": f"{found['design']}, {threads}, {found['counters']:,} counters",
        "error": f"{bound}; {found['guaranteed']:,} of {found['rows']:,} rows guaranteed",
        "counting": f"{duration(found['seconds'])}, {human(found['updates_per_second'])} items/s",
    }
    print_facts(console, facts)
