/*
 * Units in pieces, in the engine `schemes`: how they go through a reorder buffer, and who makes the next piece, as Stage.next_piece,
 * StatefulStage.visit and NonBlockingReorderBuffer.send_pending in pyx/schemes and pyx/order have it.
 *
 * A stateful operator X makes up to three pieces of a unit; behind it are a reorder buffer and the sink. All pieces of a unit have its serial
 * number: the buffer's counter stays at it until the last one. Who has brought a piece to the sink makes the next one, and sends it.
 * X stays with the unit until X has taken all of it. Each access to a claim, to the buffer's slots, counter and flag, to the sink's
 * worklist, and to whether X has taken all (`left`) is a step of its own. Abstracted: worklists are queues, units are admitted in one
 * step, a visit ends with its first unit, and memory is sequentially consistent (models/nonblocking_reorder_buffer.pml is about orders).
 *
 * Properties: one_worker (in X, or at the sink), in_order (units in X, and pieces at the sink, so each once), no_overwrite (of an
 * output in the buffer), room (no piece comes to a buffer that is past it), nothing_stranded (when no worker is in a step, there is one that
 * some worker can take, or all is done).
 *
 * Mutations: X_LEFT (by a unit that it has not taken all of), CLEARED_LATE (the slot, when its output has been sent), LAST_READ_LATE (whether
 * it was the last piece, when it has been sent), COUNTER_MOVES (with each piece), NO_LOOK_AGAIN (at the slot, when the flag is cleared).
 */
#ifndef ITEMS
#define ITEMS   3               /* units */
#endif
#define MOST    2               /* pieces of a unit besides the first */
#define WORKERS 2
#define CREDIT  2
#define EMPTY   0

#define SLOT(s) ((s) % CREDIT)

byte left[CREDIT];              /* pieces that X has still to make of the unit */
byte number[CREDIT];            /* of its present piece, of all that were made */
byte admitted, given, done;     /* units: let in, taken from X's worklist, through */
bit x_claim, sink_claim, flag;
byte slots[CREDIT], next;       /* of the buffer: a serial number + 1 */
chan worklist = [CREDIT] of { byte };   /* the sink's */

byte made, taken, processed;    /* pieces; units that X has taken all of; pieces at the sink */
byte in_x, at_sink;
byte inside;                    /* workers in any step */
bool one_worker = true, in_order = true, no_overwrite = true, room = true, nothing_stranded = true;

#define hold(property, condition) property = (condition); assert(property)
#define FINISHED   (done == ITEMS)
#define ADMISSIBLE (admitted < ITEMS && admitted - done < CREDIT)
#define FOR_X      (x_claim == 0 && given < admitted)
#define FOR_SINK   (sink_claim == 0 && len(worklist) > 0)

inline go_on() {
    atomic {
        inside--;
        s = 0; n = 0; last = false; again = false; from_sink = false;
        hold(nothing_stranded, inside > 0 || FINISHED || ADMISSIBLE || FOR_X || FOR_SINK);
        goto next_step
    }
}

/* X makes a piece: the first one of the unit (rest: 0), or the next one (1). */
inline make(rest) {
    atomic {
        in_x++;
        hold(one_worker, in_x == 1);
        hold(in_order, taken == s);
        number[SLOT(s)] = made
    };
    atomic {
        left[SLOT(s)] = left[SLOT(s)] - rest;
        made++;
        taken = taken + (left[SLOT(s)] == 0);
        in_x--
    }
}

proctype worker() {
    byte s, n;                  /* the unit; the buffer's counter */
    bool last, again;           /* the piece sent is its unit's last; the unit has X for the next one */
    bool from_sink;

next_step:
    do
    :: atomic { FINISHED -> break }
    :: atomic { !FINISHED ->
            inside++;
            if
            :: ADMISSIBLE ->
                if
                :: left[SLOT(admitted)] = 0
                :: left[SLOT(admitted)] = 1
                :: left[SLOT(admitted)] = MOST
                fi;
                admitted++;
                go_on()
            :: FOR_X -> x_claim = 1
            :: FOR_SINK -> sink_claim = 1; from_sink = true
            :: else -> go_on()
            fi
        };
        if
        :: !from_sink ->
            atomic { s = given; given++ };
            make(0);
            again = left[SLOT(s)] > 0                   /* read first: when it is sent, the unit may be gone */
        :: from_sink ->
            worklist ? s;
            atomic {
                at_sink++;
                hold(one_worker, at_sink == 1);
                hold(in_order, processed == number[SLOT(s)])
            };
            atomic { processed++; at_sink-- };
            if
            :: left[SLOT(s)] == 0 -> done = s + 1; sink_claim = 0; go_on()
            :: left[SLOT(s)] > 0
            fi;
            make(1);
            if
            :: left[SLOT(s)] == 0 -> x_claim = 0
            :: left[SLOT(s)] > 0
            fi
        fi;

        /* try_add; without room again: the slot's last unit is still being handed on */
        do
        :: n = next;
            hold(room, s >= n);
            if
            :: s < n + CREDIT -> break
            :: s >= n + CREDIT
            fi
        od;
        atomic { hold(no_overwrite, slots[SLOT(s)] == EMPTY); slots[SLOT(s)] = s + 1 };

        /* send_pending */
        do
        :: atomic {
                if
                :: flag == 1 -> break
                :: flag == 0 -> flag = 1
                fi
            };
            n = next;
            do
            :: slots[SLOT(n)] != EMPTY ->
#ifndef CLEARED_LATE
                slots[SLOT(n)] = EMPTY;
#endif
#ifndef LAST_READ_LATE
                last = (left[SLOT(n)] == 0);
#endif
                worklist ! n;
#ifdef LAST_READ_LATE
                last = (left[SLOT(n)] == 0);
#endif
#ifdef CLEARED_LATE
                slots[SLOT(n)] = EMPTY;
#endif
#ifdef COUNTER_MOVES
                last = true;
#endif
                if
                :: last -> n++; next = n
                :: !last
                fi
            :: slots[SLOT(n)] == EMPTY -> break
            od;
            flag = 0;
#ifdef NO_LOOK_AGAIN
            break
#else
            if
            :: slots[SLOT(n)] == EMPTY -> break
            :: slots[SLOT(n)] != EMPTY
            fi
#endif
        od;

        if
        :: from_sink -> sink_claim = 0
#ifdef X_LEFT
        :: !from_sink -> x_claim = 0
#else
        :: !from_sink && !again -> x_claim = 0
        :: !from_sink && again                          /* X stays with the unit */
#endif
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
