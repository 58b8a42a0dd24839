"""Each query as one straightforward loop over columns in memory: what one good thread does without any runtime.

The honest bar: no operator, no unit, no column between two steps, no prefetching, no huge pages; a good hash map for
pairs, dense arrays where keys are dense. The loops do the paper's parameter set and their answers are exact, so that
they are checked like everything else. Columns are int64, null is -1. Each loop returns the seconds from its first tuple
to the end of the stream, as the engines count them, and what its answer is made of.
"""

from cython.operator cimport dereference, preincrement
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t, uint64_t
from libcpp.algorithm cimport nth_element, sort, unique
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.state.flat_map cimport unordered_flat_map
from streambench.queries.baselines.pace cimport Pace

import numpy as np

ctypedef unordered_flat_map[uint64_t, int64_t] Counts
ctypedef pair[int64_t, uint64_t] Ranked         # (-n, key): the smaller, the better

ctypedef fused time_t:
    int64_t
    uint32_t

ctypedef fused key_t:
    int64_t
    int32_t

ctypedef fused code_t:
    int64_t
    int16_t

ctypedef fused type_t:
    int64_t
    int8_t

cdef enum:
    HOUR = 3600
    DEPTH = 5                                   # clicks that Q3 remembers of a user
    OTHER = 0                                   # page types, as the catalogue's look-up codes them
    DYNAMIC = 1
    ORDER = 2
    TYPES = 3


cdef inline uint64_t pack(int64_t a, int64_t b) noexcept nogil:
    return (<uint64_t>a << 32) | <uint64_t>b


cdef inline int64_t increment(Counts* counts, uint64_t key) noexcept nogil:
    cdef int64_t* count = &counts[0][key]       # one look-up: `counts[key] += 1` is compiled to two
    count[0] += 1
    return count[0]


cdef cppclass PairRows:
    vector[int64_t] hour, a, b, n


cdef inline void add_row(PairRows* rows, int64_t hour, uint64_t key, int64_t n) noexcept nogil:
    rows.hour.push_back(hour)
    rows.a.push_back(<int64_t>(key >> 32))
    rows.b.push_back(<int64_t>(key & <uint64_t>0xFFFFFFFF))
    rows.n.push_back(n)


cdef void keep_best(vector[Ranked]* ranked, size_t top) noexcept nogil:
    """Leave the ``top`` smallest, the last one behind the others."""
    if ranked.size() > top:
        nth_element(ranked.begin(), ranked.begin() + (top - 1), ranked.end())
        ranked.resize(top)


cdef void add_best(vector[Ranked]* ranked, size_t top, int64_t hour, PairRows* rows) noexcept nogil:
    cdef size_t k
    keep_best(ranked, top)
    sort(ranked.begin(), ranked.end())
    for k in range(ranked.size()):
        add_row(rows, hour, ranked[0][k].second, -ranked[0][k].first)


cdef as_array(vector[int64_t]* values):
    return np.array(<int64_t[:values.size()]>values.data()) if values.size() else np.empty(0, dtype=np.int64)


cdef as_arrays(PairRows* rows):
    return as_array(&rows.hour), as_array(&rows.a), as_array(&rows.b), as_array(&rows.n)


cdef cppclass HourlyTop:
    # Most pairs of an hour are seen once. So those seen twice are ranked; of all pairs the `top` smallest are enough to
    # fill up with, for no more than `top` places are left.
    size_t top
    vector[uint64_t] twice
    vector[uint64_t] smallest                   # the `top` smallest are among these
    uint64_t limit                              # and none of them lies above it
    vector[Ranked] ranked


cdef void start_hour(HourlyTop* hourly) noexcept nogil:
    hourly.twice.clear()
    hourly.smallest.clear()
    hourly.limit = ~<uint64_t>0
    hourly.ranked.clear()


