"""What several summaries have counted, as if one had: the merge of paper 002, section 3.1, with its bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streambench.pyx.topk.counted import Counted


def merged(parts: Sequence[Counted], counters: int) -> Counted:
    """The ``counters`` items with the highest counts of all parts together; among equal counts the lower items.

    A part that does not list an item has met it its floor times at most, perhaps never: so the floor is added to the
    item's count, and to its error. Then ``count - error`` is the sum of what the parts are sure of, and ``count`` the
    sum of what they hold possible: intervals hold the true counts where those of the parts do. Of an item that no
    part lists the sum F of all floors holds, of one that is cut off its count. The new floor is the greater of F and
    the highest count cut off.

    Nothing of Space-Saving's precision is lost. Let all parts have m counters and keep m. In each the counts above
    the floor f add up to n - mf at most, so in all of them to N - mF. The one that is m + 1st of these is (N - mF) /
    (m + 1) at most, and the highest count cut off that plus F. F is N / m at most: so errors and the new floor are,
    too, however often and in whatever order summaries are merged. (Agarwal and others, Mergeable Summaries, 2012, in
    whose words a Space-Saving summary less its floor is one of Misra and Gries.) Where parts are Lossy Counting's, the
    new floor may be twice that.
    """
    floor = sum(part.floor for part in parts)
    items, where = np.unique(np.concatenate([part.items for part in parts]), return_inverse=True)
    counts = np.full(len(items), floor, np.int64)
    errors = counts.copy()
    np.add.at(counts, where, np.concatenate([part.counts - part.floor for part in parts]))
    np.add.at(errors, where, np.concatenate([part.errors - part.floor for part in parts]))
    order = np.lexsort((items, -counts))
    if len(order) > counters:
        floor = max(floor, int(counts[order[counters]]))
    kept = order[:counters]
    n = sum(part.n for part in parts)
    return Counted(items[kept], counts[kept], errors[kept], floor, n, sum(part.in_flight for part in parts))
