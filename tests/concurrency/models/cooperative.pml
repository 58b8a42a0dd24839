/*
 * How the threads of Cooperative (pyx/topk/cooperative.pyx) leave each other requests: the words of elements (element.pxd)
 * and buckets (frequency_bucket.pxd, request_queue.pxd), the list of buckets and its minimum (monitored_set.pxd).
 *
 * The summary begins empty; any thread takes any item next. Each access to the word of an element or a bucket, to `frequency` or
 * `next` of a bucket that another may own, and to `minimum`, is a step of its own. Abstracted: a loop of compare and exchange is
 * one step; a queue is a set, whose requests are done by number (Lemma 4.1); the search structure is looked up, and inserted
 * into, in one step; the minimum is moved on past a marked bucket in one step, for which the code has its version; so does a
 * bucket's owner take out the marked ones behind; a number is used again at once. Sweeps, throttling and queries are left out.
 * Memory is sequentially consistent.
 *
 * Properties: right_element (an item is counted in its own), one_thread (at a time has an element in the summary, Invariant 4.2),
 * one_owner (of a bucket), no_request_in_marked (4.10), least_overwritten (no monitored element's count is below that of the one
 * that is overwritten); at the end nothing_left_behind (no request, and nothing owned) and nothing_lost (the counts' sum is the
 * number of items).
 *
 * Mutations: RELINQUISH_BY_STORE (an element), ANY_OWNS (an element, also by a request that is not the first, 4.6), DELETE_BY_STORE
 * (without comparing that it is still idle), NO_VERSION (of elements compared), BUCKET_BY_STORE (owned by a load and a store),
 * GIVE_UP_BLINDLY and MARK_BLINDLY (a bucket, without comparing that nothing was left), DEFERRED_FORGOTTEN (as the bucket is
 * marked), OVERWRITE_ANYWHERE (also where the bucket is not the minimum any more).
 */
#ifndef ITEMS
#define ITEMS    5
#endif
#define THREADS  2
#if defined(NO_VERSION) || defined(DEFERRED_FORGOTTEN)
#define COUNTERS 2              /* overwritten after fewer items */
#else
#define COUNTERS 3
#endif
#define LAST     ITEMS          /* element, from 1 on */
#define LAST_BUCKET (ITEMS + 1) /* the first one, 1, has frequency 0 */

#define DELETED  128
#define OWNED    64
#define MARKED   128
#define QUEUE    63
#define set_of(number) (1 << ((number) - 1))

typedef Element {
    byte pending = DELETED;
    byte version;
    byte item;
    byte count;                 /* 0: not monitored yet */
    byte place;                 /* the bucket that lists it; 0: it is on its way */
    bool is_new                 /* its increment is still to be counted, or it to be placed */
}
typedef Bucket {
    byte word;
    byte incarnation;
    byte frequency;
    byte next;
    byte listed;                /* set of elements, */
    byte deferred               /* and of those that are to overwrite one */
}
Element e[LAST + 1];
Bucket b[LAST_BUCKET + 1];
byte minimum = 1;
byte spare = (1 << LAST_BUCKET) - 2;    /* set of buckets */
byte reserved, placed;          /* counters */

byte given, different;          /* items */
byte in_hand;                   /* set of elements that a thread has, or a queue */
byte served;                    /* set of buckets */
byte gone;                      /* threads */
bool right_element = true, one_thread = true, one_owner = true, no_request_in_marked = true, least_overwritten = true;
bool nothing_left_behind = true, nothing_lost = true;

#define hold(property, condition) property = (condition); assert(property)
#define go_if(condition, label) if :: condition -> goto label :: else fi
#define loop_while(condition, step) do :: condition -> step :: else -> break od
#define list(number, element) b[number].listed = b[number].listed | set_of(element); e[element].place = number
#define unlist(number, element) b[number].listed = b[number].listed & ~set_of(element); e[element].place = 0
#ifdef NO_VERSION
#define same_version true
#else
#define same_version (e[element].version == seen)
#endif

inline first_of(set, number) {
    number = 1;
    loop_while(!(set & set_of(number)), number++)
}

/* leaves 0 in `element` where the item is not there */
inline find() {
    atomic {
        element = LAST;
        loop_while(element && (e[element].item != item || e[element].pending & DELETED), element--);
        seen = e[element].version
    }
}

/* with `other`, if it is the incarnation that was seen */
inline leave_requests() {
    atomic {
        refused = b[other].word & MARKED || b[other].incarnation != incarnation;
        if
        :: !refused ->
            unattended = unattended | (b[other].word == 0 -> set_of(other) : 0);
            b[other].word = b[other].word | requests
        :: else
        fi
    }
}

inline own_bucket() {
    hold(one_owner, !(served & set_of(other)));
    served = served | set_of(other);
    bucket = other;
    todo = requests | (b[other].word & QUEUE);
    b[other].word = OWNED
}

