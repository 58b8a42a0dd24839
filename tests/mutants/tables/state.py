"""Keys, partitions and the state behind them."""

from __future__ import annotations

from mutation import Mutation

PARTITIONING = "tests/unit/partition/test_partitioning.py"
COUNTS = "tests/unit/state/test_count_table.py"
MERGED = "tests/concurrency/test_sharded_equals_plain.py::test_theorem_5_2_corner_pipelines_of_every_plan"

MUTATIONS = (
    Mutation(
        "the last partition by hash has no keys",
        "pyx/partition/key_hash.h",
        "uint64_t(uint32_t(partitions))) >> 32);",
        "uint64_t(uint32_t(partitions - (partitions > 1)))) >> 32);",
        (PARTITIONING,),
    ),
    Mutation(
        "the end of a range is beyond the last partition",
        "pyx/partition/partitioning.pyx",
        "        if key >= self.high:",
        "        if key > self.high:",
        (PARTITIONING,),
    ),
    Mutation(
        "an index by partition misses the last row",
        "pyx/partition/group.pyx",
        """        for row in range(n):
            p = <int32_t>partition_of[row]
            order[starts[p]] = <uint32_t>row
""",
        """        for row in range(n - 1):
            p = <int32_t>partition_of[row]
            order[starts[p]] = <uint32_t>row
""",
        (PARTITIONING,),
    ),
    Mutation(
        "outputs of a row change places",
        "pyx/partition/group.pyx",
        "            places[i] = next_place[row]\n            next_place[row] += 1",
        "            places[i] = next_place[row]",
        (MERGED,),
    ),
    Mutation(
        "lists of groups begin where the unit's heap does",
        "pyx/partition/group.pyx",
        "                merged[places[i]] += base",
        "                pass",
        (MERGED,),
    ),
    Mutation(
        "a table that doubles loses its last slot",
        "pyx/state/count_table.pyx",
        "    for k in range(n):\n        if slots[k].count > table.base:\n            empty_slot(larger",
        "    for k in range(n - 1):\n        if slots[k].count > table.base:\n            empty_slot(larger",
        (COUNTS,),
    ),
    Mutation(
        "a region is split by the wrong bit",
        "pyx/state/count_table.pyx",
        "move_slots(slots, region.slots, upper.slots, 63 - region.depth, table.base)",
        "move_slots(slots, region.slots, upper.slots, 62 - region.depth, table.base)",
        (COUNTS,),
    ),
    Mutation(
        "a split region keeps the upper one's fill",
        "pyx/state/count_table.pyx",
        "    region.used -= upper.used\n",
        "",
        (COUNTS,),
    ),
    Mutation(
        "forgotten counts come back",
        "pyx/state/count_table.pyx",
        "    table.base = table.highest\n",
        "    table.base = table.highest - 1\n",
        (COUNTS,),
    ),
    Mutation(
        "homes of before a table grew are counted in",
        "pyx/state/count_table.pyx",
        "                m = k + 1                       # slots have moved\n                break\n",
        "                pass\n",
        (COUNTS,),
    ),
    Mutation(
        "a key at home that was forgotten goes on",
        "pyx/state/count_table.pyx",
        "            if slot.count > home.base:",
        "            if slot.count > 0:",
        (COUNTS,),
    ),
    Mutation(
        "a key is counted at its home, whoever is there",
        "pyx/state/count_table.pyx",
        "    if home.slot.key == key or home.slot.count <= home.base:\n",
        "    if True:\n",
        (COUNTS,),
    ),
)
