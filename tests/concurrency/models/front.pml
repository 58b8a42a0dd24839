/*
 * Read licences and walking in FRONT, as pyx/front/unfolding.pyx (send, schedule) and pyx/front/front_crew.pyx (work, rest,
 * next_of, steal, invoke, take_in) have them, over the queue of pyx/front/entities.pyx.
 *
 * The network: entities LEFT and RIGHT, which get records from the source and give to JOINED, whose records leave. The
 * source's records go to LEFT, RIGHT, RIGHT and LEFT; none is read while CREDIT records are on their way. LEFT gives one to JOINED of each, and one to RIGHT, too, of its first;
 * RIGHT gives two of the source's first to it, and one of all others. Each access to a counter, a queue or a list is a step of its own. Abstracted: an entity's queue is one
 * list, where the runtime has a stack and what was turned round of it; a list's lock and its order (any entity may be taken);
 * naps of the idle; memory is sequentially consistent.
 *
 * Properties: one_worker (an entity is had by one worker at a time), licensed (who has a licence finds a record), in_order
 * (what comes from the source to RIGHT, and from RIGHT to JOINED, is taken in the order in which it was sent), all_left (when
 * all workers have gone, every record has left).
 *
 * Mutations: LOAD_AND_STORE (a licence is given back in two steps), CLAIM_BY_STORE (an entity is got by a test and a store),
 * COUNT_FIRST (a licence is given before the record is in the queue), NO_SCHEDULE (who gives an idle entity its first
 * licence after all does not put it on the list), NO_LOOK_AT_QUEUE (who gets an entity goes on with the own record although
 * others are in the queue), HAND_LAST (what a walker has in its hand for an entity goes behind a later one), HELD_LOST (a
 * walker that gets another entity forgets the one before), RELEASED_FIRST (the entity is let go before what it gives is
 * sent), INPUT_UNLOCKED (the next may read before a record that was read is sent), IDLE_KEPT (who finds work again is
 * counted as idle), LEFT_COUNTED (records that have left are still on their way, for who counts them).
 */
#define WORKERS  2
#define LEFT     0
#define RIGHT    1
#define JOINED   2
#define NONE     7
#define SOURCE   4              /* records that it has: 0, 1, 2, 3 */
#define CREDIT   4              /* records on their way, with which no other one is read */
#define GIVEN    6              /* records that JOINED gets: 0 from LEFT, 1, 2, 3 and 0 from RIGHT */

chan queue[3] = [6] of { byte };
byte pending[3];
bool listed[6];                 /* by worker and entity */
byte idle, had[3];
bool input, ended;

byte read, left, gone;
byte moving;                    /* records on their way */
byte right_next = 1, joined_next = 1;
bool one_worker = true, licensed = true, in_order = true, all_left = true;

#define hold(property, condition) property = (condition); assert(property)
#define LISTED(w) (listed[3 * (w)] || listed[3 * (w) + 1] || listed[3 * (w) + 2])

inline schedule(what) {
    atomic { listed[3 * _pid + what] = true }
}

/* An entity from a list, if there is one: `found` */
inline next_of(w) {
    atomic {
        if
        :: listed[3 * w] -> listed[3 * w] = false; entity = LEFT; found = true
        :: listed[3 * w + 1] -> listed[3 * w + 1] = false; entity = RIGHT; found = true
        :: listed[3 * w + 2] -> listed[3 * w + 2] = false; entity = JOINED; found = true
        :: !LISTED(w)
        fi
    }
}

inline let_go() {
    atomic { had[entity]-- };
#ifdef LOAD_AND_STORE
    atomic { count = pending[entity] };
    atomic { pending[entity] = count - 1 }
#else
    atomic { count = pending[entity]; pending[entity]-- }
#endif
}