cdef inline void counted(HourlyTop* hourly, uint64_t key, int64_t n) noexcept nogil:
    if n == 2:
        hourly.twice.push_back(key)
    elif n == 1 and key < hourly.limit:
        hourly.smallest.push_back(key)
        if hourly.smallest.size() == 4 * hourly.top:
            nth_element(hourly.smallest.begin(), hourly.smallest.begin() + (hourly.top - 1), hourly.smallest.end())
            hourly.smallest.resize(hourly.top)
            hourly.limit = hourly.smallest.back()


cdef void end_hour(HourlyTop* hourly, int64_t hour, Counts* counts, PairRows* rows) noexcept nogil:
    cdef size_t k
    cdef uint64_t key
    for k in range(hourly.twice.size()):
        key = hourly.twice[k]
        hourly.ranked.push_back(Ranked(-dereference(counts.find(key)).second, key))
    for k in range(hourly.smallest.size()):
        key = hourly.smallest[k]
        if dereference(counts.find(key)).second == 1:
            hourly.ranked.push_back(Ranked(-1, key))
    add_best(&hourly.ranked, hourly.top, hour, rows)
    counts.clear()
    start_hour(hourly)


def q1(Pace pace not None, const time_t[::1] ts, const key_t[::1] ticket, const key_t[::1] item, size_t top):
    """Items sold together: (seconds, (hour, a, b, n)), rows in the answer's order. Tickets must ascend."""
    cdef Counts counts
    cdef HourlyTop hourly
    cdef PairRows rows
    cdef vector[int64_t] items                  # of the current ticket
    cdef int64_t last = -1, hour = -1, one, other, begun = nanoseconds(), ended
    cdef Py_ssize_t i
    cdef size_t k, held
    cdef uint64_t key
    cdef bint seen
    with nogil:
        hourly.top = top
        start_hour(&hourly)
        while pace.more():
            for i in range(pace.begin, pace.end):
                if ticket[i] != last:
                    last = ticket[i]
                    items.clear()
                one = item[i]
                held = items.size()
                seen = False
                for k in range(held):
                    if items[k] == one:
                        seen = True
                        break
                if seen:
                    continue
                if held and <int64_t>ts[i] >= (hour + 1) * HOUR:     # the first pair of a later hour ends the last one
                    end_hour(&hourly, hour, &counts, &rows)
                    hour = ts[i] // HOUR
                for k in range(held):
                    other = items[k]
                    key = pack(min(one, other), max(one, other))
                    counted(&hourly, key, increment(&counts, key))
                items.push_back(one)
        end_hour(&hourly, hour, &counts, &rows)
        ended = nanoseconds()
    return (ended - begun) * 1e-9, as_arrays(&rows)


cdef cppclass Session:
    int64_t last                                # time of the last click
    vector[int64_t] items                       # as clicked


cdef void count_pairs(vector[int64_t]* items, Counts* counts) noexcept nogil:
    cdef size_t k, m
    sort(items.begin(), items.end())
    items.erase(unique(items.begin(), items.end()), items.end())
    for k in range(items.size()):
        for m in range(k + 1, items.size()):
            increment(counts, pack(items[0][k], items[0][m]))
    items.clear()


cdef void add_top(Counts* counts, size_t top, PairRows* rows) noexcept nogil:
    cdef Counts.iterator at = counts.begin()
    cdef vector[Ranked] ranked
    cdef Ranked one, limit = Ranked(0, 0)
    while at != counts.end():
        one = Ranked(-dereference(at).second, dereference(at).first)
        if one < limit:
            ranked.push_back(one)
            if ranked.size() == 4 * top:
                keep_best(&ranked, top)
                limit = ranked.back()
        preincrement(at)
    add_best(&ranked, top, 0, rows)


