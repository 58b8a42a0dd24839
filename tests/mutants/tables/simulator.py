"""The simulator: what work costs, by what was measured of it, and what plans cost by the controller's model."""

from __future__ import annotations

from mutation import Mutation

PROFILE = "tests/unit/lab/simulate/test_profile.py"
SIMULATED = "tests/unit/lab/simulate/test_ordered_simulated.py"
CORE_COSTS = "tests/unit/ordered/test_core_costs.py"

MUTATIONS = (
    Mutation(
        "what one worker takes with all of the pipeline is measured as of segments",
        "pyx/simulate/measured_core.pyx",
        "            self.plan = PLAN_WHOLE\n",
        "            self.plan = 0\n",
        (f"{PROFILE}::test_of_the_plan_whole_pieces_are_kept_apart",),
    ),
    Mutation(
        "what one worker takes with all of the pipeline is drawn as of segments",
        "pyx/simulate/simulated_cores.pyx",
        "            self.cores[self.here].plan = PLAN_WHOLE\n",
        "            self.cores[self.here].plan = 0\n",
        (SIMULATED,),
    ),
    Mutation(
        "work that only the plan whole had stands in for none of segments",
        "pyx/simulate/costs.pyx",
        "                self.stand_in(place * MOVES + moved, place * MOVES + PLAN_WHOLE + moved)\n",
        "",
        (SIMULATED,),
    ),
    Mutation(
        "bytes come after an operator has computed",
        "pyx/ordered/cost_model.pyx",
        "            cost = (max(cost, away * pipeline.cores.byte * pipeline.operators[k].bytes)\n",
        "            cost = (cost + (away * pipeline.cores.byte * pipeline.operators[k].bytes)\n",
        (CORE_COSTS,),
    ),
)
