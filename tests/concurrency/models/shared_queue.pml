/*
 * The shared queue: section 4.1 and figure 5 of the paper, as SharedQueue in pyx/schemes/shared_queue.pyx has it.
 *
 * One producer, which gives each item to any partition; a consumer makes visits until all items are processed, each
 * with a budget of any number of items from one up. Each access to a position of the queue, to `busy` or to the mutex
 * is a step of its own. Abstracted: the queue of items and that of their partitions are one, a ring that is never full;
 * memory orders, and what an item points to, are not modelled.
 *
 * Properties: one_worker (in a partition), in_order (of a partition's items, so each once), nothing_left_behind
 * (nobody is inside and has left a partition busy). Progress: all items are processed.
 *
 * Mutations: PARTITION_AFTER_ITEM (two steps, as in figure 5: a worker takes the item, and then waits for its
 * partition), NO_MUTEX, FREE_BEFORE_OPERATE, NOT_FREED, MUTEX_KEPT (by a worker that goes away from a busy
 * partition).
 */
#define CONSUMERS  3
#define PARTITIONS 2
#ifndef ITEMS
#define ITEMS      4
#endif

byte at_add, at_take;               /* positions of the ring */
bit partition_at[ITEMS];            /* the ring; an item is its position */
bit busy[PARTITIONS];               /* 1 while a worker is in the partition; set under the mutex only */
bit taking;                         /* the mutex */

byte operating[PARTITIONS];         /* workers in operate */
byte last[PARTITIONS];              /* one more than the partition's item that was processed last, 0 for none */
byte processed;
byte inside;                        /* consumers in consume */
bool one_worker = true, in_order = true, nothing_left_behind = true;

#define hold(property, condition) property = (condition); assert(property)

inline leave() {
    inside--;
    item = 0; p = 0; used = false;
    hold(nothing_left_behind, inside > 0 || (processed == at_take && busy[0] + busy[1] == 0))
}

inline lock() {
#ifdef NO_MUTEX
    skip
#else
    atomic { taking == 0 -> taking = 1 }
#endif
}

active proctype producer() {
    do
    :: at_add < ITEMS ->
        if
        :: partition_at[at_add] = 0
        :: partition_at[at_add] = 1
        fi;
        at_add++
    :: at_add == ITEMS -> break
    od
}

active [CONSUMERS] proctype consumer() {
    byte item;
    bit p;
    bool used, taken;

    do
    :: atomic { processed < ITEMS -> inside++ };
        do
        ::  /* try_take */
            lock();
            item = at_take;
            if
            :: atomic { item != at_add -> p = partition_at[item] };
#ifdef PARTITION_AFTER_ITEM
                at_take = item + 1;
                taking = 0;
                atomic { busy[p] == 0 -> busy[p] = 1 };
                taken = true
#else
                if
                :: busy[p] == 0 ->
                    busy[p] = 1;
                    atomic { at_take = item + 1; taken = true }
                :: busy[p] != 0
                fi;
#ifdef MUTEX_KEPT
                taking = !taken
#else
                taking = 0
#endif
#endif
            :: item == at_add -> taking = 0
            fi;
            if
            :: atomic { !taken -> leave(); break }
            :: atomic { taken -> taken = false }
            fi;
#ifdef FREE_BEFORE_OPERATE
            busy[p] = 0;
#endif
            atomic {
                operating[p]++;
                hold(one_worker, operating[p] == 1);
                hold(in_order, item >= last[p])
            };
progress_processed:
            atomic { last[p] = item + 1; operating[p]--; processed++; used = true; item = 0 };
#if defined(FREE_BEFORE_OPERATE) || defined(NOT_FREED)
            p = 0
#else
            atomic { busy[p] = 0; p = 0 }
#endif
        :: atomic { used -> leave(); break }    /* the budget is used */
        od
    :: processed == ITEMS -> break
    od
}
