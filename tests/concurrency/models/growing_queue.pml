/*
 * The growing queue: the worklists' queue, as pyx/queues/growing_queue.pxd and pyx/queues/growing_queue.pyx have it, with pop_shared.
 *
 * One producer pushes all items, an item being its position; consumers pop until all are popped. Each access to a
 * position, to a slot or to the ring is a step of its own. Abstracted: there are rings of 1, 2 and 4 slots; consumers
 * come while the queue seems to hold something, and the producer tries again when that has changed; memory orders are
 * not modelled.
 *
 * Properties: right_item (whoever claims a position has read that position's item, so each item is popped once, in
 * order); and all items are popped, or the processes wait for each other.
 *
 * Mutations: NO_COPY (into the longer ring), CLAIM_FIRST (the position is claimed before the item is read),
 * LOAD_AND_STORE (in place of the compare-and-exchange), RING_LAST (the longer ring is shown after the item that only it
 * holds), HEAD_FIRST (an item is said to be there before it is), ONE_TOO_MANY (slots that are still in use are filled),
 * TAIL_ONCE (a producer with the longest ring does not look for room again).
 */
#ifndef ITEMS
#define ITEMS     6
#endif
#define CONSUMERS 2
#define MOST      4

byte head, tail, known_head;
byte ring = 1;                      /* its length, and where in `slots` it begins */
byte slots[2 * MOST];               /* an item plus 1, or 0 */
byte popped;
bool right_item = true;

#define hold(property, condition) property = (condition); assert(property)
#define slot(length, position) slots[(length) + (position) % (length)]

active proctype producer() {
    byte at, length = 1, room_until = 1, seen, position;

    do
    :: at < ITEMS ->
        if
        :: at < room_until
        :: at >= room_until ->      /* make_room */
            do
            :: seen = tail;
#ifdef ONE_TOO_MANY
                room_until = seen + length + 1;
#else
                room_until = seen + length;
#endif
                if
                :: at < room_until -> break
#ifdef TAIL_ONCE
                :: at >= room_until && length == MOST -> false
#else
                :: at >= room_until && length == MOST -> tail != seen       /* full */
#endif
                :: at >= room_until && length < MOST ->
                    position = seen;
                    do
                    :: position < at ->
#ifndef NO_COPY
                        slot(2 * length, position) = slot(length, position);
#endif
                        position++
                    :: position == at -> break
                    od;
                    length = 2 * length;
                    room_until = seen + length;
#ifndef RING_LAST
                    ring = length;
#endif
                    break
                fi
            od;
            atomic { seen = 0; position = 0 }
        fi;
#ifdef HEAD_FIRST
        head = at + 1;
#endif
        slot(length, at) = at + 1;
#ifndef HEAD_FIRST
        head = at + 1;
#endif
#ifdef RING_LAST
        ring = length;
#endif
        at++
    :: at == ITEMS -> break
    od
}

active [CONSUMERS] proctype consumer() {
    byte at, seen, length, item;

    do
    :: atomic { tail < head -> at = tail };
        do
        ::  /* reaches */
            if
            :: at < known_head
            :: at >= known_head ->
                seen = head;
                if
                :: atomic { at >= seen -> at = 0; seen = 0; break }
                :: atomic { at < seen -> known_head = seen; seen = 0 }
                fi
            fi;
            length = ring;
#ifndef CLAIM_FIRST
            item = slot(length, at);
#endif
            if
#ifdef LOAD_AND_STORE
            :: tail == at -> tail = at + 1;
#else
            :: atomic { tail == at -> tail = at + 1 };
#endif
#ifdef CLAIM_FIRST
                item = slot(length, at);
#endif
                atomic { hold(right_item, item == at + 1); popped++; at = 0; length = 0; item = 0; break }
            :: atomic { tail != at -> at = tail; length = 0; item = 0 }
            fi
        od
    :: popped == ITEMS -> break
    od
}
