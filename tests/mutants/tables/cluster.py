"""Queries on a cluster: the places by which a partition's blocks are put in order."""

from __future__ import annotations

from mutation import Mutation

PLACES = "tests/cluster/test_task.py::test_blocks_of_a_shuffle_have_a_place_each"

MUTATIONS = (
    Mutation(
        "blocks of two partitions have one place",
        "streambench/lab/cluster/task.py",
        "            yield from _sent(plan, last, _rows(plan, first, last, batches), partition << PLACE_BITS)\n",
        "            yield from _sent(plan, last, _rows(plan, first, last, batches), 0)\n",
        (PLACES,),
    ),
    Mutation(
        "blocks of two ranges have one place",
        "streambench/lab/cluster/task.py",
        "    place = owner.number << PLACE_BITS\n",
        "    place = 0\n",
        (PLACES,),
    ),
)
