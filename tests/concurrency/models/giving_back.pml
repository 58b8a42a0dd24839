/*
 * How FRONT gives a split's replica back while records are sent to it, as pyx/front/garbage.pyx (close, close_slot, open_slot,
 * current) and pyx/front/unfolding.pyx (send, replica_of) have it, over `enqueue` and `shut` of pyx/front/entities.pyx.
 *
 * The network: a table with one replica of one entity. Two senders send two records each to whatever replica is in the table,
 * and make one where there is none; who has the entity takes what waits for it. A sweeper looks at the table twice: it takes
 * the licence of an entity that has none, shuts its queue if that is empty, and takes the replica out, or opens it again, as it
 * must if another entity of the replica is busy. Abstracted: a queue is one list; memory is sequentially consistent; what was
 * taken out is not freed.
 *
 * Properties: licensed (who has a licence finds a record), one_worker (an entity is had by one at a time), in_order (a sender's
 * records are taken in the order in which it sent them), all_taken (when all have ended every record has been).
 *
 * Mutations: SHUT_BLINDLY (the queue is shut although records wait), NO_LICENCE (who shuts has not got the entity),
 * ENQUEUE_BLINDLY (a sender looks whether the queue is shut, and puts its record there in a further step), GONE_FIRST (the
 * replica is taken out before its entity is shut), LET_GO_BLINDLY (who opens it again forgets what has come meanwhile).
 */
#define NONE    7
#define SENDERS 2
#define EACH    2

chan queue[3] = [4] of { byte };
byte pending[3], had[3], next[SENDERS];
bool is_shut[3];
byte table, made = 1, taken, gone;
bool locked;
bool licensed = true, one_worker = true, in_order = true, all_taken = true;

#define hold(property, condition) property = (condition); assert(property)

inline lock() {
    atomic { !locked -> locked = true }
}

/* The record in one's hand. */
inline take() {
    atomic { had[e]++; hold(one_worker, had[e] == 1) };
    atomic {
        hold(in_order, record % EACH == next[record / EACH]);
        next[record / EACH]++;
        taken++;
        had[e]--
    }
}

inline let_go() {
    atomic { pending[e]--; more = (pending[e] > 0) }
}

/* All that waits for an entity that one has. */
inline run_on() {
    more = true;
    do
    :: more ->
        atomic { hold(licensed, nempty(queue[e])); queue[e]?record };
        take();
        let_go()
    :: else -> break
    od
}

inline end() {
    atomic { gone++; hold(all_taken, gone < SENDERS + 1 || taken == SENDERS * EACH) }
}

active [SENDERS] proctype sender() {
    byte e, record, k;
    bool more, refused, got;

    do
    :: k < EACH ->
again:  lock();
        atomic {
            if
            :: table == NONE -> table = made; made++
            :: else
            fi;
            e = table;
            locked = false
        };
        record = _pid * EACH + k;
        if
        :: atomic { pending[e] == 0 -> pending[e] = 1 };
            if
            :: atomic { nempty(queue[e]) };
                queue[e]!record;
                run_on()
            :: atomic { empty(queue[e]) };
                take();
                let_go();
                if
                :: more -> run_on()
                :: else
                fi
            fi
        :: atomic { pending[e] != 0 };
#ifdef ENQUEUE_BLINDLY
            refused = is_shut[e];
            if
            :: !refused -> queue[e]!record
            :: else
            fi;
#else
            atomic {
                refused = is_shut[e];
                if
                :: !refused -> queue[e]!record
                :: else
                fi
            };
#endif
            if
            :: refused -> goto again
            :: else
            fi;
            atomic { got = (pending[e] == 0); pending[e]++ };
            if
            :: got -> run_on()
            :: else
            fi
        fi;
        k++
    :: else -> break
    od;
    end()
}

active proctype sweeper() {
    byte e, record, k;
    bool more, closed;

    do
    :: k < 2 ->
        lock();
        e = table;
        more = false;
        closed = false;
        if
        :: e == NONE
        :: e != NONE ->
#ifdef GONE_FIRST
            table = NONE;
#endif
            if
#ifdef NO_LICENCE
            :: true;
#else
            :: atomic { pending[e] == 0 -> pending[e] = 1 };
#endif
#ifdef SHUT_BLINDLY
                atomic { is_shut[e] = true; closed = true };
#else
                atomic { closed = empty(queue[e]); is_shut[e] = closed };
#endif
                if
                :: closed ->
                    table = NONE
                :: closed -> is_shut[e] = false; let_go()
                :: !closed -> let_go()
                fi
#ifndef NO_LICENCE
            :: atomic { pending[e] != 0 }
#endif
            fi
        fi;
        locked = false;
#ifndef LET_GO_BLINDLY
        if
        :: more -> run_on()
        :: else
        fi;
#endif
        k++
    :: else -> break
    od;
    end()
}
