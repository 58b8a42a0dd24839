"""FRONT: sending and walking, what happens to records on their way, cells, sequence numbers."""

from __future__ import annotations

from mutation import Mutation

FRONT = "tests/unit/snet/test_front.py"
TRACE = "tests/unit/snet/test_trace.py"
CONFORMANCE = "tests/unit/snet/test_conformance.py"
GIVING_BACK = "tests/unit/snet/test_giving_back.py"
STOPPED = "tests/unit/snet/test_stopped_runs.py"
CALLS = "tests/unit/snet/test_box_concurrency.py"
INPUT_CONTROL = "tests/unit/snet/test_input_control.py"
REFUSED = "tests/unit/snet/test_refused_memory.py"

MUTATIONS = (
    Mutation(
        "front: what a walker has in its hand goes behind a later record",
        "pyx/front/unfolding.pyx",
        """                enqueue(entity, worker.record)
                worker.record = NULL
            enqueue(entity, record)
""",
        """                enqueue(entity, record)
                record = worker.record
                worker.record = NULL
            enqueue(entity, record)
""",
        (FRONT,),
    ),
    Mutation(
        "front: a walker forgets the entity that it had",
        "pyx/front/unfolding.pyx",
        "                self.schedule(worker, worker.held)\n",
        "                pass\n",
        (FRONT,),
    ),
    Mutation(
        "front: a list that nobody is told of",
        "pyx/front/worker.h",
        """    worker->list.push_back(entity);
    worker->waiting.store(int64_t(worker->list.size()), std::memory_order_relaxed);
""",
        "    worker->list.push_back(entity);\n",
        (FRONT,),
    ),
    Mutation(
        "front: a sequence ends one record early",
        "pyx/front/unfolding.pyx",
        "        if sequence is not NULL and sequence.alive.fetch_sub(1, memory_order_acq_rel) == 1:\n            word",
        "        if sequence is not NULL and sequence.alive.fetch_sub(1, memory_order_acq_rel) == 2:\n            word",
        (FRONT,),
    ),
    Mutation(
        "front: the outputs of a filter in the wrong order",
        "pyx/front/path.pyx",
        "        for k in range(body.first + body.second - 1, body.first, -1):\n",
        "        for k in range(body.first + 1, body.first + body.second):\n",
        (CONFORMANCE,),
    ),
    Mutation(
        "front: a field that a filter copies is not counted",
        "pyx/front/path.pyx",
        "                    (<Field*>made[k]).owners.fetch_add(1, memory_order_relaxed)\n",
        "                    pass\n",
        (CONFORMANCE, FRONT),
    ),
    Mutation(
        "front: who leaves a star stays in the frame of its last replica",
        "pyx/front/path.pyx",
        """        if node.kind == Kind.STAGE and node.size > 0:
            now.frame = now.frame.home
""",
        "",
        (CONFORMANCE, FRONT),
    ),
    Mutation(
        "front: the record that came first goes before what the initialisers make",
        "pyx/front/path.pyx",
        """            self.go(worker, now.at, now.frame, now.record)
            self.start(worker, now.at, now.frame, now.record.sequence)
""",
        """            self.start(worker, now.at, now.frame, now.record.sequence)
            self.go(worker, now.at, now.frame, now.record)
""",
        (CONFORMANCE, FRONT),
    ),
    Mutation(
        "front: hidden labels do not come back",
        "pyx/front/path.pyx",
        "    restore(worker.pool, now.record)\n",
        "    pass\n",
        (CONFORMANCE,),
    ),
    Mutation(
        "front: a cell remembers which slots the record before fitted",
        "pyx/front/state.pyx",
        "                    entity.fits[k] = False\n",
        "                    pass\n",
        (FRONT, CONFORMANCE),
    ),
    Mutation(
        "front: a trace takes replicas from the inside out",
        "pyx/front/border.pyx",
        "tuple(reversed(keys))",
        "tuple(keys)",
        (TRACE,),
    ),
    Mutation(
        "front: a slot of a zipper's replica stays free for the next record",
        "pyx/front/state.pyx",
        "                entity.first_free[k] = stage + 1\n",
        "                pass\n",
        (FRONT,),
    ),
    Mutation(
        "front: records of later numbers pass",
        "pyx/front/state.pyx",
        "            if sequence.number != entity.number:\n",
        "            if False:\n",
        (FRONT,),
    ),
    Mutation(
        "front: a cell keeps the sequence of what it holds alive",
        "pyx/front/state.pyx",
        "        record.sequence = NULL\n        self.leave_sequence(worker, sequence)\n",
        "        record.sequence = NULL\n",
        (FRONT,),
    ),
    Mutation(
        "front: a replica goes with what its cell holds",
        "pyx/front/garbage.pyx",
        "            return entity.done == 0 and entity.partials.empty()\n",
        "            return entity.done == 0\n",
        (GIVING_BACK,),
    ),
    Mutation(
        "front: replicas are taken out of a star though cells wait in them",
        "pyx/front/front_crew.pyx",
        "            if node.kind == Kind.SYNC and entity.done > 0 and self.collects and self.end_cell",
        "            if node.kind == Kind.SYNC and self.collects and self.end_cell",
        (GIVING_BACK,),
    ),
    Mutation(
        "front: a worker that stays with an entity keeps all that is given back",
        "pyx/front/front_crew.pyx",
        "            self.pass_by(worker)        # it may stay with this one for long, which is all that it has\n",
        "",
        (REFUSED,),
    ),
    Mutation(
        "front: a record on its way is lost where memory is refused, and the run goes on",
        "pyx/front/unfolding.pyx",
        "        append(worker.moves, move)\n",
        "        worker.moves.push_back(move)\n",
        (REFUSED,),
    ),
    Mutation(
        "front: a cell that is over is refused the memory to be given back with",
        "pyx/front/garbage.pyx",
        "        make_room_to_give_back(worker, 1, 0)        # so that",
        "        # so that",
        (REFUSED,),
    ),
    Mutation(
        "front: a star's replica that is over is refused the memory to be given back with",
        "pyx/front/garbage.pyx",
        "            make_room_to_give_back(worker, 1, 0)\n            if home",
        "            if home",
        (REFUSED,),
    ),
    Mutation(
        "front: what is joined in a cell is still on its way",
        "pyx/front/state.pyx",
        "                count_moving(pool, 1)               # but for the last they have waited here\n",
        "                count_moving(pool, 2)\n",
        (INPUT_CONTROL,),
    ),
    Mutation(
        "front: an initialiser is no call, so that nothing is taken over meanwhile",
        "pyx/front/border.pyx",
        "            begun = border.begin_call(worker, box)\n",
        "            begun = 0\n",
        (CALLS,),
    ),
    Mutation(
        "front: a worker does not know which run it works for",
        "pyx/front/front_crew.pyx",
        "        work_for(<void*>self)\n",
        "",
        (STOPPED,),
    ),
    Mutation(
        "front: records are taken in whatever the credit",
        "pyx/front/output.pyx",
        "        return self.on_their_way() >= self.credit\n",
        "        return False\n",
        (INPUT_CONTROL,),
    ),
    Mutation(
        "front: fields that a filter overwrites are not let go",
        "pyx/front/path.pyx",
        "        dropped = record.labels & (node.labels.first | output.labels.first)\n",
        "        dropped = record.labels & node.labels.first\n",
        (STOPPED,),
    ),
    Mutation(
        "front: a replica with one cell over goes as if all were",
        "pyx/front/garbage.pyx",
        "            if spent < frame.size:\n                return False\n",
        "",
        (GIVING_BACK,),
    ),
)
