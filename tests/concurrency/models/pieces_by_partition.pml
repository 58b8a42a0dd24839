/*
 * Units in pieces, in the engine `ordered`, where the operator that makes them runs by partition: which turns such a unit keeps, and
 * how its groups are shared out again, as pyx/ordered/segments.pyx has it (visit_shard, take, next_piece, share_out_again).
 *
 * An operator of two partitions, with a turn for each, and the sink. In a unit's group of either partition the operator may stop up to twice.
 * Whoever processes the last group that was shared out brings a piece to the sink; whoever has brought it there shares out the groups in which
 * the operator has stopped. A partition's turn stays with the unit until its group is done. Each access to a turn, to a unit's ready and
 * pending, and to whether a group has stopped (`left`) is a step of its own. Abstracted: as in models/pieces.pml; what groups
 * hold of later rows.
 *
 * Properties: one_worker (in a partition, or at the sink), in_order (units in each partition, and at the sink), once (a group is
 * processed once each time that it is shared out), complete (all of these have been when the sink gets the piece), right_unit (is in the
 * slot), nothing_stranded (when no worker is in a step, there is one that some worker can take, or all is done).
 *
 * Mutations: SHARD_PASSES (its turn, though its group has stopped), ALL_TURNS (given back, also of groups that are done), NO_TURNS (given back),
 * SINK_PASSES_FIRST (its turn, before the groups are shared out), NO_SECOND_LOOK (at the unit, with its turn), STOPPED_READ_LATE (when
 * another may have shared the groups out again).
 */
#ifndef ITEMS
#define ITEMS   3               /* units */
#endif
#define WORKERS 2
#define CREDIT  2
#define SINK    2               /* whose turn: the partitions', the sink's */

#define SLOT(s)    ((s) % CREDIT)
#define GROUP(s, i) (2 * SLOT(s) + (i))
#define SEGMENT(i) (i == SINK -> 2 : 1)
#define WORD(s, j) (1 + (s) * 3 + (j))
#define WAITS(i)   ((turn[i] & 1) == 0 && ready[SLOT(turn[i] / 2)] == WORD(turn[i] / 2, SEGMENT(i)))

byte turn[3];                   /* 2 * (the next unit) + (1 where somebody has it) */
byte ready[CREDIT], pending[CREDIT];
byte left[4];                   /* of a group: how often it has still to be processed */
bool shared[4];                 /* of a group: it is shared out, and not processed yet */
byte admitted, done;            /* units */

byte unit[CREDIT];              /* which one is in the slot */
byte taken[2];                  /* units with which a partition is done */
byte operating[3];
byte inside;                    /* workers in any step */
bool one_worker = true, in_order = true, once = true, complete = true, right_unit = true, nothing_stranded = true;

#define hold(property, condition) property = (condition); assert(property)
#define FINISHED   (done == ITEMS)
#define ADMISSIBLE (admitted < ITEMS && admitted - done < CREDIT)

inline go_on() {
    atomic {
        inside--;
        t = 0; i = 0; s = 0; last = false; again = false;
        hold(nothing_stranded, inside > 0 || FINISHED || ADMISSIBLE || WAITS(0) || WAITS(1) || WAITS(2));
        goto next
    }
}

inline begin(i) {
    hold(right_unit, unit[SLOT(s)] == s);
    operating[i]++;
    hold(one_worker, operating[i] == 1)
}

inline pass_turn(i, s) {
    turn[i] = 2 * (s)
}

inline publish(s, j) {
    ready[SLOT(s)] = WORD(s, j)
}

inline visit_shard() {
    atomic { begin(i); hold(in_order, taken[i] == s); hold(once, shared[GROUP(s, i)]) };
    atomic {
        shared[GROUP(s, i)] = false;
        left[GROUP(s, i)]--;
        taken[i] = taken[i] + (left[GROUP(s, i)] == 0);
        operating[i]--
    };
#ifndef STOPPED_READ_LATE
    again = left[GROUP(s, i)] > 0;
#endif
    atomic { pending[SLOT(s)]--; last = (pending[SLOT(s)] == 0) };
#ifdef STOPPED_READ_LATE
    again = left[GROUP(s, i)] > 0;
#endif
    if
#ifdef SHARD_PASSES
    :: again -> pass_turn(i, s + 1)
#else
    :: again                                            /* the unit keeps it */
#endif
    :: !again -> pass_turn(i, s + 1)
    fi;
    if
    :: last -> publish(s, 2)
    :: !last
    fi
}

inline give_back(i) {
    if
#ifdef ALL_TURNS
    :: true -> pass_turn(i, s)
#elif defined(NO_TURNS)
    :: true
#else
    :: left[GROUP(s, i)] > 0 -> pass_turn(i, s)
    :: left[GROUP(s, i)] == 0
#endif
    fi
}

inline visit_sink() {
    atomic { hold(complete, !shared[GROUP(s, 0)] && !shared[GROUP(s, 1)]) };
    atomic { begin(SINK); hold(in_order, done == s) };
    operating[SINK]--;
    if
    :: left[GROUP(s, 0)] + left[GROUP(s, 1)] == 0 ->
        done = s + 1;
        pass_turn(SINK, s + 1)
    :: else ->
#ifdef SINK_PASSES_FIRST
        pass_turn(SINK, s);
#endif
        atomic {
            shared[GROUP(s, 0)] = left[GROUP(s, 0)] > 0;
            shared[GROUP(s, 1)] = left[GROUP(s, 1)] > 0;
            pending[SLOT(s)] = shared[GROUP(s, 0)] + shared[GROUP(s, 1)]
        };
        give_back(0);
        give_back(1);
        publish(s, 1);
#ifndef SINK_PASSES_FIRST
        pass_turn(SINK, s)                              /* only now is the unit no longer ready for it */
#endif
    fi
}

proctype worker() {
    byte t, i, s;               /* the turn, whose it is, the unit */
    bool last, again;

next:
    do
    :: atomic { FINISHED -> break }
    :: atomic { !FINISHED ->
            inside++;
            if
            :: ADMISSIBLE ->
                s = admitted;
                admitted++;
                unit[SLOT(s)] = s;
                if
                :: left[GROUP(s, 0)] = 1; left[GROUP(s, 1)] = 1
                :: left[GROUP(s, 0)] = 2; left[GROUP(s, 1)] = 1
                :: left[GROUP(s, 0)] = 1; left[GROUP(s, 1)] = 3
                :: left[GROUP(s, 0)] = 3; left[GROUP(s, 1)] = 2
                fi;
                shared[GROUP(s, 0)] = true;
                shared[GROUP(s, 1)] = true;
                pending[SLOT(s)] = 2;
                ready[SLOT(s)] = WORD(s, 1);
                go_on()
            :: WAITS(0) -> i = 0
            :: WAITS(1) -> i = 1
            :: WAITS(2) -> i = 2
            :: else -> go_on()
            fi;
            t = turn[i]
        };
        if
        :: atomic { turn[i] == t -> turn[i] = t | 1; s = t / 2; t = 0 }
        :: atomic { turn[i] != t -> go_on() }
        fi;
#ifndef NO_SECOND_LOOK
        if
        :: ready[SLOT(s)] == WORD(s, SEGMENT(i))
        :: ready[SLOT(s)] != WORD(s, SEGMENT(i)) -> pass_turn(i, s); go_on()
        fi;
#endif
        if
        :: i == SINK -> visit_sink()
        :: else -> visit_shard()
        fi;
        go_on()
    od
}

init {
    atomic {
        do
        :: _nr_pr <= WORKERS -> run worker()
        :: _nr_pr > WORKERS -> break
        od
    }
}
