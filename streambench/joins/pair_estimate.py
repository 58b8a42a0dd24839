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
PROBES = 2048  # of a side, all along the stream
SAMPLED = 64  # of each one's window
PAIR_BYTES = 48  # where a window has very many
EARLIEST = -(2**63)
GIB = 1 << 30


def estimated_pairs(ts: tuple[Rows, Rows], terms: Sequence[Term], window: int, rule: str, in_windows: int) -> int:
    """About how many of the pairs ``in_windows`` meet all terms; exact where there are none."""
    if not terms:
        return in_windows
    looked_at = matched = 0.0
    random = np.random.default_rng(0)
    for side in (0, 1):
        rows = np.unique(np.linspace(0, len(ts[side]) - 1, PROBES).astype(np.int64))
        first, last = windows_of(ts, side, rows, window, rule)
        probes = np.repeat(rows, SAMPLED).reshape(-1, SAMPLED)
        others = first[:, None] + (random.random(probes.shape) * (last - first)[:, None]).astype(np.int64)
        full = last > first
        pairs = (probes[full], others[full])
        share = _holds(terms, *(pairs if side == 0 else pairs[::-1])).mean(axis=1)
        looked_at += float((last - first).sum()) * len(ts[side]) / len(rows)
        matched += float(((last - first)[full] * share).sum()) * len(ts[side]) / len(rows)
    return round(in_windows * matched / looked_at)


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