def q2(Pace pace not None, const time_t[::1] ts, const key_t[::1] user, const key_t[::1] item, size_t users,
       int64_t gap, size_t top):
    """Products viewed together: (seconds, (a, b, n)), rows in the answer's order. ``users``: above every user."""
    cdef Counts counts
    cdef vector[Session] sessions               # by user
    cdef PairRows rows
    cdef Session* session
    cdef int64_t begun = nanoseconds(), ended
    cdef Py_ssize_t i
    cdef size_t k
    with nogil:
        sessions.resize(users)
        while pace.more():
            for i in range(pace.begin, pace.end):
                if user[i] < 0 or item[i] < 0:
                    continue
                session = &sessions[user[i]]
                if <int64_t>ts[i] - session.last > gap and session.items.size():
                    count_pairs(&session.items, &counts)
                session.last = ts[i]
                session.items.push_back(item[i])
        for k in range(users):
            count_pairs(&sessions[k].items, &counts)
        add_top(&counts, top, &rows)
        ended = nanoseconds()
    return (ended - begun) * 1e-9, as_arrays(&rows)[1:]


cdef struct Recent:
    # The user's last clicks: a ring, `next` is where the next one goes.
    int64_t ts[DEPTH]
    int64_t item[DEPTH]
    int32_t next
    int32_t held


def q3(Pace pace not None, const time_t[::1] ts, const key_t[::1] user, const key_t[::1] item, const key_t[::1] sales,
       size_t users, int64_t window):
    """Last views before a purchase: (seconds, (purchased, viewed, n)), all of them, in no order. ``users`` as in Q2."""
    cdef Counts counts
    cdef Counts.iterator at
    cdef vector[Recent] recent                  # by user
    cdef PairRows rows
    cdef Recent* ring
    cdef int64_t begun = nanoseconds(), ended
    cdef Py_ssize_t i
    cdef int32_t k
    with nogil:
        recent.resize(users)
        while pace.more():
            for i in range(pace.begin, pace.end):
                if user[i] < 0 or item[i] < 0:
                    continue
                ring = &recent[user[i]]
                if sales[i] >= 0:
                    for k in range(ring.held):
                        if ring.ts[k] >= <int64_t>ts[i] - window:
                            increment(&counts, pack(item[i], ring.item[k]))
                ring.ts[ring.next] = ts[i]
                ring.item[ring.next] = item[i]
                ring.next = ring.next + 1 if ring.next + 1 < DEPTH else 0
                if ring.held < DEPTH:
                    ring.held += 1
        ended = nanoseconds()
        at = counts.begin()
        while at != counts.end():
            add_row(&rows, 0, dereference(at).first, dereference(at).second)
            preincrement(at)
    return (ended - begun) * 1e-9, as_arrays(&rows)[1:]


cdef struct Cart:
    # An open session: its clicks, and the times of the last one and the last of each type (-1: none).
    int64_t last
    int64_t clicks
    int64_t last_of[TYPES]


def q4(Pace pace not None, const time_t[::1] ts, const key_t[::1] user, const key_t[::1] sales,
       const code_t[::1] page, const code_t[::1] types, size_t users, int64_t gap):
    """Abandoned carts: (seconds, (pages, sessions)). ``types``: by page, -1 for none; ``users`` as in Q2."""
    cdef vector[Cart] carts                     # by user
    cdef Cart* cart
    cdef Cart empty
    cdef int64_t pages = 0, sessions = 0, type, known = types.shape[0], begun = nanoseconds(), ended
    cdef Py_ssize_t i
    cdef size_t k
    with nogil:
        empty.last = empty.clicks = 0
        empty.last_of[OTHER] = empty.last_of[DYNAMIC] = empty.last_of[ORDER] = -1
        carts.assign(users, empty)
        while pace.more():
            for i in range(pace.begin, pace.end):
                if user[i] < 0:
                    continue
                type = types[page[i]] if 0 <= page[i] < known else -1
                if sales[i] >= 0 or type < 0:
                    continue
                cart = &carts[user[i]]
                if <int64_t>ts[i] - cart.last > gap:
                    if cart.last_of[DYNAMIC] > cart.last_of[ORDER]:
                        pages += cart.clicks
                        sessions += 1
                    cart[0] = empty
                cart.last = ts[i]
                cart.clicks += 1
                cart.last_of[type] = ts[i]
        for k in range(users):
            if carts[k].last_of[DYNAMIC] > carts[k].last_of[ORDER]:
                pages += carts[k].clicks
                sessions += 1
        ended = nanoseconds()
    return (ended - begun) * 1e-9, (pages, sessions)