/* or keep it, with the requests that had been left in its count */
inline relinquish() {
#ifdef RELINQUISH_BY_STORE
    kept = e[element].pending > 1;
#endif
    atomic {
#ifndef RELINQUISH_BY_STORE
        kept = e[element].pending > 1;
#endif
        if
        :: kept -> e[element].count = e[element].count + e[element].pending - 1; e[element].pending = 1
        :: else -> e[element].pending = 0; in_hand = in_hand & ~set_of(element)
        fi
    }
}

active [THREADS] proctype thread() {
    byte item, element, seen;
    byte bucket, other, incarnation, at;
    byte requests, todo, unattended;        /* sets */
    bool own_first;                         /* `requests` may be done here, too: no bucket is owned */
    bool refused, kept, fresh;

next_item:
    atomic {
        element = 0; seen = 0; bucket = 0; other = 0; incarnation = 0; requests = 0; refused = false; own_first = true;
        if
        :: unattended -> goto attend
        :: !unattended && given < ITEMS ->
            given++;
            item = 1;
            do
            :: item <= different -> item++
            :: break
            od;
            different = (item > different -> item : different)
        :: !unattended && given == ITEMS -> goto done
        fi
    };

look_up:
    find();
    atomic {
        if
        :: element == 0 ->      /* insert it, unless another has */
            find();
            go_if(element, own);
            element = 1;
            loop_while(!(e[element].pending & DELETED), element++);
            e[element].version++;
            e[element].pending = 1;
            e[element].item = item;
            e[element].is_new = true;
            in_hand = in_hand | set_of(element);
            requests = set_of(element);
            seen = 0;
            item = 0;
            goto monitor
        :: else
        fi
    };

own:
    atomic {
        go_if(e[element].pending & DELETED || !same_version, look_up);
        hold(right_element, e[element].item == item);
        seen = 0;
        item = 0;
        e[element].pending++;
        if
#ifdef ANY_OWNS
        :: true ->
#else
        :: e[element].pending == 1 ->
#endif
            hold(one_thread, !(in_hand & set_of(element)));
            in_hand = in_hand | set_of(element);
            e[element].count++;
            other = e[element].place;
            requests = set_of(element);
            goto request
        :: e[element].pending > 1 -> goto next_item     /* its owner counts it */
        fi
    };

monitor:
    if
    :: atomic { reserved < COUNTERS -> reserved++; e[element].count = 1 }
    :: reserved == COUNTERS && placed == COUNTERS
    fi;

to_minimum:
    other = minimum;
    atomic {
        if
        :: b[other].word & MARKED ->
            if
            :: minimum == other -> minimum = b[other].next; spare = spare | set_of(other)
            :: else
            fi;
            goto to_minimum
        :: else -> incarnation = b[other].incarnation
        fi
    };
    atomic { go_if(!own_first, leave) };

request:
    atomic {
        if
        :: b[other].word & MARKED -> hold(no_request_in_marked, e[element].place == 0); goto to_minimum
        :: b[other].word & OWNED -> incarnation = b[other].incarnation
        :: else ->
#ifdef BUCKET_BY_STORE
            goto own_by_store
#else
            own_bucket();
            goto serve
#endif
        fi
    };

leave:
    leave_requests();
    atomic {
        if
        :: refused && own_first -> goto request
        :: refused && e[element].place == 0 -> goto to_minimum
        :: !refused && own_first -> goto next_item
        :: !refused && !own_first -> goto serve
        fi
    };
#ifdef BUCKET_BY_STORE
own_by_store:
    atomic { own_bucket(); goto serve };
#endif

attend:
    atomic { first_of(unattended, other); unattended = unattended & ~set_of(other) };
    atomic {
        go_if(!(b[other].word & QUEUE) || b[other].word & (OWNED | MARKED), next_item);
        own_bucket()
    };

serve:                          /* as the owner of `bucket` */
    atomic {
        requests = 0; other = 0; incarnation = 0; refused = false; kept = false; element = 0; own_first = false;
        if
        :: todo ->
            first_of(todo, element);
            todo = todo & ~set_of(element);
            if
            :: e[element].place == bucket -> unlist(bucket, element)
            :: e[element].place != bucket && e[element].count > 0
            :: e[element].place != bucket && e[element].count == 0 ->
                b[bucket].deferred = b[bucket].deferred | set_of(element);
                goto serve
            fi
        :: !todo && b[bucket].deferred && b[bucket].listed -> goto overwrite
        :: !todo && !(b[bucket].deferred && b[bucket].listed) -> goto give_up
        fi
    };

add:
    atomic {
        fresh = fresh | e[element].is_new;
        e[element].is_new = false;
        requests = set_of(element);
        if
        :: e[element].count == b[bucket].frequency -> list(bucket, element)
        :: e[element].count > b[bucket].frequency -> goto move_on
        :: e[element].count < b[bucket].frequency -> goto put_in_front
        fi
    };
    relinquish();
    atomic { go_if(!kept, added); unlist(bucket, element); goto add };

move_on:
    atomic {
        other = b[bucket].next;
        loop_while(other && b[other].word & MARKED, spare = spare | set_of(other); other = b[other].next);
        b[bucket].next = other
    };
    atomic {
        go_if(other == 0 || b[other].frequency > e[element].count, new_bucket);
        at = other;
        other = 0
    };
    do                          /* the optimistic traversal, to `other` */
    :: atomic { at && !(b[at].word & MARKED) -> seen = b[at].incarnation };
        if
        :: atomic { b[at].frequency > e[element].count -> break }
        :: atomic { b[at].frequency <= e[element].count -> other = at; incarnation = seen }
        fi;
        at = b[other].next;
        if
        :: atomic { at && b[at].frequency <= b[other].frequency -> break }      /* one of the two is used again */
        :: atomic { !at || b[at].frequency > b[other].frequency }
        fi
    :: atomic { !at || b[at].word & MARKED -> break }
    od;
    atomic { at = 0; seen = 0 };
    if
    :: other -> leave_requests()
    :: !other -> refused = true
    fi;
    atomic { go_if(refused, move_on); goto added };

put_in_front:
    atomic {
        other = bucket;
        go_if(minimum == bucket, new_bucket);
        e[element].is_new = fresh;
        fresh = false;
        goto to_minimum
    };

new_bucket:                     /* before `other` */
    atomic {
        e[element].count = e[element].count + e[element].pending - 1;
        e[element].pending = 1;
        go_if(other && e[element].count >= b[other].frequency, add);
        first_of(spare, at);
        spare = spare & ~set_of(at);
        b[at].frequency = e[element].count;
        b[at].next = other;
        b[at].listed = 0;
        list(at, element)
    };
    atomic { b[at].incarnation++; incarnation = b[at].incarnation; b[at].word = 0 };
    relinquish();               /* another may serve, and even mark, the new bucket from now on */
    atomic {
        if
        :: other == bucket -> minimum = at
        :: other != bucket -> b[bucket].next = at
        fi;
        other = at;
        at = 0
    };
    if
    :: kept -> leave_requests(); hold(no_request_in_marked, !refused)
    :: !kept
    fi;

added:
    atomic { placed = placed + fresh; fresh = false; goto serve };

overwrite:
#ifndef OVERWRITE_ANYWHERE
    atomic {
        if
        :: minimum != bucket -> requests = b[bucket].deferred; b[bucket].deferred = 0; goto to_minimum
        :: else
        fi
    };
#endif
    atomic {
        at = LAST;
        loop_while(at && !(b[bucket].listed & set_of(at) && e[at].pending == 0), at--);
        go_if(at == 0, give_up);                /* all are busy: the requests stay */
#ifdef DELETE_BY_STORE
    };
    atomic {
#endif
        hold(one_thread, !(in_hand & set_of(at)));
        unlist(bucket, at);
        e[at].pending = DELETED;
        e[at].item = 0;
        e[at].count = 0;
        at = LAST;
        loop_while(at, hold(least_overwritten, e[at].count == 0 || e[at].count >= b[bucket].frequency); at--);
        first_of(b[bucket].deferred, element);
        b[bucket].deferred = b[bucket].deferred & ~set_of(element);
        e[element].is_new = false;
        e[element].count = b[bucket].frequency + 1;
        goto add
    };

give_up:
    atomic {
        todo = b[bucket].word & QUEUE;
        b[bucket].word = OWNED;
        go_if(todo, serve)
    };
    atomic {
        if
        :: b[bucket].listed || b[bucket].next == 0 ->
#ifndef GIVE_UP_BLINDLY
            go_if(b[bucket].word != OWNED, serve);
#endif
            b[bucket].word = b[bucket].word & QUEUE
        :: else ->
#ifndef MARK_BLINDLY
            go_if(b[bucket].word != OWNED, serve);
#endif
            hold(no_request_in_marked, !(b[bucket].word & QUEUE));
            b[bucket].word = MARKED;
#ifndef DEFERRED_FORGOTTEN
            requests = b[bucket].deferred;
#endif
            b[bucket].deferred = 0
        fi;
        served = served & ~set_of(bucket);
        bucket = 0;
        own_first = true;
        go_if(requests, to_minimum);
        goto next_item
    };

done:
    atomic {
        gone++;
        if
        :: gone == THREADS ->
            hold(nothing_left_behind, !in_hand && !served);
            at = LAST_BUCKET;
            loop_while(at, hold(nothing_left_behind, !(b[at].word & (QUEUE | OWNED)) && !b[at].deferred); at--);
            at = LAST;
            loop_while(at, item = item + e[at].count; at--);
            hold(nothing_lost, item == ITEMS)
        :: else
        fi
    }
}
