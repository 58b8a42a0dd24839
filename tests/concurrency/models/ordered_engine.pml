/*
 * The engine `ordered`: who may process a unit, and when a plan may change, as pyx/ordered has it in admission.pyx (admit, take, flush,
 * enter, enter_behind), segments.pyx (visit_segment, visit_shard, take_turn, pass_turn, publish) and plans_in_force.p* (install, present).
 *
 * A keyed operator X of two partitions and the sink Y. Plans alternate: X by partition and Y behind it, with a turn for
 * each partition and one for the sink; or both in one segment that is not sharded. A unit that is admitted may make the next plan
 * due. When the stream has ended X emits what it held, in two units. Any one unit may be refused by the sink. Each
 * access to a turn, to a unit's ready and pending, to the lock, to what is admitted or done and to `stopped` is a step
 * of its own. Abstracted: workers poll (models/parking.pml is how they sleep), in any order; a turn and the readiness
 * of its unit are looked at in one step, as the turn is compared again when it is taken; a visit to a partition ends
 * with the first unit that it finishes; a plan that is freed is one that is marked as gone; memory orders are not
 * modelled.
 *
 * Properties: one_worker (in a partition, or at the sink), in_order (so each unit once), right_unit (is in the slot),
 * complete (X has had a unit before Y gets it), flushed_last (X has had all), no_overwrite (of a unit in flight),
 * nothing_after (a refused unit), plan_there (is not freed when a worker looks at it), nothing_stranded (when no worker is in a step, there is one that some worker can
 * take, or all is done).
 *
 * Mutations: NO_EPOCH, NO_SERIAL (in `ready`), LOAD_AND_STORE (to take a turn), PASS_FIRST (the turn, before the
 * operator is called), COUNT_FIRST (`pending`, before it is called), PENDING_BY_STORE, PUBLISH_FIRST (before `pending`
 * is set), DONE_FIRST (before the sink is called), TURN_KEPT (by who finds nothing more), NOT_QUIESCENT (a plan changes
 * at once), NO_SECOND_LOOK (at the credit, with the lock), FLUSHED_EARLY, NO_LOOK_AT_STOP (with the sink's turn),
 * NO_LOOK_WITH_LOCK (at the stop), NOT_HELD (a plan, by a worker that looks at it), HELD_UNCHECKED (whether it is still
 * the present one).
 */
#ifndef ITEMS
#define ITEMS   4               /* units of the stream */
#endif
#define ALL     (ITEMS + 2)     /* and of what X held */
#define WORKERS 2
#define CREDIT  2
#define PLANS   3
#define TURNS   3               /* of X's partitions, or the first for both operators; of the sink */
#define SINK    2

#define SHARDED(e)    ((e) % 2 == 0)
#define TURN          turn[e * TURNS + i]
#define SLOT(s)       ((s) % CREDIT)
#define SEGMENT       (i == SINK -> 2 : 1)
/* What a unit's `ready` holds when segment j of a plan may take it. */
#if defined(NO_EPOCH)
#define WORD(plan, s, j) (1 + (s) * 16 + (j))
#elif defined(NO_SERIAL)
#define WORD(plan, s, j) (1 + (plan) * 4 + (j))
#else
#define WORD(plan, s, j) (1 + (s) * 16 + (plan) * 4 + (j))
#endif
#define READY(s, j) WORD(e, s, j)
#define NEXT(plan, i) (turn[plan * TURNS + i] / 2)
#define TURN_WAITS(plan, i, j) ((turn[plan * TURNS + i] & 1) == 0 && \
                                ready[SLOT(NEXT(plan, i))] == WORD(plan, NEXT(plan, i), j))

byte current;                   /* the plan */
byte turn[PLANS * TURNS];       /* 2 * (the next unit) + (1 where somebody has it) */
byte ready[CREDIT], pending[CREDIT];
byte held[WORKERS];             /* by worker: 1 + the plan that it may look at */
bool locked, replanned, ended, stopped;
byte admitted, done;            /* units */

byte refused;                   /* this unit; ALL for none */
byte unit[CREDIT];              /* which one is in the slot */
byte operating[TURNS];          /* workers in a partition of X, or in Y */
byte processed[TURNS];
byte inside;                    /* workers in any step */
bool gone[PLANS];               /* freed */
bool one_worker = true, in_order = true, right_unit = true, complete = true, flushed_last = true, no_overwrite = true,
     nothing_after = true, plan_there = true, nothing_stranded = true;

