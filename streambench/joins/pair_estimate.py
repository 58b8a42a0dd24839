"""How many pairs a join will give, estimated from a sample, before it takes the time and the memory that they need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streambench.errors import OptionError
from streambench.host.limits import free_memory
from streambench.joins.side import Rows
from streambench.joins.terms import Term

MANY_PAIRS = 20_000_000  # 1 GB of them is held: fewer are joined without a question
MOST_PROBES = 1 << 18  # rows of a side, all along the stream
SAMPLED = 1 << 18  # pairs
FEW = 400  # matches of a sample, by which an estimate is off by a twentieth
PAIR_BYTES = 48  # where a window has very many
EARLIEST = -(2**63)
GIB = 1 << 30


def estimated_pairs(ts: tuple[Rows, Rows], terms: Sequence[Term], window: int, rule: str, in_windows: int) -> int:
    """About how many of the pairs ``in_windows`` meet all terms; exact where there are none.

    Pairs in windows are drawn. Where so few of them match that it is open whether there are many, pairs are drawn that
    meet the term which the fewest pairs meet.
    """
    if not terms:
        return in_windows
    random = np.random.default_rng(0)
    probes = [_strata(len(each), min(len(each), MOST_PROBES), random) for each in ts]
    windows = [windows_of(ts, side, rows, window, rule) for side, rows in enumerate(probes)]
    first, last = (np.concatenate(each) for each in zip(*windows, strict=True))
    if not (last > first).any():  # what is in windows lies between the probes
        return in_windows
    # So that a side of fewer probes to the row has its share.
    weights = np.repeat([len(each) / len(rows) for each, rows in zip(ts, probes, strict=True)], [*map(len, probes)])
    at, others = _drawn(first, last, weights, random)
    own, of_left = np.concatenate(probes)[at], at < len(probes[0])
    matched = _holds(terms, np.where(of_left, own, others), np.where(of_left, others, own)).sum()
    if matched >= FEW or (matched + FEW) * in_windows <= MANY_PAIRS * SAMPLED:
        return round(in_windows * int(matched) / SAMPLED)
    return min(in_windows, _among_equals(ts, terms, window, rule, random))


def _among_equals(
    ts: tuple[Rows, Rows], terms: Sequence[Term], window: int, rule: str, random: np.random.Generator
) -> int:
    """The same by the term that the fewest pairs meet, which are counted."""
    lefts, rights, first, last = min(map(_meeting, terms), key=lambda each: int((each[3] - each[2]).sum()))
    pairs = int((last - first).sum())
    if not pairs:
        return 0
    at, others = _drawn(first, last, np.ones(len(first)), random)
    left, right = lefts[at], rights[others]
    holds = _holds(terms, left, right)
    begin, end = windows_of(ts, 0, left, window, rule)
    after = (begin <= right) & (right < end)
    begin, end = windows_of(ts, 1, right, window, rule)
    holds &= after | ((begin <= left) & (left < end))
    return round(pairs * int(holds.sum()) / SAMPLED)


def _meeting(term: Term) -> tuple[Rows, Rows, Rows, Rows]:
    """Both sides' rows by value; of each left one, from which right one on and before which one the term is met."""
    x, y, width = term
    lefts, rights = np.argsort(x), np.argsort(y)
    x, y = x[lefts], y[rights]
    if width is not None and x.dtype == np.int64:
        ends = np.iinfo(np.int64)
        low, high = np.maximum(x, ends.min + width) - width, np.minimum(x, ends.max - width) + width
    else:
        low, high = x - (width or 0), x + (width or 0)
    return lefts, rights, np.searchsorted(y, low, "left"), np.searchsorted(y, high, "right")


def _strata(n: int, parts: int, random: np.random.Generator) -> Rows:
    """One of each of so many equal parts of ``n``, at random: what repeats itself in the data is not met in step."""
    return np.minimum((np.arange(parts) + random.random(parts)) * (n / parts), n - 1).astype(np.int64)


def _drawn(first: Rows, last: Rows, weights: npt.NDArray[np.float64], random: np.random.Generator) -> tuple[Rows, Rows]:
    """Pairs, all along: which row, and which of those from its ``first`` on and before its ``last``."""
    ends = np.cumsum((last - first) * weights)
    points = (np.arange(SAMPLED) + random.random(SAMPLED)) * (ends[-1] / SAMPLED)
    rows = np.minimum(np.searchsorted(ends, points, "right"), np.searchsorted(ends, ends[-1]))
    return rows, first[rows] + (random.random(SAMPLED) * (last - first)[rows]).astype(np.int64)


def windows_of(ts: tuple[Rows, Rows], side: int, rows: Rows, window: int, rule: str) -> tuple[Rows, Rows]:
    """The other side's rows that these are compared with as the later ones: from ``first`` on and before ``last``."""
    own, other = ts[side][rows], ts[1 - side]
    last = np.searchsorted(other, own, "left" if side == 0 else "right")
    if rule == "count":
        return np.maximum(last - window, 0), last
    # By three steps a row leaves when one of its own side comes.
    now = own if rule == "exact" else other[np.maximum(last - 1, 0)]
    oldest = np.where(now >= EARLIEST + window, now - window, EARLIEST)
    return np.minimum(np.searchsorted(other, oldest), last), last


def about(pairs: int) -> str:
    """The estimate in words, no more exact than a sample is."""
    return f"about {float(f'{pairs:.2g}'):,.0f}"


def pairs_in_memory() -> int:
    """How many pairs find room."""
    return free_memory() // PAIR_BYTES


def no_memory(pairs: int) -> OptionError:
    """Why so many pairs are not looked for."""
    return OptionError(
        f"the join would give {about(pairs)} pairs, which need {pairs * PAIR_BYTES / GIB:.1f} GiB of memory, and "
        f"{free_memory() / GIB:.1f} GiB are free: add a band or an equality, or choose a shorter `window`."
    )


def _holds(terms: Sequence[Term], left: Rows, right: Rows) -> npt.NDArray[np.bool_]:
    """Which of these pairs meet all terms."""
    holds = np.ones(left.shape, bool)
    for a, b, width in terms:
        x, y = a[left], b[right]
        if width is None:
            holds &= x == y
        elif x.dtype == np.int64:
            holds &= np.maximum(x, y).view(np.uint64) - np.minimum(x, y).view(np.uint64) <= np.uint64(width)
        else:
            with np.errstate(all="ignore"):
                holds &= np.abs(x - y) <= width
    return holds
