"""Laps, what each of them gives the operators, and what SQL says of it."""

from __future__ import annotations

from mutation import drop, of, swap

SOURCE = "tests/unit/tuples/test_table_source.py"
LAPS = "tests/queries/test_laps.py"
ROOM = "tests/queries/test_lap_room.py"
WRONG = "tests/queries/test_wrong_runs.py"
COUNTED = f"{LAPS}::test_every_engine_counts_what_each_lap_causes"

MUTATIONS = (
    *of(
        "pyx/tuples/table_source.pyx",
        (
            "a lap more than fits is replayed",
            (f"{SOURCE}::test_no_lap_wraps",),
            swap("int(shift) + 1", "int(shift) + 2"),
        ),
    ),
    *of(
        "streambench/lab/workloads/workload.py",
        (
            "nobody asks whether the laps fit",
            (f"{ROOM}::test_laps_that_fit_are_right_and_more_are_refused_in_one_sentence",),
            drop("self.room.require"),
        ),
    ),
    *of(
        "pyx/engine/egress.pyx",
        ("a lap's count begins where the run began", (COUNTED,), drop("self.before_lap[k] =")),
        ("each lap but the first counts as one", (COUNTED,), swap("last.count += 1", "last.count = 2")),
    ),
    *of(
        "streambench/lab/workloads/workload.py",
        (
            "the sink's rows are not compared with SQL's",
            (f"{WRONG}::test_rows_that_are_wrong_in_passing_are_noticed_though_serial_has_them_too",),
            swap("problem or self.sequence_problem(laps, pipeline.sink.digest)", "problem"),
        ),
        (
            "what laps cause is not compared with SQL",
            (f"{WRONG}::test_purchases_lost_from_lap_5_on_are_noticed_though_serial_loses_them_too",),
            drop("problem = problem or self.lap_problem"),
        ),
    ),
    *of(
        "queries/q3/parameters.py",
        (
            "Q3 settles a lap early",
            (f"{LAPS}::test_a_query_settles_when_it_says_so",),
            swap("return 1 + int", "return int"),
        ),
    ),
    *of(
        "streambench/lab/answers/oracle_cache.py",
        (
            "a kept answer is trusted whatever its seal",
            ("tests/queries/test_oracle.py::test_a_kept_answer_that_was_changed_is_not_trusted",),
            swap("== _seal(table, state) else", "else"),
        ),
    ),
)