#define hold(property, condition) property = (condition); assert(property)
#define FINISHED   (ended && done == admitted)
#define HAS_CREDIT (admitted - done < CREDIT)
#define LAST_OF_X(s) (s < ITEMS -> s + 1 : ITEMS)       /* units that X must have had before Y gets unit s */
/* Would a worker that tries find something to do with the lock? */
#define ADMISSIBLE (!locked && !ended && HAS_CREDIT && (done == admitted || (!replanned && admitted != ITEMS)))

inline go_on() {
    atomic {
        inside--;
        e = 0; t = 0; i = 0; s = 0; last = false;
        hold(nothing_stranded, inside > 0 || FINISHED || stopped || ADMISSIBLE || TURN_WAITS(current, 0, 1) ||
             TURN_WAITS(current, 1, 1) || TURN_WAITS(current, SINK, 2));
        goto again
    }
}

inline begin(k) {
    hold(right_unit, unit[SLOT(s)] == s);
    operating[k]++;
    hold(one_worker, operating[k] == 1);
    hold(in_order, processed[k] == s)
}

inline end(k) {
    processed[k]++;
    operating[k]--
}

inline deliver() {
    if
    :: atomic { s == refused -> stopped = true }
    :: atomic { s != refused -> done = s + 1 }
    fi
}

inline sink() {
#ifdef DONE_FIRST
    deliver();
#endif
    atomic {
        hold(complete, processed[0] >= LAST_OF_X(s) && processed[1] >= LAST_OF_X(s));
        hold(nothing_after, s <= refused);
        begin(SINK)
    };
    atomic { end(SINK) };
#ifndef DONE_FIRST
    deliver()
#endif
}

inline look() {
    hold(plan_there, !gone[e])
}

inline publish(s, j) {
    atomic { look(); ready[SLOT(s)] = READY(s, j) }
}

inline count_down() {
#ifdef PENDING_BY_STORE
    t = pending[SLOT(s)];
    atomic { pending[SLOT(s)] = t - 1; last = (t == 1); t = 0 }
#else
    atomic { pending[SLOT(s)]--; last = (pending[SLOT(s)] == 0) }
#endif
}

inline pass_turn(s) {
    atomic { look(); TURN = 2 * (s) }
}

/* With a turn of X's, of plan e: the units that are ready, one after the other. */
inline visit_shard() {
    do
    ::
#ifdef PASS_FIRST
        pass_turn(s + 1);
#endif
#ifdef COUNT_FIRST
        count_down();
#endif
        atomic { begin(i) };
        atomic { end(i) };
#ifndef COUNT_FIRST
        count_down();
#endif
        s++;
        if
        :: atomic { !last && ready[SLOT(s)] == READY(s, 1) -> skip }
        :: break                                                /* enough, or nothing more */
        fi
    od;
#ifndef PASS_FIRST
    pass_turn(s);
#endif
    if
    :: last -> publish(s - 1, 2)
    :: else
    fi
}

/* With the sink's turn, which is that of both operators where they are in one segment. */
inline visit_segment() {
    do
#ifdef NO_LOOK_AT_STOP
    ::  skip;
#else
    :: stopped -> break
    :: !stopped ->
#endif
        if
        :: !SHARDED(e) ->
            atomic { begin(0); begin(1) };
            atomic { end(0); end(1) }
        :: else
        fi;
        sink();
        s++;
        if
        :: atomic { ready[SLOT(s)] == READY(s, SEGMENT) -> skip }
#ifdef TURN_KEPT
        :: atomic { ready[SLOT(s)] != READY(s, SEGMENT) -> go_on() }
#endif
        :: break
        fi
    od;
    pass_turn(s)
}

/* The plan in effect, from now on held. */
inline present() {
#ifdef NOT_HELD
    skip
#else
    do
    :: atomic { held[me] == e + 1 -> break }
    :: atomic { held[me] != e + 1 -> held[me] = e + 1 };
#ifdef HELD_UNCHECKED
        break
#else
        e = current
#endif
    od
#endif
}

