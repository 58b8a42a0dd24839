"""Batches of ready tuples of two streams in memory."""


cdef void next_batch(Streams* streams, Cursor* cursor, int32_t at_most, Batch* batch) noexcept nogil:
    """The next tuples in the order, at most ``at_most``; none at the end. A batch ends where comparing begins."""
    cdef int32_t side, other
    cdef int64_t row
    cdef Probes* own
    batch.begin = cursor.position
    batch.n = 0
    for side in range(2):
        batch.side[side].begin = cursor.row[side]
        batch.side[side].n = 0
    while batch.n < at_most:
        if cursor.position + batch.n == streams.compared_from and batch.n > 0:
            break
        if cursor.row[LEFT] < streams.rows[LEFT] and (
            cursor.row[RIGHT] == streams.rows[RIGHT]
            or streams.ts[LEFT][cursor.row[LEFT]] <= streams.ts[RIGHT][cursor.row[RIGHT]]
        ):
            side, other = LEFT, RIGHT
        elif cursor.row[RIGHT] < streams.rows[RIGHT]:
            side, other = RIGHT, LEFT
        else:
            break
        row = cursor.row[side]
        expire(streams, cursor, other, streams.ts[side][row])
        own = &batch.side[side]
        own.place[own.n] = batch.n
        own.first[own.n] = cursor.first[other]
        own.last[own.n] = (cursor.row[other] if cursor.position + batch.n >= streams.compared_from
                           else cursor.first[other])
        own.n += 1
        batch.n += 1
        cursor.row[side] = row + 1
    cursor.position += batch.n


cdef void expire(Streams* streams, Cursor* cursor, int32_t side, int64_t now) noexcept nogil:
    """Take out of the side's window what a tuple of the other side at time ``now`` is no longer compared with."""
    cdef int64_t bound, end = cursor.row[side]
    if streams.rule == COUNT:
        cursor.first[side] = max(cursor.first[side], end - streams.window)
        return
    if streams.rule == THREE_STEP:
        if end == 0:
            return
        now = streams.ts[side][end - 1]
    bound = earlier(now, streams.window)
    while cursor.first[side] < end and streams.ts[side][cursor.first[side]] < bound:
        cursor.first[side] += 1


cdef void rows_before(Streams* streams, int64_t position, int64_t* rows) noexcept nogil:
    """By side: how many of its tuples come before this position."""
    cdef Cursor cursor = Cursor(0, [0, 0], [0, 0])
    cdef Batch batch
    while cursor.position < position:
        next_batch(streams, &cursor, <int32_t>min(position - cursor.position, <int64_t>MOST_READY), &batch)
    rows[0], rows[1] = cursor.row[0], cursor.row[1]


cdef void widest_windows(Streams* streams, int64_t* widest) noexcept nogil:
    """By side: the most of its rows that are in the window at a time."""
    cdef Cursor cursor = Cursor(0, [0, 0], [0, 0])
    cdef Batch batch
    cdef Probes* probes
    cdef int32_t side, i
    widest[0], widest[1] = 0, 0
    next_batch(streams, &cursor, MOST_READY, &batch)
    while batch.n > 0:
        for side in range(2):
            probes = &batch.side[side]
            for i in range(probes.n):
                widest[1 - side] = max(widest[1 - side], probes.last[i] - probes.first[i])
        next_batch(streams, &cursor, MOST_READY, &batch)


cdef int64_t pairs_in_windows(Streams* streams) noexcept nogil:
    """How many pairs of tuples are in one window."""
    cdef Cursor cursor = Cursor(0, [0, 0], [0, 0])
    cdef Batch batch
    cdef int32_t side, i
    cdef int64_t pairs = 0
    next_batch(streams, &cursor, MOST_READY, &batch)
    while batch.n > 0:
        for side in range(2):
            for i in range(batch.side[side].n):
                pairs += batch.side[side].last[i] - batch.side[side].first[i]
        next_batch(streams, &cursor, MOST_READY, &batch)
    return pairs
