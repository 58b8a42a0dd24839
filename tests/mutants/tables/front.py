"""FRONT: sending and walking, what happens to records on their way, cells, sequence numbers."""

from __future__ import annotations

from mutation import drop, of, put, swap

FRONT = "tests/unit/snet/test_front.py"
TRACE = "tests/unit/snet/test_trace.py"
CONFORMANCE = "tests/unit/snet/test_conformance.py"
GIVING_BACK = "tests/unit/snet/test_giving_back.py"
STOPPED = "tests/unit/snet/test_stopped_runs.py"
CALLS = "tests/unit/snet/test_box_concurrency.py"
INPUT_CONTROL = "tests/unit/snet/test_input_control.py"
REFUSED = "tests/unit/snet/test_refused_memory.py"

MUTATIONS = (
    *of(
        "pyx/front/unfolding.pyx",
        (
            "front: what a walker has in its hand goes behind a later record",
            (FRONT,),
            swap("entity, worker.", "entity, ", after="record = worker.record"),
        ),
        (
            "front: a walker forgets the entity that it had",
            (FRONT,),
            swap("self.schedule(worker, worker.held)", "pass"),
        ),
    ),
    *of(
        "pyx/front/worker.h",
        ("front: a list that nobody is told of", (FRONT,), drop("worker->waiting.")),
    ),
    *of(
        "pyx/front/unfolding.pyx",
        (
            "front: a sequence ends one record early",
            (FRONT,),
            swap("memory_order_acq_rel) == 1", "memory_order_acq_rel) == 2"),
        ),
    ),
    *of(
        "pyx/front/path.pyx",
        (
            "front: the outputs of a filter in the wrong order",
            (CONFORMANCE,),
            swap("body.second - 1, body.first, -1", "1, body.first + body.second"),
        ),
        (
            "front: a field that a filter copies is not counted",
            (CONFORMANCE, FRONT),
            swap("(<Field*>values[k]).owners.fetch_add(1, memory_order_relaxed)", "pass"),
        ),
        (
            "front: who leaves a star stays in the frame of its last replica",
            (CONFORMANCE, FRONT),
            drop("if node.kind == Kind.STAGE and"),
            drop("now.frame", "if matched:"),
        ),
        (
            "front: the record that came first goes before what the initialisers make",
            (CONFORMANCE, FRONT),
            put("self.go(", "bint fill(", before="self.start(worker, now.at, now.frame, now.record.sequence)"),
            drop("self.start(worker"),
        ),
        ("front: hidden labels do not come back", (CONFORMANCE,), swap("restore(worker.pool, now.record)", "pass")),
    ),
    *of(
        "pyx/front/state.pyx",
        (
            "front: a cell remembers which slots the record before fitted",
            (FRONT, CONFORMANCE),
            swap("entity.fits[k] = False", "pass"),
        ),
    ),
    *of(
        "pyx/front/border.pyx",
        ("front: a trace takes replicas from the inside out", (TRACE,), swap("reversed(keys)", "keys")),
    ),
    *of(
        "pyx/front/state.pyx",
        (
            "front: a slot of a zipper's replica stays free for the next record",
            (FRONT,),
            swap("entity.first_free[k] = stage + 1", "pass"),
        ),
        ("front: records of later numbers pass", (FRONT,), swap("sequence.number != entity.number", "False")),
        ("front: a cell keeps the sequence of what it holds alive", (FRONT,), drop("self.leave_sequence", "State(")),
    ),
    *of(
        "pyx/front/garbage.pyx",
        ("front: a replica goes with what its cell holds", (GIVING_BACK,), swap("0 and entity.partials.empty()", "0")),
    ),
    *of(
        "pyx/front/front_crew.pyx",
        (
            "front: replicas are taken out of a star though cells wait in them",
            (GIVING_BACK,),
            swap("entity.done > 0 and self", "self"),
        ),
        (
            "front: a worker that stays with an entity keeps all that is given back",
            (REFUSED,),
            drop("self.pass_by", "bint rest("),
        ),
    ),
    *of(
        "pyx/front/unfolding.pyx",
        (
            "front: a record on its way is lost where memory is refused, and the run goes on",
            (REFUSED,),
            swap("append(worker.moves, move", "worker.moves.push_back(move"),
        ),
    ),
    *of(
        "pyx/front/garbage.pyx",
        (
            "front: a cell that is over is refused the memory to be given back with",
            (REFUSED,),
            drop("make_room_to_give_back", "leave("),
        ),
        (
            "front: a star's replica that is over is refused the memory to be given back with",
            (REFUSED,),
            drop("make_room_to_give_back", "past_spent("),
        ),
    ),
    *of(
        "pyx/front/state.pyx",
        (
            "front: what is joined in a cell is still on its way",
            (INPUT_CONTROL,),
            swap("count_moving(pool, 1", "count_moving(pool, 2"),
        ),
    ),
    *of(
        "pyx/front/border.pyx",
        (
            "front: an initialiser is no call, so that nothing is taken over meanwhile",
            (CALLS,),
            swap("border.begin_call(worker, box)", "0"),
        ),
    ),
    *of(
        "pyx/front/front_crew.pyx",
        ("front: a worker does not know which run it works for", (STOPPED,), drop("work_for(<void")),
    ),
    *of(
        "pyx/front/output.pyx",
        (
            "front: records are taken in whatever the credit",
            (INPUT_CONTROL,),
            swap("self.on_their_way() >= self.credit", "False"),
        ),
    ),
    *of(
        "pyx/front/path.pyx",
        (
            "front: fields that a filter overwrites are not let go",
            (STOPPED,),
            swap("(node.labels.first | output.labels.first)", "node.labels.first"),
        ),
    ),
    *of(
        "pyx/front/garbage.pyx",
        (
            "front: a replica with one cell over goes as if all were",
            (GIVING_BACK,),
            drop("if spent < frame"),
            drop("return False", "if spent > 0:"),
        ),
    ),
)
