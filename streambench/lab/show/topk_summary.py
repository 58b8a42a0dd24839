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
    summary: TopK,
    answer: Answer,
    ranking: Ranking,
    seconds: float,
    counted: Sequence[Share],
    meanwhile: Meanwhile,
    about: Mapping[str, Any],
) -> dict[str, Any]:
    """The count as plain values. ``ranking``: what the user gets; ``counted``: by thread, ``meanwhile``: beside that;
    ``about``: files, column, type, epsilon, k, phi.
    """
    rows = [each.rows for each in counted]
    return {
        **results.head("topk", describe(), schema=1),
        **about,
        "design": summary.design,
        "threads": summary.threads,
        "counters": summary.counters,
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


def print_topk(console: Console, document: Mapping[str, Any]) -> None:
    """Print what was counted, how, and how exactly; ``document``: what ``content`` says."""
    nulls = f", and {document['nulls']:,} nulls" if document["nulls"] else ""
    threads = f"{document['threads']} thread{'s' * (document['threads'] > 1)}"
    share = document["error_bound"] / document["n"] if document["n"] else 0.0
    bound = f"no estimate is off by more than {document['error_bound']:,}, {share:.2g} of all"
    facts = {
        "column": escape(f"{document['column']} ({document['type']}): {document['n']:,} items{nulls}"),
        "design": f"{document['design']}, {threads}, {document['counters']:,} counters",
        "error": f"{bound}; {document['guaranteed']:,} of {document['rows']:,} rows guaranteed",
        "counting": f"{duration(document['seconds'])}, {human(document['updates_per_second'])} items/s",
    }
    print_facts(console, facts)
