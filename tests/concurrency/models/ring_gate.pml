/*
 * The fast ScaleGate: a ring for each source and a merge in each reader, as RingScaleGate in pyx/join/ring_scale_gate.pyx has it.
 *
 * Two sources add tuples of any times that do not fall, send heartbeats at any point, and close; two readers read all. Each
 * access to a slot, to `written`, `promised` or `passed` is a step of its own. Abstracted: times are few; a tuple is its
 * sequence; a source looks at all readers at once; a reader lets go of a slot as soon as it has read it, and both wait
 * where they cannot go on for what they look at to change; the tournament is a look at both keys; memory orders are not
 * modelled.
 *
 * Properties: right_item (a reader finds in a slot the tuple that it takes, so each once, in sequence), in_order (it takes them
 * by time and source), nothing_lost (at the end it has had all); or the processes wait for each other.
 *
 * Mutations: WRITTEN_FIRST (a tuple is said to be there before it is), PASSED_FIRST (a slot is let go before it is read),
 * ONE_TOO_MANY (one slot that is still in use is filled), ONE_READER (room is what one of the readers leaves),
 * WRITTEN_BEFORE_PROMISED (a reader looks at the promise last), PROMISED_FIRST (a source closes before its last tuple is there),
 * OVERTAKE (a source of which nothing is there is passed over), EITHER_FIRST (equal times in any order), NOT_PASSED (a reader
 * lets go of nothing).
 */
#ifndef ITEMS
#define ITEMS   3                   /* of the first source; the second has one less */
#endif
#define SOURCES 2
#define READERS 2
#define SLOTS   2
#define LATEST  2                   /* time of a tuple or a heartbeat */
#define END     (LATEST + 1)

byte written[SOURCES], promised[SOURCES];
byte times[SOURCES * SLOTS], items[SOURCES * SLOTS];        /* an item plus 1 */
byte passed[READERS * SOURCES];
bool right_item = true, in_order = true, nothing_lost = true;

#define hold(property, condition) property = (condition); assert(property)
#define all(source) (ITEMS - (source))
#define slot(source, sequence) ((source) * SLOTS + (sequence) % SLOTS)
#define of(reader, source) ((reader) * SOURCES + (source))
#ifdef ONE_READER
#define slowest(source) passed[of(0, source)]
#else
#define slowest(source) (passed[of(0, source)] < passed[of(1, source)] -> passed[of(0, source)] : passed[of(1, source)])
#endif
#ifdef ONE_TOO_MANY
#define ROOM (SLOTS + 1)
#else
#define ROOM SLOTS
#endif

active [SOURCES] proctype source() {
    byte added, last = 1;
    byte s = _pid;

    do
    :: atomic { added < all(s) && added < slowest(s) + ROOM ->          /* room */
            if
            :: true
            :: last < LATEST -> last++
            fi
        };
#ifdef WRITTEN_FIRST
        written[s] = added + 1;
#endif
#ifdef PROMISED_FIRST
        if
        :: added + 1 == all(s) -> promised[s] = END
        :: else
        fi;
#endif
        d_step { times[slot(s, added)] = last; items[slot(s, added)] = added + 1 };
#ifndef WRITTEN_FIRST
        written[s] = added + 1;
#endif
        added++
    :: atomic { added < all(s) && last < LATEST -> last = LATEST; promised[s] = last }      /* a heartbeat */
    :: added == all(s) -> promised[s] = END; break
    od
}

active [READERS] proctype reader() {
    byte next[SOURCES], limit[SOURCES], key[SOURCES];
    byte seen, promise, last, last_source;
    byte s;
    byte r = _pid - SOURCES;

    do
    ::  atomic {
            if
            :: key[0] < key[1] -> s = 0
            :: key[0] > key[1] -> s = 1
#ifdef EITHER_FIRST
            :: key[0] == key[1] -> s = 1
#endif
            :: key[0] == key[1] -> s = 0
            fi
        };
        if
        :: next[s] == limit[s] && key[s] == END -> break
        :: next[s] == limit[s] && key[s] != END ->      /* look */
#ifdef WRITTEN_BEFORE_PROMISED
            seen = written[s];
            promise = promised[s];
#else
            promise = promised[s];
            seen = written[s];
#endif
            if
            :: seen > limit[s] -> limit[s] = seen; key[s] = times[slot(s, next[s])]
            :: seen == limit[s] && promise > key[s] -> key[s] = promise
            :: seen == limit[s] && promise <= key[s] ->
#ifdef OVERTAKE
                if
                :: written[s] != seen || promised[s] != promise
                :: next[1 - s] < limit[1 - s] -> key[s] = key[1 - s] + 1
                fi
#else
                (written[s] != seen || promised[s] != promise)
#endif
            fi;
            atomic { seen = 0; promise = 0 }
        :: next[s] < limit[s] ->
#ifdef PASSED_FIRST
            passed[of(r, s)] = next[s] + 1;
#endif
            atomic {
                hold(right_item, items[slot(s, next[s])] == next[s] + 1);
                hold(in_order, key[s] > last || (key[s] == last && s >= last_source));
                last = key[s];
                last_source = s;
                next[s]++
            };
            atomic {
                if
                :: next[s] < limit[s] -> key[s] = times[slot(s, next[s])]
                :: next[s] == limit[s]
                fi;
#if !defined(NOT_PASSED) && !defined(PASSED_FIRST)
                passed[of(r, s)] = next[s]
#endif
            }
        fi
    od;
    hold(nothing_lost, next[0] == all(0) && next[1] == all(1))
}
