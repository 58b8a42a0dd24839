"""An entity's queue: any number of senders, one receiver at a time; a record's own link is the queue's.

Senders push onto a stack, the receiver takes all of it and turns it round: so the records of one sender stay in order, and
as nobody takes a single record from the stack, an address that comes again does no harm.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release


cdef void enqueue(Entity* entity, Record* record) noexcept nogil:
    """Send; count it in ``pending`` afterwards, so that who sees the count finds the record."""
    cdef Record* youngest = entity.sent.load(memory_order_relaxed)
    while True:
        record.next.store(youngest, memory_order_relaxed)       # published by the exchange
        # release: pairs with dequeue's acquire
        if entity.sent.compare_exchange_weak(youngest, record, memory_order_release, memory_order_relaxed):
            return


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
