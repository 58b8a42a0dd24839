/*
 * The Ordered Scheduler's ring (paper 003), as TurnRing in pyx/order/turn_ring.pxd (fits, put, advance, leave) and
 * TicketReorderBuffer.send and .trash in pyx/schemes/ticket_reorder_buffer.pyx have it.
 *
 * Each access to `slots` or `next` is a step of its own. Abstracted: memory is sequentially consistent, so of the
 * memory orders nothing is shown; an output is its serial number plus 1, the empty slot is 0, the turn and a trashed
 * serial number are numbers that no output has; serial numbers are handed out in order, to whoever asks, and any of
 * them may be trashed.
 *
 * Properties: one_sender (has the turn), in_order (trashed serial numbers skipped, nothing sent twice), no_overwrite,
 * nothing_left_behind (when no worker is in `send` the next slot holds the turn), nothing_lost (when all have ended).
 * Progress: a refused output finds room in the end.
 *
 * Mutations: LEAVE_BY_STORE (the turn is left by a load and a store in place of the exchange), PUT_BY_STORE (the same
 * in `put`), TAIL_TEST (who puts the next output sends it, whoever has the turn), NO_LOOK_AGAIN (who does not find
 * the slot empty in `leave` goes all the same), NO_UPPER_BOUND, TRASH_KEEPS_TURN (a trashed serial number leaves the
 * turn where it is), NEXT_BEFORE_EMPTY.
 */
#ifndef OUTPUTS
#define OUTPUTS 6
#endif
#define WORKERS 3
#define SIZE    2
#define EMPTY   0
#define TURN    100
#define TRASHED 101
#define SLOT(t) slots[(t) % SIZE]

byte slots[SIZE];       /* slots[t % SIZE]: item t or EMPTY if next is in (t - SIZE, t]; TURN only where t is next */
byte next;              /* written only by who has the turn */

byte taken;             /* serial numbers that have been handed out */
bool trashed[OUTPUTS];
byte turns;             /* workers that have the turn: from here on until they leave it they may send */
byte inside;            /* workers in send */
byte ended;
bool one_sender = true, in_order = true, no_overwrite = true, nothing_left_behind = true, nothing_lost = true;

#define hold(property, condition) property = (condition); assert(property)

inline get_turn() {
    turns++;
    hold(one_sender, turns == 1)
}

inline go() {           /* out of send */
    inside--;
    n = 0; item = 0;
    hold(nothing_left_behind, inside > 0 || SLOT(next) == TURN)
}

init {
    atomic {
        slots[0] = TURN;
        run worker(); run worker(); run worker()
    }
}

proctype worker() {
    byte serial, n, item, found;
    bool added;

    do
    :: atomic { taken < OUTPUTS ->
            serial = taken;
            taken++;
            if
            :: true
            :: trashed[serial] = true
            fi
        };
        do
        :: atomic { added -> added = false; break }
        :: else ->
            /* fits */
            atomic { n = next; inside++ };
            if
            :: atomic {
#ifdef NO_UPPER_BOUND
                true ->
#else
                serial < n + SIZE ->
#endif
                    n = 0; added = true
                };
                /* put */
                atomic {
                    found = SLOT(serial);
                    hold(no_overwrite, found == EMPTY || found == TURN);
#ifdef PUT_BY_STORE
                };
                atomic {
#endif
                    if
                    :: trashed[serial] -> SLOT(serial) = TRASHED
                    :: else -> SLOT(serial) = serial + 1
                    fi;
                    item = SLOT(serial);
#ifdef TRASH_KEEPS_TURN
                    if
                    :: found == TURN && item == TRASHED -> SLOT(serial) = TURN; found = EMPTY
                    :: else
                    fi;
#endif
                    if
                    :: found == TURN -> found = 0; get_turn()
#ifdef TAIL_TEST
                    :: found == EMPTY && serial == next -> get_turn()
                    :: found == EMPTY && serial != next -> go(); goto sent
#else
                    :: else -> found = 0; go(); goto sent
#endif
                    fi
                };
                /* send */
                do
                :: atomic {
                        if
                        :: item == TRASHED -> hold(in_order, trashed[next])
                        :: else -> hold(in_order, item == next + 1 && !trashed[next])
                        fi;
                        item = 0
                    };
                    /* advance */
                    n = next;
#ifdef NEXT_BEFORE_EMPTY
                    next = n + 1;
                    SLOT(n) = EMPTY;
#else
                    SLOT(n) = EMPTY;
                    next = n + 1;
#endif
                    atomic { n++; item = SLOT(n) };
                    if
                    :: atomic { item == EMPTY };
                        /* leave */
#ifdef LEAVE_BY_STORE
                        if
                        :: atomic { SLOT(n) == EMPTY -> turns-- };
                            atomic { SLOT(n) = TURN; go(); break }
#else
                        if
                        :: atomic { SLOT(n) == EMPTY -> SLOT(n) = TURN; turns--; go(); break }
#endif
#ifdef NO_LOOK_AGAIN
                        :: atomic { SLOT(n) != EMPTY -> turns--; go(); break }
#else
                        :: atomic { SLOT(n) != EMPTY -> item = SLOT(n) }
#endif
                        fi
                    :: atomic { item != EMPTY }
                    fi
                od
            :: atomic { serial >= n + SIZE -> go() }
            fi;
sent:       skip
        od;
progress_added:
        serial = 0
    :: atomic { taken == OUTPUTS -> ended++; break }
    od;
    atomic { hold(nothing_lost, ended < WORKERS || next == OUTPUTS) }
}
