"""Keys, partitions and the state behind them."""

from __future__ import annotations

from mutation import drop, of, swap

PARTITIONING = "tests/unit/partition/test_partitioning.py"
COUNTS = "tests/unit/state/test_count_table.py"
MERGED = "tests/concurrency/test_sharded_equals_plain.py::test_theorem_5_2_corner_pipelines_of_every_plan"

MUTATIONS = (
    *of(
        "pyx/partition/key_hash.h",
        (
            "the last partition by hash has no keys",
            (PARTITIONING,),
            swap("(partitions)))", "(partitions - (partitions > 1))))"),
        ),
    ),
    *of(
        "pyx/partition/partitioning.pyx",
        ("the end of a range is beyond the last partition", (PARTITIONING,), swap("if key >= self", "if key > self")),
    ),
    *of(
        "pyx/partition/group.pyx",
        ("an index by partition misses the last row", (PARTITIONING,), swap("range(n)", "range(n - 1)", "g += 1")),
        ("outputs of a row change places", (MERGED,), drop("next_place[row] +")),
        ("lists of groups begin where the unit's heap does", (MERGED,), swap("merged[places[i]] += base", "pass")),
    ),
    *of(
        "pyx/state/count_table.pyx",
        ("a table that doubles loses its last slot", (COUNTS,), swap("range(n)", "range(n - 1)", "cdef enum:")),
        ("a region is split by the wrong bit", (COUNTS,), swap(", 63 - region.", ", 62 - region.")),
        ("a split region keeps the upper one's fill", (COUNTS,), drop("region.used -=")),
        ("forgotten counts come back", (COUNTS,), swap("= table.highest", "= table.highest - 1")),
        ("homes of before a table grew are counted in", (COUNTS,), drop("m = k + 1"), swap("break", "pass")),
        ("a key at home that was forgotten goes on", (COUNTS,), swap("count > home.base", "count > 0")),
        (
            "a key is counted at its home, whoever is there",
            (COUNTS,),
            swap("home.slot.key == key or home.slot.count <= home.base", "True"),
        ),
    ),
)
