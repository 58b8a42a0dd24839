/*
 * Units in pieces, in the engine `ordered`: who makes a unit's next piece, and which turns it keeps meanwhile, as pyx/ordered/segments.pyx
 * has it (visit_segment, visit_shard, take, next_piece, publish).
 *
 * An operator X with a turn makes up to three pieces of a unit; behind it are an operator of two partitions, with a turn
 * for each, and the sink. The unit goes round: who has brought a piece to the sink makes the next one. X's turn stays with the
 * unit until the last piece; a partition's stays where it is until the next piece is there. Each access to a turn, to a
 * unit's ready and pending, and to whether X has taken all of it (`left`) is a step of its own. Abstracted: a unit is
 * admitted in one step, the plan is one (models/ordered_engine.pml is about both), and a visit ends with its first unit.
 *
 * Properties: one_worker (in X, in a partition, or at the sink), in_order (pieces, and so each once), complete (all
 * partitions have had a piece before the sink gets it), right_unit (is in the slot), nothing_stranded (when no worker is
 * in a step, there is one that some worker can take, or all is done).
 *
 * Mutations: X_PASSES (its turn, though it has not taken all), SHARD_PASSES (its turn, though the unit comes again), NO_TURNS (of
 * partitions with the next piece), SINK_PASSES_FIRST (its turn, before the next piece is made), NO_SECOND_LOOK (at the
 * unit, with its turn), LEFT_READ_LATE (by a partition: when another may have made the next piece).
 */
#ifndef ITEMS
#define ITEMS   3               /* units */
#endif
#define MOST    2               /* pieces of a unit besides the first */
#define WORKERS 2
#define CREDIT  2
#define X       0               /* whose turn: X's, the partitions', the sink's */
#define SINK    3

#define SLOT(s)    ((s) % CREDIT)
#define SEGMENT(i) (i == X -> 1 : (i == SINK -> 3 : 2))
#define WORD(s, j) (1 + (s) * 4 + (j))
#define WAITS(i)   ((turn[i] & 1) == 0 && ready[SLOT(turn[i] / 2)] == WORD(turn[i] / 2, SEGMENT(i)))

byte turn[4];                   /* 2 * (the next unit) + (1 where somebody has it) */
byte ready[CREDIT], pending[CREDIT];
byte left[CREDIT];              /* pieces that X has still to make of the unit */
byte admitted, done;            /* units */

byte unit[CREDIT];              /* which one is in the slot */
byte number[CREDIT];            /* of its present piece, of all that were made */
byte made, taken;               /* pieces; units that X has taken all of */
byte operating[4], processed[4];
byte inside;                    /* workers in any step */
bool one_worker = true, in_order = true, complete = true, right_unit = true, nothing_stranded = true;

#define hold(property, condition) property = (condition); assert(property)
#define FINISHED   (done == ITEMS)
#define ADMISSIBLE (admitted < ITEMS && admitted - done < CREDIT)

inline go_on() {
    atomic {
        inside--;
        t = 0; i = 0; s = 0; last = false; again = false;
        hold(nothing_stranded, inside > 0 || FINISHED || ADMISSIBLE || WAITS(0) || WAITS(1) || WAITS(2) || WAITS(3));
        goto next
    }
}

inline begin(i) {
    hold(right_unit, unit[SLOT(s)] == s);
    operating[i]++;
    hold(one_worker, operating[i] == 1)
}

/* X makes a piece: the first one of the unit (rest: 0), or the next one (1). */
inline make(rest) {
    atomic {
        begin(X);
        hold(in_order, taken == s);
        number[SLOT(s)] = made
    };
    atomic {
        left[SLOT(s)] = left[SLOT(s)] - rest;
        made++;
        taken = taken + (left[SLOT(s)] == 0);
        operating[X]--
    }
}

/* A partition, or the sink, has the present piece. */
inline process(i) {
    atomic { begin(i); hold(in_order, processed[i] == number[SLOT(s)]) };
    atomic { processed[i]++; operating[i]-- }
}

inline pass_turn(i, s) {
    turn[i] = 2 * (s)
}

inline publish(s, j) {
    ready[SLOT(s)] = WORD(s, j)
}

inline visit_x() {
    make(0);
    pending[SLOT(s)] = 2;
    if
#ifdef X_PASSES
    :: true -> pass_turn(X, s + 1)
#else
    :: left[SLOT(s)] == 0 -> pass_turn(X, s + 1)
    :: left[SLOT(s)] > 0                                /* the unit keeps it */
#endif
    fi;
    publish(s, 2)
}

inline visit_shard() {
#ifndef LEFT_READ_LATE
    again = left[SLOT(s)] > 0;
#endif
    process(i);
    atomic { pending[SLOT(s)]--; last = (pending[SLOT(s)] == 0) };
#ifdef LEFT_READ_LATE
    again = left[SLOT(s)] > 0;
#endif
    if
#ifdef SHARD_PASSES
    :: again -> pass_turn(i, s)
#else
    :: again
#endif
    :: !again -> pass_turn(i, s + 1)
    fi;
    if
    :: last -> publish(s, 3)
    :: !last
    fi
}

inline visit_sink() {
    atomic { hold(complete, processed[1] > number[SLOT(s)] && processed[2] > number[SLOT(s)]) };
    process(SINK);
    if
    :: left[SLOT(s)] == 0 ->
        done = s + 1;
        pass_turn(SINK, s + 1)
    :: left[SLOT(s)] > 0 ->
#ifdef SINK_PASSES_FIRST
        pass_turn(SINK, s);
#endif
        make(1);
        if
        :: left[SLOT(s)] == 0 -> pass_turn(X, s + 1)
        :: left[SLOT(s)] > 0
        fi;
        pending[SLOT(s)] = 2;
#ifndef NO_TURNS
        pass_turn(1, s);
        pass_turn(2, s);
#endif
        publish(s, 2);
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
                :: left[SLOT(s)] = 0
                :: left[SLOT(s)] = 1
                :: left[SLOT(s)] = MOST
                fi;
                ready[SLOT(s)] = WORD(s, 1);
                go_on()
            :: WAITS(0) -> i = 0
            :: WAITS(1) -> i = 1
            :: WAITS(2) -> i = 2
            :: WAITS(3) -> i = 3
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
        :: i == X -> visit_x()
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
