"""Laps, what each of them gives the operators, and what SQL says of it."""

from __future__ import annotations

from mutation import Mutation

SOURCE = "tests/unit/tuples/test_table_source.py"
LAPS = "tests/queries/test_laps.py"
ROOM = "tests/queries/test_lap_room.py"
WRONG = "tests/queries/test_wrong_runs.py"
COUNTED = f"{LAPS}::test_every_engine_counts_what_each_lap_causes"

MUTATIONS = (
    Mutation(
        "a lap more than fits is replayed",
        "pyx/tuples/table_source.pyx",
        "// int(shift) + 1)",
        "// int(shift) + 2)",
        (f"{SOURCE}::test_no_lap_wraps",),
    ),
    Mutation(
        "nobody asks whether the laps fit",
        "streambench/lab/workloads/workload.py",
        "            self.room.require(options.laps)\n",
        "",
        (f"{ROOM}::test_laps_that_fit_are_right_and_more_are_refused_in_one_sentence",),
    ),
    Mutation(
        "a lap's count begins where the run began",
        "pyx/engine/egress.pyx",
        "            self.before_lap[k] = self.tuples_in[k]\n",
        "",
        (COUNTED,),
    ),
    Mutation(
        "each lap but the first counts as one",
        "pyx/engine/egress.pyx",
        "            last.count += 1",
        "            last.count = 2",
        (COUNTED,),
    ),
    Mutation(
        "the sink's rows are not compared with SQL's",
        "streambench/lab/workloads/workload.py",
        "        sequence_problem = problem or self.sequence_problem(laps, pipeline.sink.digest)",
        "        sequence_problem = problem",
        (f"{WRONG}::test_rows_that_are_wrong_in_passing_are_noticed_though_serial_has_them_too",),
    ),
    Mutation(
        "what laps cause is not compared with SQL",
        "streambench/lab/workloads/workload.py",
        "        problem = problem or self.lap_problem(options.laps, measured)\n",
        "",
        (f"{WRONG}::test_purchases_lost_from_lap_5_on_are_noticed_though_serial_loses_them_too",),
    ),
    Mutation(
        "Q3 settles a lap early",
        "queries/q3/parameters.py",
        "    return 1 + int(back)",
        "    return int(back)",
        (f"{LAPS}::test_a_query_settles_when_it_says_so",),
    ),
    Mutation(
        "a kept answer is trusted whatever its seal",
        "streambench/lab/answers/oracle_cache.py",
        "sealed == _seal(table, state)",
        "sealed",
        ("tests/queries/test_oracle.py::test_a_kept_answer_that_was_changed_is_not_trusted",),
    ),
)
