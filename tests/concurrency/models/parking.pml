/*
 * The event count that workers without work sleep at, as pyx/machine/parking.pxd and pyx/machine/parking.pyx have it (announce,
 * withdraw, park, wake_one, wake_all).
 *
 * Producers publish items, each of them and then wake_one, at the end wake_all; a worker takes items one by one, and
 * works on each for any time. Each access to the state, to the items and to the kernel's list of sleepers is a step of
 * its own. Abstracted: a compare-and-swap that fails is tried again at once; memory is sequentially consistent but for
 * DELAYED_PUBLISH; the kernel rouses any of the sleepers, and a sleep may end at any time without being asked to.
 *
 * Properties: counted (sleepers and permits are the workers from announce to withdraw or the end of park),
 * nothing_slept_through (there is an item, or the end, nobody who published it is still about to wake, a worker
 * sleeps, and all who are awake are at work or have gone).
 *
 * Mutations: NO_LOOK_AGAIN, LOOK_BEFORE_ANNOUNCE, WAKE_BEFORE_PUBLISH, NO_WAKE_ALL (wake_one at the end),
 * SLEEP_UNCHECKED (the state is not compared as the sleep begins), ROUSE_ONLY (no permit is left), KEPT_SLEEPER (a
 * permit is left, the sleeper still counted), LOAD_AND_STORE (in wake, in place of a compare-and-swap),
 * WITHDRAW_TAKES_PERMIT (one that a sleeper should have), and a memory order that is too weak: DELAYED_PUBLISH (release
 * in place of seq_cst; the store may land after its producer has looked for sleepers).
 */
#ifndef ITEMS
#define ITEMS     2
#endif
#define PRODUCERS 2
#define WORKERS   3
#define STATE     (sleepers + 16 * permits)

byte sleepers, permits;         /* one word */
bool asleep[WORKERS];           /* in the kernel, and not roused */
byte items;                     /* published and not taken */

byte made;                      /* items, published or about to be */
byte producing = PRODUCERS;
bool ended;                     /* nothing will be published any more */
byte waking;                    /* producers from their publication to the end of wake_one */
byte inside;                    /* workers from announce to withdraw or the end of park */
byte working, gone;             /* workers */
bool counted = true, nothing_slept_through = true;

#define hold(property, condition) property = (condition); assert(property)
#define ASLEEP (asleep[0] + asleep[1] + asleep[2])
#ifdef DELAYED_PUBLISH
bool late[PRODUCERS];           /* the store buffers */
#define LANDED (!late[0] && !late[1])
#else
#define LANDED true
#endif

inline check() {
    hold(counted, sleepers + permits == inside);
    hold(nothing_slept_through, (items == 0 && !ended) || waking > 0 || !LANDED || ASLEEP == 0 ||
         ASLEEP + working + gone < WORKERS)
}

inline rouse() {
    if
    :: asleep[0] -> asleep[0] = false
    :: asleep[1] -> asleep[1] = false
    :: asleep[2] -> asleep[2] = false
    :: ASLEEP == 0
    fi
}

inline wake_one() {
    if
    :: atomic { sleepers > 0 };
#ifdef LOAD_AND_STORE
        atomic { s = sleepers; p = permits };
        atomic {
            if
            :: s > 0 -> sleepers = s - 1; permits = p + 1; s = 1
            :: else
            fi;
            p = 0
        };
#else
        atomic {
            if
            :: sleepers > 0 ->
                s = 1;
#ifndef KEPT_SLEEPER
                sleepers--;
#endif
#ifdef ROUSE_ONLY
                inside--
#else
                permits++
#endif
            :: else
            fi
        };
#endif
        atomic {
            if
            :: s == 1 -> rouse(); s = 0
            :: else
            fi
        }
    :: atomic { sleepers == 0 }
    fi
}

active [PRODUCERS] proctype producer() {
    byte s, p;

    do
    :: atomic { made < ITEMS -> made++; waking++ };
#ifdef WAKE_BEFORE_PUBLISH
        wake_one();
        items++;
#else
#ifdef DELAYED_PUBLISH
        atomic { !late[_pid] -> late[_pid] = true };
#else
        items++;
#endif
        wake_one();
#endif
        atomic { waking--; check() }
    :: atomic { made == ITEMS && LANDED -> producing-- };
        break
    od;
    if
    :: atomic { producing == 0 -> waking++; producing = PRODUCERS };
        ended = true;
#ifdef NO_WAKE_ALL
        wake_one();
#else
        /* wake_all */
        if
        :: atomic { sleepers > 0 };
            atomic { permits = permits + sleepers; sleepers = 0 };
            atomic { asleep[0] = false; asleep[1] = false; asleep[2] = false }
        :: atomic { sleepers == 0 }
        fi;
#endif
        atomic { waking--; check() }
    :: atomic { producing > 0 }
    fi
}

#ifdef DELAYED_PUBLISH
active proctype store_buffers() {
end:
    do
    :: atomic { late[0] -> late[0] = false; items++; check() }
    :: atomic { late[1] -> late[1] = false; items++; check() }
    od
}
#endif

inline take() {
    items--; working++;
    check()
}

/* the workers are numbered from 0 here: they are started after the producers */
#ifdef DELAYED_PUBLISH
#define ME (_pid - PRODUCERS - 1)
#else
#define ME (_pid - PRODUCERS)
#endif

active [WORKERS] proctype worker() {
    byte seen;
    bool announced;

    do
    ::  /* look at everything */
#ifdef LOOK_BEFORE_ANNOUNCE
        if
        :: atomic { items > 0 -> take() }
        :: atomic { items == 0 && ended -> gone++; check(); break }
        :: atomic { items == 0 && !ended };
            atomic { sleepers++; inside++; announced = true }
        fi;
#else
        if
        :: atomic { items > 0 -> take() };
            if
            :: atomic { announced -> announced = false };
                /* withdraw */
                atomic {
                    if
#ifdef WITHDRAW_TAKES_PERMIT
                    :: permits > 0 -> permits--
                    :: else -> sleepers--
#else
                    :: sleepers > 0 -> sleepers--
                    :: else -> permits--
#endif
                    fi;
                    inside--;
                    check()
                }
            :: atomic { !announced }
            fi
        :: atomic { items == 0 && ended -> gone++; check(); break }
        :: atomic { items == 0 && !ended && !announced };
            /* announce */
            atomic { sleepers++; inside++; announced = true };
#ifndef NO_LOOK_AGAIN
            goto again
#endif
        :: atomic { items == 0 && !ended && announced }
        fi;
#endif
        if
        :: atomic { announced -> announced = false };
            /* park */
            seen = STATE;
            if
            :: atomic { seen < 16 };
                atomic {
#ifdef SLEEP_UNCHECKED
                    asleep[ME] = true; check()
#else
                    if
                    :: seen == STATE -> asleep[ME] = true; check()
                    :: else
                    fi
#endif
                };
                if
                :: atomic { !asleep[ME] }
                :: atomic { asleep[ME] -> asleep[ME] = false }      /* the time is over, or for no reason */
                fi
            :: atomic { seen >= 16 }
            fi;
            atomic {
                if
                :: permits > 0 -> permits--
                :: else -> sleepers--
                fi;
                inside--; seen = 0;
                check()
            }
        :: atomic { !announced };
            /* work on what was taken */
            atomic { working--; check() }
        fi;
again:  skip
    od
}
