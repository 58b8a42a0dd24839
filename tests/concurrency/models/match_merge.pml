/*
 * The order of a join's matches: MatchMerge in pyx/join/match_merge.pyx (room, publish, merge), and how the threads of JoinCrew
 * (work in pyx/join/join_crew.pyx) wait for each other's batches and wake each other.
 *
 * Each thread fills and publishes all batches, one after the other, as far as there is room; any of them merges, one at a time;
 * at the end the caller merges what is left. Each access to `published`, `merged` and `turn` is a step of its own. Abstracted: a
 * batch is its number; it is filled, and merged, in one step; all `published` are looked at in one; the load of the turn before its exchange is left out; the parking is
 * that of parking.pml in one step each, and a sleep ends only where somebody ends it; memory is sequentially consistent but
 * for DELAYED_MERGED.
 *
 * Properties: right_batch (who merges finds the next batch of every thread, so each is merged once, in order), no_overwrite (a
 * thread fills a slot only when what was in it has been merged), all_merged (at the end); or threads wait for ever.
 *
 * Mutations: ONE_TOO_MANY (a batch that may be ahead), PUBLISHED_FIRST (before it is filled), LOAD_AND_STORE (the turn is taken
 * so), OLD_BEGIN (what was looked at without the turn is merged), TURN_KEPT (by a thread that finds nothing), WAKE_BEFORE_MERGED,
 * NO_LOOK_AGAIN (after the announcement), and a memory order that is too weak: DELAYED_MERGED (release in place of seq_cst; merged
 * and turn may land after their thread has looked for sleepers).
 */
#ifndef ITEMS
#define ITEMS   4               /* batches */
#endif
#define THREADS 3
#define AHEAD   2               /* batches that a thread may be in front of the merge */
#define SOME    2               /* that are ready before a thread merges which has something else to do */

byte published[THREADS];
byte merged;
bool turn;
byte slots[THREADS * AHEAD];    /* a batch plus 1; 0: merged */
bool announced[THREADS];        /* sleepers that nobody has woken */

byte out;                       /* batches merged */
byte gone;                      /* threads */
bool right_batch = true, no_overwrite = true, all_merged = true;

#define hold(property, condition) property = (condition); assert(property)
#define slot(thread, batch) ((thread) * AHEAD + (batch) % AHEAD)
#define least(a, b) ((a) < (b) -> (a) : (b))
#ifdef ONE_TOO_MANY
#define ROOM (AHEAD + 1)
#else
#define ROOM AHEAD
#endif
#ifdef DELAYED_MERGED
bool late;                      /* the store buffer of the thread that has just merged; it sees what is in it */
byte late_merged, late_by;
#define MERGED (late && late_by == _pid -> late_merged : merged)
#define LANDED (!late || late_by != _pid)
#else
#define MERGED merged
#define LANDED true
#endif

inline look_at_ready() {
    atomic { end = least(published[0], published[1]); end = least(end, published[2]) }
}

inline wake_all() {
    if
    :: atomic { announced[0] || announced[1] || announced[2] };
        d_step { announced[0] = false; announced[1] = false; announced[2] = false }
    :: atomic { !announced[0] && !announced[1] && !announced[2] }
    fi
}

/* leaves in `progress` whether something was merged; who has merged wakes all */
inline merge(at_least) {
    begin = MERGED;
    look_at_ready();
    if
    :: atomic { end >= begin + at_least };
#ifdef LOAD_AND_STORE
        taken = turn;
        turn = true;
#else
        atomic { LANDED -> taken = turn; turn = true };
#endif
        if
        :: atomic { taken -> taken = false }
        :: atomic { !taken };
#ifndef OLD_BEGIN
            begin = MERGED;
            look_at_ready();
#endif
            progress = end > begin;
            do
            :: atomic { begin < end ->
                    hold(right_batch, begin == out && slots[slot(0, begin)] == begin + 1 &&
                         slots[slot(1, begin)] == begin + 1 && slots[slot(2, begin)] == begin + 1);
                    slots[slot(0, begin)] = 0; slots[slot(1, begin)] = 0; slots[slot(2, begin)] = 0;
                    out++; begin++
                }
            :: atomic { begin >= end -> break }
            od;
#ifdef WAKE_BEFORE_MERGED
            wake_all();
#endif
#ifdef DELAYED_MERGED
            atomic { late = true; late_merged = end; late_by = _pid }
#else
            merged = end;
#ifdef TURN_KEPT
            turn = !progress
#else
            turn = false
#endif
#endif
        fi
    :: atomic { end < begin + at_least }
    fi;
    d_step { begin = 0; end = 0 }
}

inline wake_if_merged() {
    if
    :: atomic { progress -> progress = false };
#ifndef WAKE_BEFORE_MERGED
        wake_all()
#endif
    :: atomic { !progress }
    fi
}

active [THREADS] proctype thread() {
    byte n;                     /* its next batch */
    byte begin, end;
    bool taken, progress;
    bool about_to_park;

    do
    :: atomic { n < ITEMS };
        if
        :: atomic { n < MERGED + ROOM -> announced[_pid] = false; about_to_park = false };
#ifdef PUBLISHED_FIRST
            published[_pid] = n + 1;
#endif
            atomic {
                hold(no_overwrite, slots[slot(_pid, n)] == 0);
                slots[slot(_pid, n)] = n + 1
            };
#ifndef PUBLISHED_FIRST
            published[_pid] = n + 1;
#endif
            n++;
            merge(SOME);
            wake_if_merged()
        :: atomic { n >= MERGED + ROOM };
            merge(1);
            if
            :: atomic { progress };
                wake_if_merged()
            :: atomic { !progress && !about_to_park -> announced[_pid] = true; about_to_park = true };
#ifdef NO_LOOK_AGAIN
                atomic { !announced[_pid] -> about_to_park = false }
#endif
            :: atomic { !progress && about_to_park };
                atomic { !announced[_pid] -> about_to_park = false }        /* park */
            fi
        fi
    :: atomic { n == ITEMS && LANDED -> gone++; break }
    od
}

active proctype caller() {
    byte begin, end;
    bool taken, progress;

    gone == THREADS;
    merge(1);
    hold(all_merged, out == ITEMS)
}

#ifdef DELAYED_MERGED
active proctype store_buffer() {
end:
    do
    :: atomic { late -> merged = late_merged; turn = false; late = false }
    od
}
#endif
