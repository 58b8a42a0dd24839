"""A crew: pins, and memory that is refused."""

from __future__ import annotations

from mutation import drop, of, swap

CREW = "tests/unit/engine/test_crew.py"
MEMORY = "tests/concurrency/test_out_of_memory.py"
RAISES = f"{MEMORY}::test_a_run_that_is_refused_memory_raises_and_leaves_the_process_alone"

MUTATIONS = (
    *of(
        "pyx/engine/crew.pyx",
        (
            "a core that is refused is not noted",
            (f"{CREW}::test_cores_that_the_system_refuses_are_noted",),
            swap(
                "worker.unpinned = worker.core >= 0 and not pin_to_core(worker.core)",
                "if worker.core >= 0:",
                after="    pin_to_core(worker.core)",
            ),
        ),
        (
            "a worker without memory stops nobody",
            (f"{CREW}::test_a_worker_without_memory_stops_the_others_and_is_a_memory_error",),
            drop("(<Crew>worker.crew).token"),
        ),
        (
            "a worker without memory is not told",
            (f"{CREW}::test_a_worker_without_memory_stops_the_others_and_is_a_memory_error", RAISES),
            swap("starved = starved or each[k].starved", "pass"),
        ),
    ),
)
