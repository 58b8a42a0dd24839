"""An entity's queue: any number of senders, one receiver at a time; a record's own link is the queue's.

Senders push onto a stack, the receiver takes all of it and turns it round: so the records of one sender stay in order,
and as nobody takes a single record from the stack, an address that comes again does no harm.
"""

from libcpp.atomic cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release


cdef bint enqueue(Entity* entity, Record* record) noexcept nogil:
    """Send; count it in ``pending`` afterwards, so that who sees the count finds the record.
    False: the entity is shut."""
    cdef Record* youngest = entity.sent.load(memory_order_relaxed)
    while True:
        if youngest is SHUT_QUEUE:
            return False
        record.next.store(youngest, memory_order_relaxed)       # published by the exchange
        # release: pairs with dequeue's acquire
        if entity.sent.compare_exchange_weak(youngest, record, memory_order_release, memory_order_relaxed):
            return True


cdef Record* dequeue(Entity* entity) noexcept nogil:
    """The oldest record, for whoever has the entity and knows by ``pending`` that there is one."""
    cdef Record* record = entity.oldest
    cdef Record* older
    cdef Record* younger = NULL
    if record is NULL:
        record = entity.sent.exchange(NULL, memory_order_acquire)
        while record is not NULL:
            older = record.next.load(memory_order_relaxed)
            record.next.store(younger, memory_order_relaxed)
            younger = record
            record = older
        record = younger
    entity.oldest = record.next.load(memory_order_relaxed)
    return record


cdef bint shut(Entity* entity) noexcept nogil:
    """For who has the entity, and has no record for it in its hand: have nobody send to it
    any more; False: records wait.

    Records in the queue and one that is being taken are as many as licences and senders that have not counted theirs
    yet. So with an empty queue there is this one licence only, and no such sender.
    """
    cdef Record* none = NULL
    if entity.oldest is not NULL:
        return False
    # acq_rel: who finds it shut sees what was done before; this one sees what senders did
    return entity.sent.compare_exchange_strong(none, SHUT_QUEUE, memory_order_acq_rel, memory_order_relaxed)


cdef void reopen(Entity* entity) noexcept nogil:
    """After all. Still for who has it."""
    entity.sent.store(NULL, memory_order_release)