/* With the lock: the plans before this one that no worker holds. */
inline free_old_plans(p) {
    do
    :: atomic { s < p ->
            last = (held[i] == s + 1);
            i++
        };
        if
        :: atomic { !last && i == WORKERS -> gone[s] = true; s++; i = 0 }
        :: atomic { !last && i < WORKERS -> skip }
        :: atomic { last -> s++; i = 0; last = false }
        fi
    :: atomic { s == p -> s = 0; break }
    od
}

inline install() {
    atomic {
        e++;
        turn[e * TURNS] = 2 * admitted;
        turn[e * TURNS + 1] = (SHARDED(e) -> 2 * admitted : 1);
        turn[e * TURNS + 2] = (SHARDED(e) -> 2 * admitted : 1);
        current = e;
        replanned = false
    };
    free_old_plans(e)
}

inline admit_next() {
    s = admitted;
    hold(no_overwrite, s < done + CREDIT);
    unit[SLOT(s)] = s;
    admitted++
}

proctype worker(byte me) {
    byte e, t, i, s;            /* the plan, the turn, whose it is, the unit */
    bool last;

again:
    do
    :: atomic { stopped || FINISHED -> break }
    :: atomic { !stopped && !FINISHED ->
            inside++;
            e = current
        };
        present();
        if
        :: atomic {
                if                              /* a turn that is free, with a unit that is ready */
                :: TURN_WAITS(e, 0, 1) -> i = 0
                :: TURN_WAITS(e, 1, 1) -> i = 1
                :: TURN_WAITS(e, SINK, 2) -> i = SINK
                fi;
                look();
                t = TURN
            };
            if
#ifdef LOAD_AND_STORE
            :: atomic { true -> TURN = t | 1; s = t / 2; t = 0 }
#else
            :: atomic { TURN == t -> look(); TURN = t | 1; s = t / 2; t = 0 }
            :: atomic { TURN != t -> look(); go_on() }
#endif
            fi;
            if
            :: SHARDED(e) && i != SINK -> visit_shard()
            :: else -> visit_segment()
            fi
        :: atomic { !ended && HAS_CREDIT -> skip };
            if
            :: atomic { locked -> go_on() }
            :: atomic { !locked -> locked = true; e = current }
            fi;
            if
#ifdef NOT_QUIESCENT
            :: replanned -> install()
#else
            :: atomic { replanned && done != admitted -> locked = false; go_on() }
            :: replanned && done == admitted -> install()
#endif
            :: !replanned
            fi;
            if
#ifdef NO_SECOND_LOOK
            :: atomic { ended || stopped -> locked = false; go_on() }
            :: !ended && !stopped
#elif defined(NO_LOOK_WITH_LOCK)
            :: atomic { ended || !HAS_CREDIT -> locked = false; go_on() }
            :: !ended && HAS_CREDIT
#else
            :: atomic { ended || stopped || !HAS_CREDIT -> locked = false; go_on() }
            :: !ended && !stopped && HAS_CREDIT
#endif
            fi;
            if
            :: atomic { admitted < ITEMS ->
                    admit_next();
                    if
                    :: e < PLANS - 1 -> replanned = true
                    :: true
                    fi
                };
                locked = false;
#ifdef PUBLISH_FIRST
                publish(s, 1);
                pending[SLOT(s)] = 2
#else
                pending[SLOT(s)] = 2;
                publish(s, 1)
#endif
            :: atomic { admitted >= ITEMS && admitted < ALL &&
#ifndef FLUSHED_EARLY
                        (done == admitted || admitted > ITEMS) &&
#endif
                        true ->
                    hold(flushed_last, processed[0] == ITEMS && processed[1] == ITEMS);
                    admit_next()
                };
                if
                :: SHARDED(e) ->
                    locked = false;
                    publish(s, 2)
                :: else ->                      /* the sink is in X's segment, and nobody else is there any more */
                    sink();
                    locked = false
                fi
#ifndef FLUSHED_EARLY
            :: atomic { admitted == ITEMS && done != admitted -> locked = false; go_on() }
#endif
            :: atomic { admitted == ALL -> ended = true };
                locked = false
            fi
        :: atomic { look(); go_on() }           /* it looked in vain */
        fi;
        go_on()
    od
}

init {
    atomic {
        do
        :: refused < ALL -> refused++
        :: break
        od;
        do
        :: _nr_pr <= WORKERS -> run worker(_nr_pr - 1)
        :: _nr_pr > WORKERS -> break
        od
    }
}
