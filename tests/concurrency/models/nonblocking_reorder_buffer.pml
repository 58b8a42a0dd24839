/*
 * The non-blocking reorder buffer: theorem 3.1 and figure 4 of the paper, as NonBlockingReorderBuffer in
 * pyx/schemes/reorder_buffer.pyx has it, where the recursion is a loop.
 *
 * Each access to `slots`, `next` or `flag` is a step of its own. Abstracted: memory is sequentially consistent but
 * for the two DELAYED mutations; an output is its serial number plus 1, because 0 is the empty slot; whether other
 * threads see what an output points to is not modelled; serial numbers are handed out in order, to whoever asks.
 *
 * Properties: one_sender, in_order (so nothing is sent twice), no_overwrite, nothing_left_behind (when no worker is
 * in `send`), nothing_lost (when all have ended). Progress: a refused output finds room in the end.
 *
 * Mutations: NO_LOOK_AGAIN, LOOK_BEFORE_CLEAR, NO_UPPER_BOUND, NO_FLAG, NEXT_BEFORE_EMPTY, and two memory orders that
 * are too weak, by a store buffer of one entry for each worker, which lands at any time before the worker's next
 * store: DELAYED_CLEAR (the cleared flag may land after the look-again: release in place of seq_cst) and DELAYED_ADD
 * (the added output may land after the worker has found the flag taken: the same).
 */
#ifndef OUTPUTS
#define OUTPUTS 7
#endif
#define WORKERS 3
#define SIZE    2
#define EMPTY   0
#define SLOT(t) slots[(t) % SIZE]

byte slots[SIZE];       /* slots[t % SIZE]: output t if next is in (t - SIZE, t], else EMPTY */
byte next;
bit flag;

byte taken;             /* serial numbers that have been handed out */
byte sending;           /* workers in send_downstream */
byte inside;            /* workers in send */
byte ended;
bool one_sender = true, in_order = true, no_overwrite = true, nothing_left_behind = true, nothing_lost = true;

#define hold(property, condition) property = (condition); assert(property)

#if defined(DELAYED_CLEAR) || defined(DELAYED_ADD)
byte late[WORKERS];     /* the store buffers: CLEAR, an output, or nothing */
#define CLEAR   100
#define LANDED  (late[_pid] == 0)
#define ALL_LANDED (late[0] + late[1] + late[2] == 0)
#else
#define LANDED  true
#define ALL_LANDED true
#endif

inline check_left_behind() {
    hold(nothing_left_behind, inside > 0 || !ALL_LANDED || SLOT(next) == EMPTY)
}

inline add() {          /* the store in try_add */
    hold(no_overwrite, SLOT(serial) == EMPTY);
#ifdef DELAYED_ADD
    late[_pid] = serial + 1
#else
    SLOT(serial) = serial + 1
#endif
}

inline clear_flag() {
#ifdef DELAYED_CLEAR
    late[_pid] = CLEAR
#else
    flag = 0
#endif
}

inline leave() {
    inside--;
    n = 0; output = 0;
    check_left_behind()
}

active [WORKERS] proctype worker() {
    byte serial, n, output;
    bool added;

    do
    :: atomic { taken < OUTPUTS -> serial = taken; taken++ };
        do
        :: atomic { added -> added = false; break }
        :: else ->
            /* try_add */
            atomic { n = next; inside++ };
            if
            :: atomic {
#ifndef NO_UPPER_BOUND
                serial < n + SIZE &&
#endif
                LANDED -> n = 0; add(); added = true }
            :: serial >= n + SIZE
            fi;

            /* send_pending */
            do
            :: atomic {
                    if
#ifdef DELAYED_ADD
                    :: flag == 1 -> leave(); break
                    :: flag == 0 && LANDED -> flag = 1
#elif defined(NO_FLAG)
                    :: flag = 1
#else
                    :: LANDED && flag == 1 -> leave(); break
                    :: LANDED && flag == 0 -> flag = 1
#endif
                    fi
                };
                n = next;
                do
                :: atomic { SLOT(n) != EMPTY ->
                        output = SLOT(n) - 1;
                        sending++;
                        hold(one_sender, sending == 1);
                        hold(in_order, output == n)
                    };
#ifdef NEXT_BEFORE_EMPTY
                    next = n + 1;
                    atomic { SLOT(n) = EMPTY; sending--; output = 0; n++ }
#else
                    SLOT(n) = EMPTY;                    /* before it is sent: a piece that comes again finds it so */
                    atomic { sending--; output = 0; n++; next = n }
#endif
                :: SLOT(n) == EMPTY -> break
                od;
#if defined(NO_LOOK_AGAIN)
                atomic { clear_flag(); leave(); break }
#elif defined(LOOK_BEFORE_CLEAR)
                if
                :: SLOT(n) == EMPTY -> atomic { clear_flag(); leave(); break }
                :: SLOT(n) != EMPTY -> clear_flag()
                fi
#else
                clear_flag();
                atomic {
                    if
                    :: SLOT(n) == EMPTY -> leave(); break
                    :: SLOT(n) != EMPTY
                    fi
                }
#endif
            od
        od;
progress_added:
        serial = 0
    :: atomic { taken == OUTPUTS && LANDED -> ended++; break }
    od;
    atomic { hold(nothing_lost, ended < WORKERS || next == OUTPUTS) }
}

#if defined(DELAYED_CLEAR) || defined(DELAYED_ADD)
inline land(w) {
    if
    :: late[w] == CLEAR -> flag = 0
    :: else -> SLOT(late[w] - 1) = late[w]
    fi;
    late[w] = 0;
    check_left_behind()
}

active proctype store_buffers() {
end:
    do
    :: atomic { late[0] != 0 -> land(0) }
    :: atomic { late[1] != 0 -> land(1) }
    :: atomic { late[2] != 0 -> land(2) }
    od
}
#endif
