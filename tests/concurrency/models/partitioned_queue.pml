/*
 * The partitioned queue: section 4.2 and figure 6 of the paper, as PartitionedQueue in pyx/schemes/partitioned_queue.pyx has
 * it.
 *
 * One producer, which gives each item to any partition; a consumer makes visits until all items are processed, each
 * with a budget of any number of items from one up. Each access to a position of a queue or to `held` is a step of
 * its own. Abstracted: a queue is two positions, and an item is its position; a visit may start at any partition; the
 * looks at a queue and at `held` before the exchange, hints, are left out; memory orders are not modelled.
 *
 * Properties: one_worker (in a partition), in_order (so each item once), nothing_held (when nobody is inside).
 * Progress: all items are processed.
 *
 * Mutations: LOAD_AND_STORE (in place of the exchange), FREE_BEFORE_OPERATE, NOT_FREED (by a worker that found
 * nothing).
 */
#ifndef ITEMS
#define ITEMS      4
#endif
#define CONSUMERS  3
#define PARTITIONS 2

byte pushed[PARTITIONS], popped[PARTITIONS];    /* positions of the partitions' queues */
bit held[PARTITIONS];                           /* 1 while a worker is in the partition */

byte operating[PARTITIONS];                     /* workers in operate */
byte processed[PARTITIONS];
byte inside;                                    /* consumers in consume */
bool one_worker = true, in_order = true, nothing_held = true;

#define hold(property, condition) property = (condition); assert(property)
#define ALL_PROCESSED (processed[0] + processed[1] == ITEMS)

active proctype producer() {
    byte added;

    do
    :: atomic { added < ITEMS ->
            added++;
            if
            :: pushed[0]++
            :: pushed[1]++
            fi
        }
    :: added == ITEMS -> break
    od
}

active [CONSUMERS] proctype consumer() {
    bit p;
    byte item, passed;

    do
    :: atomic { !ALL_PROCESSED ->
            inside++;
            if
            :: p = 0
            :: p = 1
            fi
        };
        do
        :: passed < PARTITIONS ->
            /* try_hold */
            if
            :: atomic { held[p] == 1 -> passed++; p = 1 - p }
#ifdef LOAD_AND_STORE
            :: held[p] == 0 ->
                atomic { held[p] = 1; passed++ };
#else
            :: atomic { held[p] == 0 -> held[p] = 1; passed++ };
#endif
                do
                ::  item = popped[p];
                    if
                    :: atomic { item == pushed[p] -> item = 0 };
#ifdef NOT_FREED
                        atomic { p = 1 - p; break }
#else
                        atomic { held[p] = 0; p = 1 - p; break }
#endif
                    :: item != pushed[p] -> popped[p] = item + 1
                    fi;
#ifdef FREE_BEFORE_OPERATE
                    held[p] = 0;
#endif
                    atomic {
                        operating[p]++;
                        hold(one_worker, operating[p] == 1);
                        hold(in_order, item == processed[p])
                    };
progress_processed:
                    atomic { processed[p]++; operating[p]--; item = 0; passed = 0 };
                    if
                    :: true                                                 /* there is budget left */
                    :: atomic { held[p] = 0; passed = PARTITIONS; break }
                    fi
                od
            fi
        :: atomic { passed == PARTITIONS ->
                passed = 0; p = 0;
                inside--;
                hold(nothing_held, inside > 0 || held[0] + held[1] == 0);
                break
            }
        od
    :: ALL_PROCESSED -> break
    od
}
