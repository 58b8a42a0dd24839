/*
 * The hybrid queue: theorem 4.1 and figure 7 of the paper, as HybridQueue in pyx/schemes/hybrid_queue.pyx has it.
 *
 * One producer, which gives each item to any partition; a consumer makes visits until all items are processed, each
 * with a budget of any number of items from one up. Each access to a count, to the master queue and to a position of
 * a partition's queue is a step of its own. Abstracted: the master queue is a linearisable FIFO that is never full, as
 * growing_queue.pml has it step by step; a partition's queue is two positions, and an item is its position; what a slot
 * holds and memory orders are not modelled.
 *
 * Properties: one_worker (in a partition), in_order (so each item once), pop_succeeds (for whoever holds the
 * partition), nothing_left_behind (when nobody is inside and the master queue is empty). Progress: all items are
 * processed.
 *
 * Mutations: MASTER_FIRST (the entry is pushed before the item), COUNT_DOWN_FIRST (before operate), NO_TEST (of the
 * count's old value), NO_DELEGATES (the worker leaves after one item), LOAD_AND_STORE (in place of fetch_add).
 */
#ifndef ITEMS
#define ITEMS      5
#endif
#define CONSUMERS  3
#define PARTITIONS 2

chan master = [ITEMS] of { bit };
byte pushed[PARTITIONS], popped[PARTITIONS];    /* positions of the partitions' queues */
byte counts[PARTITIONS];                        /* items that the partition's active worker has still to process */

byte operating[PARTITIONS];                     /* workers in operate */
byte processed[PARTITIONS];
byte inside;                                    /* consumers in consume */
bool adding;                                    /* the producer is in add */
bool one_worker = true, in_order = true, pop_succeeds = true, nothing_left_behind = true;

#define hold(property, condition) property = (condition); assert(property)
#define ALL_PROCESSED (processed[0] + processed[1] == ITEMS)

inline leave() {
    inside--;
    p = 0; used = false;
    hold(nothing_left_behind, inside > 0 || adding || nempty(master) ||
         (processed[0] == pushed[0] && processed[1] == pushed[1]))
}

active proctype producer() {
    byte added;
    bit p;

    do
    :: atomic { added < ITEMS ->
            adding = true;
            if
            :: p = 0
            :: p = 1
            fi
        };
#ifdef MASTER_FIRST
        master ! p;
        atomic { pushed[p]++; adding = false; added++ }
#else
        pushed[p]++;
        atomic { master ! p; adding = false; added++ }
#endif
    :: added == ITEMS -> break
    od
}

active [CONSUMERS] proctype consumer() {
    bit p;
    byte count, item;
    bool used;

    do
    :: atomic { !ALL_PROCESSED -> inside++ };
        do
        :: atomic { nempty(master) -> master ? p };
#ifdef LOAD_AND_STORE
            count = counts[p];
            counts[p] = count + 1;
#else
            atomic { count = counts[p]; counts[p]++ };
#endif
#ifndef NO_TEST
            if
            :: atomic { count != 0 -> count = 0; p = 0 }    /* delegated to the partition's active worker */
            :: else ->
#endif
                do
                ::  item = popped[p];
                    atomic { hold(pop_succeeds, item < pushed[p]) };
                    popped[p] = item + 1;
#ifdef COUNT_DOWN_FIRST
                    atomic { count = counts[p]; counts[p]-- };
#endif
                    atomic {
                        operating[p]++;
                        hold(one_worker, operating[p] == 1);
                        hold(in_order, item == processed[p])
                    };
progress_processed:
                    atomic { processed[p]++; operating[p]--; used = true; item = 0 };
#ifndef COUNT_DOWN_FIRST
                    atomic { count = counts[p]; counts[p]-- };
#endif
                    if
#ifdef NO_DELEGATES
                    :: atomic { true -> count = 0; p = 0; break }
#else
                    :: atomic { count == 1 -> count = 0; p = 0; break }
                    :: atomic { count != 1 -> count = 0 }
#endif
                    fi
                od
#ifndef NO_TEST
            fi
#endif
        :: atomic { empty(master) -> leave(); break }
        :: atomic { used -> leave(); break }    /* the budget is used */
        od
    :: ALL_PROCESSED -> break
    od
}