active [WORKERS] proctype worker() {
    byte held = NONE, hand = NONE;          /* the entity to go on with, and its record, if that is not in the queue */
    byte entity = NONE, record = NONE;      /* what is taken; of one that reads, NONE */
    byte to, what = NONE, second = NONE;    /* what is sent, and what after that */
    byte count;
    bool got, found;

    do
    ::  if
        :: atomic { held != NONE -> entity = held; record = hand; held = NONE; hand = NONE; found = true }
        :: atomic { held == NONE };
            next_of(_pid)
        fi;
        if
        :: atomic { found -> found = false };
            goto invoke
        :: atomic { !found }
        fi;

        /* take in */
        if
        :: atomic { !ended && !input && moving < CREDIT -> input = true };
            if
            :: atomic { read == SOURCE -> ended = true };
                atomic { input = false }
            :: atomic { read < SOURCE -> what = read; to = (read == 1 || read == 2 -> RIGHT : LEFT);
                read++; moving++ };
#ifdef INPUT_UNLOCKED
                atomic { input = false };
#endif
                goto send
            fi
        :: atomic { ended || input || moving >= CREDIT }
        fi;

        /* steal */
        next_of((1 - _pid));
        if
        :: atomic { found -> found = false };
            goto invoke
        :: atomic { !found }
        fi;

        /* rest */
        atomic { idle++ };
        if
        :: atomic { idle == WORKERS && ended -> break }
        :: atomic { (!ended && !input && moving < CREDIT) || LISTED(0) || LISTED(1) }
        fi;
#ifndef IDLE_KEPT
        atomic { idle-- };
#endif
        goto next;

invoke:
        if
        :: atomic { record == NONE -> hold(licensed, nempty(queue[entity])); queue[entity]?record }
        :: atomic { record != NONE }
        fi;
        /* take */
        atomic {
            had[entity]++;
            hold(one_worker, had[entity] == 1);
            to = JOINED;
            if
            :: entity == LEFT ->
                what = 0;
                if
                :: record == 0 -> second = 0
                :: else
                fi
            :: entity == RIGHT ->
                if
                :: record == 0 -> what = 0
                :: record == 1 -> what = 1; second = 2
                :: record == 2 -> what = 3
                fi;
                if
                :: record > 0 ->
                    hold(in_order, record == right_next);
                    right_next++
                :: else
                fi
            :: entity == JOINED ->
                if
                :: record > 0 ->
                    hold(in_order, record == joined_next);
                    joined_next++
                :: record == 0
                fi;
                left++;
#ifndef LEFT_COUNTED
                moving--
#endif
            fi;
            if
            :: second != NONE -> moving++
            :: else
            fi;
            record = NONE
        };
#ifdef RELEASED_FIRST
        let_go();
#endif

send:
        if
        :: atomic { what != NONE && held == to };
#ifdef HAND_LAST
            queue[to]!what;
#endif
            if
            :: atomic { hand != NONE };
                queue[to]!hand;
                hand = NONE
            :: atomic { hand == NONE }
            fi;
#ifndef HAND_LAST
            queue[to]!what;
#endif
            atomic { pending[to]++ }
        :: atomic { what != NONE && held != to };
            atomic {
                got = (pending[to] == 0);
#ifdef CLAIM_BY_STORE
            };
            atomic {
#endif
                if
                :: got -> pending[to] = 1
                :: else
                fi
            };
            if
            :: atomic { got };
#ifndef HELD_LOST
                if
                :: atomic { held != NONE };
                    if
                    :: atomic { hand != NONE };
                        queue[held]!hand
                    :: atomic { hand == NONE }
                    fi;
                    schedule(held)
                :: atomic { held == NONE }
                fi;
#endif
                atomic { held = to; hand = what };
#ifndef NO_LOOK_AT_QUEUE
                if
                :: atomic { nempty(queue[to]) };
                    queue[to]!what;
                    hand = NONE
                :: atomic { empty(queue[to]) }
                fi
#endif
            :: atomic { !got };
#ifdef COUNT_FIRST
                atomic { got = (pending[to] == 0); pending[to]++ };
                queue[to]!what;
#else
                queue[to]!what;
                atomic { got = (pending[to] == 0); pending[to]++ };
#endif
                if
                :: atomic { got };
#ifndef NO_SCHEDULE
                    schedule(to)
#endif
                :: atomic { !got }
                fi
            fi
        :: atomic { what == NONE }
        fi;
        atomic { got = false; what = second; second = NONE; to = (entity == LEFT -> RIGHT : JOINED) };
        if
        :: atomic { what != NONE };
            goto send
        :: atomic { what == NONE && entity == NONE };       /* it was read */
#ifndef INPUT_UNLOCKED
            atomic { input = false };
#endif
            goto next
        :: atomic { what == NONE && entity != NONE }
        fi;
#ifndef RELEASED_FIRST
        let_go();
#endif
        if
        :: atomic { count == 1 }
        :: atomic { count != 1 && held != NONE };
            schedule(entity)
        :: atomic { count != 1 && held == NONE -> count = 0 };
            goto invoke
        fi;
        atomic { count = 0; entity = NONE };
next:   skip
    od;
    atomic {
        gone++;
        hold(all_left, gone < WORKERS || left == GIVEN)
    }
}
