"""The controller of the sharded engine."""

from __future__ import annotations

from mutation import Mutation

CONTROLLER = "tests/unit/test_controller.py"

MUTATIONS = (
    Mutation(
        "units are counted full always",
        "pyx/sharded.pyx",
        "                self.controller.full += n if n == self.ingress.unit_size else 0\n",
        "                self.controller.full += n\n",
        (CONTROLLER,),
    ),
    Mutation(
        "costs are taken from any plan",
        "pyx/controller.pyx",
        "                if self.cuts.heads == 0 or self.looks[k] == 0 or not self.free_plan:\n",
        "                if True:\n",
        (CONTROLLER,),
    ),
    Mutation(
        "no tournament where the winner becomes slow",
        "pyx/controller.pyx",
        "        self.slow = self.slow + 1 if time > SLOWER * self.usual_time else 0\n",
        "        self.slow = 0\n",
        (CONTROLLER,),
    ),
    Mutation(
        "the first look at a new plan counts",
        "pyx/controller.pyx",
        "cdef int32_t UNCOUNTED = 1 ",
        "cdef int32_t UNCOUNTED = 0 ",
        (CONTROLLER,),
    ),
    Mutation(
        "a lull is a trial like any other",
        "pyx/controller.pyx",
        "        if not saturated or self.interval > 0 and self.won_at == 0:\n",
        "        if self.interval > 0 and self.won_at == 0:\n",
        (CONTROLLER,),
    ),
    Mutation(
        "the slowest candidate wins",
        "pyx/controller.pyx",
        "            if self.candidates[k].time < self.candidates[self.winner].time * (ADVANTAGE",
        "            if self.candidates[k].time > self.candidates[self.winner].time * (ADVANTAGE",
        (CONTROLLER,),
    ),
)
