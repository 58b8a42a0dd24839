"""All mutations, by subject."""

from __future__ import annotations

from mutation import Mutation

from . import (
    arrow,
    cluster,
    controller,
    crew,
    errors,
    front,
    functions,
    gate,
    gates,
    join_sources,
    joins,
    laps,
    ordered,
    profile,
    queries,
    queues,
    simulator,
    state,
    topk,
    waiting,
    waking,
)

MUTATIONS: tuple[Mutation, ...] = (
    *waking.MUTATIONS,
    *cluster.MUTATIONS,
    *ordered.MUTATIONS,
    *errors.MUTATIONS,
    *controller.MUTATIONS,
    *waiting.MUTATIONS,
    *queues.MUTATIONS,
    *state.MUTATIONS,
    *queries.MUTATIONS,
    *laps.MUTATIONS,
    *crew.MUTATIONS,
    *profile.MUTATIONS,
    *functions.MUTATIONS,
    *arrow.MUTATIONS,
    *gate.MUTATIONS,
    *gates.MUTATIONS,
    *topk.MUTATIONS,
    *joins.MUTATIONS,
    *join_sources.MUTATIONS,
    *front.MUTATIONS,
    *simulator.MUTATIONS,
)
