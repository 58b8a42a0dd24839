"""A crew: pins, and memory that is refused."""

from __future__ import annotations

from mutation import Mutation

CREW = "tests/unit/engine/test_crew.py"
MEMORY = "tests/concurrency/test_out_of_memory.py"
RAISES = f"{MEMORY}::test_a_run_that_is_refused_memory_raises_and_leaves_the_process_alone"

MUTATIONS = (
    Mutation(
        "a core that is refused is not noted",
        "pyx/engine/crew.pyx",
        "    worker.unpinned = worker.core >= 0 and not pin_to_core(worker.core)\n",
        "    if worker.core >= 0:\n        pin_to_core(worker.core)\n",
        (f"{CREW}::test_cores_that_the_system_refuses_are_noted",),
    ),
    Mutation(
        "a worker without memory stops nobody",
        "pyx/engine/crew.pyx",
        "        (<Crew>worker.crew).token.stop()        # the others can no longer count on it\n",
        "",
        (f"{CREW}::test_a_worker_without_memory_stops_the_others_and_is_a_memory_error",),
    ),
    Mutation(
        "a worker without memory is not told",
        "pyx/engine/crew.pyx",
        "                starved = starved or each[k].starved\n",
        "                pass\n",
        (f"{CREW}::test_a_worker_without_memory_stops_the_others_and_is_a_memory_error", RAISES),
    ),
)
