"""Queries on a cluster: the places by which a partition's blocks are put in order."""

from __future__ import annotations

from mutation import of, swap

PLACES = "tests/cluster/test_task.py::test_blocks_of_a_shuffle_have_a_place_each"

MUTATIONS = (
    *of(
        "streambench/lab/cluster/task.py",
        ("blocks of two partitions have one place", (PLACES,), swap("partition << PLACE_BITS", "0")),
        ("blocks of two ranges have one place", (PLACES,), swap("owner.number << PLACE_BITS", "0")),
    ),
)
