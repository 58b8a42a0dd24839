"""How Q1 and Q2 end: pairs are counted, exactly or in bounded memory, and the top ones are the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streambench.queries.common.pair_counts import PairCounts
from streambench.queries.common.pair_estimates import PairEstimates
from streambench.queries.common.top_estimates import TopEstimates
from streambench.queries.common.top_pairs import TopPairs


def top_counted(
    columns: tuple[str, ...], parameters: Mapping[str, Any], item_bound: int, *, min_count: int = 0
) -> list[Any]:
    """The two operators. The pair is the last two ``columns``; before it may stand a window, which has its own top.

    With the parameter ``epsilon`` counts are too high by that share of the window's pairs at most. ``item_bound`` is
    above every item.
    """
    top, windowed = parameters["top"], len(columns) == 3
    if "epsilon" in parameters:
        return [
            PairEstimates(columns, parameters["epsilon"], windowed),
            TopEstimates(columns, top, min_count, windowed),
        ]
    counts = PairCounts(columns, windowed, by_first=windowed)  # as Q1's pairs are dealt
    counts.high_key = item_bound if windowed else (item_bound << 32) - 1
    return [counts, TopPairs((*columns, "n"), top, min_count, windowed)]
