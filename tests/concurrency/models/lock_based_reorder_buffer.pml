/*
 * The lock-based reorder buffer: section 3.1 and figure 2 of the paper, as LockBasedReorderBuffer in
 * pyx/schemes/lock_based_reorder_buffer.pyx has it, with a bounded waiting buffer.
 *
 * Each access to the lock, to `next` or to `slots` is a step of its own. Abstracted: try_lock before lock, which only
 * counts; memory orders; an output is its serial number plus 1, because 0 is the empty slot; serial numbers are
 * handed out in order, to whoever asks.
 *
 * Properties: one_sender, in_order (so nothing is sent twice), no_overwrite, nothing_left_behind (when no worker is
 * in `send`), nothing_lost (when all have ended). Progress needs a lock that is fair, and is not checked.
 *
 * Mutations: NO_LOCK, NO_UPPER_BOUND, NO_DRAIN (only the worker's own output is sent), REFUSED_KEEPS_LOCK.
 */
#ifndef OUTPUTS
#define OUTPUTS 6
#endif
#define WORKERS 3
#define SIZE    2
#define EMPTY   0
#define SLOT(t) slots[(t) % SIZE]

bit locked;
byte slots[SIZE];       /* slots[t % SIZE]: output t if next is in (t - SIZE, t), else EMPTY; under the lock */
byte next;              /* written only under the lock */

byte taken;             /* serial numbers that have been handed out */
byte sending;           /* workers in send_downstream */
byte inside;            /* workers in send */
byte ended;
bool one_sender = true, in_order = true, no_overwrite = true, nothing_left_behind = true, nothing_lost = true;

#define hold(property, condition) property = (condition); assert(property)

active [WORKERS] proctype worker() {
    byte serial, n, output;
    bool added;

    do
    :: atomic { taken < OUTPUTS -> serial = taken; taken++ };
        do
        :: atomic { added -> added = false; break }
        :: else ->
            inside++;
#ifndef NO_LOCK
            atomic { locked == 0 -> locked = 1 };
#endif
            n = next;
            if
            :: serial == n -> atomic { output = serial + 1; added = true };
                do
                :: atomic { output != EMPTY ->
                        sending++;
                        hold(one_sender, sending == 1);
                        hold(in_order, output == n + 1)
                    };
                    atomic { sending--; n++; next = n };
#ifdef NO_DRAIN
                    output = EMPTY
#else
                    output = SLOT(n);
                    SLOT(n) = EMPTY
#endif
                :: output == EMPTY -> break
                od
            :: else ->
                if
#ifdef NO_UPPER_BOUND
                :: true ->
#else
                :: serial >= n + SIZE
                :: serial < n + SIZE ->
#endif
                    atomic { hold(no_overwrite, SLOT(serial) == EMPTY); SLOT(serial) = serial + 1; added = true }
                fi
            fi;
            atomic {
#ifdef REFUSED_KEEPS_LOCK
                locked = !added;
#else
                locked = 0;
#endif
                n = 0;
                inside--;
                hold(nothing_left_behind, inside > 0 || SLOT(next) == EMPTY)
            }
        od;
        serial = 0
    :: atomic { taken == OUTPUTS -> ended++; break }
    od;
    atomic { hold(nothing_lost, ended < WORKERS || next == OUTPUTS) }
}