cdef struct Line:
    # Sums of x = days and y = cents over the days that are over, and the day that is being summed (-1: none yet).
    int64_t days
    int64_t x
    int64_t y
    int64_t xy
    int64_t xx
    int64_t day
    int64_t cents


cdef void end_day(Line* line) noexcept nogil:
    if line.day >= 0:
        line.days += 1
        line.x += line.day
        line.y += line.cents
        line.xy += line.day * line.cents
        line.xx += line.day * line.day
    line.cents = 0


def q15(Pace pace not None, const key_t[::1] date, const key_t[::1] item, const key_t[::1] cents,
        const code_t[::1] categories):
    """Flat or declining categories: (seconds, [(category, days, x, y, xy, xx)]), the sums of those with sales.

    ``categories``: by item, -1 for none. 64 bits hold the sums of days x cents up to two million million a category.
    """
    cdef vector[Line] lines                     # by category
    cdef Line* line
    cdef int64_t known = categories.shape[0], category, begun = nanoseconds(), ended
    cdef size_t k
    cdef Py_ssize_t i
    lines.resize(np.max(categories, initial=-1) + 1)
    with nogil:
        for k in range(lines.size()):
            lines[k].day = -1
        while pace.more():
            for i in range(pace.begin, pace.end):
                category = categories[item[i]] if item[i] < known else -1
                if category < 0:
                    continue
                line = &lines[category]
                if line.day != date[i]:
                    end_day(line)
                    line.day = date[i]
                line.cents += cents[i]
        for k in range(lines.size()):
            end_day(&lines[k])
        ended = nanoseconds()
    sums = [(k, lines[k].days, lines[k].x, lines[k].y, lines[k].xy, lines[k].xx) for k in range(lines.size())]
    return (ended - begun) * 1e-9, [each for each in sums if each[1]]


cdef struct Views:
    # A campaign's window of which views have come last, and its views; none before the first.
    int64_t begins
    int64_t n


cdef cppclass ViewRows:
    vector[int64_t] begins, campaign, n


cdef inline void add_views(ViewRows* rows, Views* views, int64_t campaign) noexcept nogil:
    rows.begins.push_back(views.begins)
    rows.campaign.push_back(campaign)
    rows.n.push_back(views.n)


def ysb(Pace pace not None, const time_t[::1] ts, const key_t[::1] ad, const type_t[::1] type,
        const code_t[::1] campaigns, int64_t window):
    """Views per campaign: (seconds, (begins, campaign, n)), rows in the answer's order.
    ``campaigns``: by ad, -1 for none."""
    cdef vector[Views] open_windows             # by campaign
    cdef Views* views
    cdef ViewRows rows
    cdef int64_t known = campaigns.shape[0], campaign, begun = nanoseconds(), ended
    cdef size_t k
    cdef Py_ssize_t i
    open_windows.resize(np.max(campaigns, initial=-1) + 1)
    with nogil:
        while pace.more():
            for i in range(pace.begin, pace.end):
                if type[i] != 0:
                    continue
                campaign = campaigns[ad[i]] if 0 <= ad[i] < known else -1
                if campaign < 0:
                    continue
                views = &open_windows[campaign]
                if <int64_t>ts[i] - views.begins >= window:
                    if views.n:
                        add_views(&rows, views, campaign)
                    views.begins = <int64_t>ts[i] - <int64_t>ts[i] % window
                    views.n = 0
                views.n += 1
        for k in range(open_windows.size()):
            if open_windows[k].n:
                add_views(&rows, &open_windows[k], k)
        ended = nanoseconds()
    return (ended - begun) * 1e-9, (as_array(&rows.begins), as_array(&rows.campaign), as_array(&rows.n))
