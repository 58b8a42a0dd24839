"""The simulator: what work costs, by what was measured of it, and what plans cost by the controller's model."""

from __future__ import annotations

from mutation import drop, of, swap

PROFILE = "tests/unit/lab/simulate/test_profile.py"
SIMULATED = "tests/unit/lab/simulate/test_ordered_simulated.py"
CORE_COSTS = "tests/unit/ordered/test_core_costs.py"

MUTATIONS = (
    *of(
        "pyx/simulate/measured_core.pyx",
        (
            "what one worker takes with all of the pipeline is measured as of segments",
            (f"{PROFILE}::test_of_the_plan_whole_pieces_are_kept_apart",),
            swap("plan = PLAN_WHOLE", "plan = 0"),
        ),
    ),
    *of(
        "pyx/simulate/simulated_cores.pyx",
        (
            "what one worker takes with all of the pipeline is drawn as of segments",
            (SIMULATED,),
            swap("plan = PLAN_WHOLE", "plan = 0"),
        ),
    ),
    *of(
        "pyx/simulate/costs.pyx",
        (
            "work that only the plan whole had stands in for none of segments",
            (SIMULATED,),
            drop("self.stand_in(place * MOVES + moved"),
        ),
    ),
    *of(
        "pyx/ordered/cost_model.pyx",
        ("bytes come after an operator has computed", (CORE_COSTS,), swap("max(cost, away", "cost + (away")),
    ),
)
