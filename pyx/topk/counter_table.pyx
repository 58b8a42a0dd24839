"""Space-Saving in flat arrays: see ``counter_table.pxd``.

Victims are the slots that had the least count when it was last searched, in a list. One that has been incremented
since is passed over; when the list is used up all counts are searched again, by SIMD. So whoever is evicted has the
least count, as in the published algorithm, and the sum of all counts is the number of items. The least count rises
with every search, and it is at most n / counters: a search costs each item that was counted in between what some
additions cost. Who is new takes its victim's slot: so slots, victims and errors are passed over in the order of
memory, and two lines only are touched at random.
"""

from libc.stdint cimport INT64_MAX
from streambench.pyx.topk.summary cimport Counter
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages_under_the_gil, unmap_pages
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    FILLED = 6                          # cells of a bucket's 16 that are taken on average: few buckets are full then
    MOST_COUNTERS = 1 << 28             # cells are numbered below IN_STASH
    IN_STASH = 1 << 31
    VICTIMS_AHEAD = 6


cdef inline int64_t rounded_up(int64_t n, int64_t to) noexcept nogil:
    return (n + to - 1) // to * to


cdef int open_table(CounterTable* table, int64_t counters, uint64_t seed, int32_t level) except -1:
    """An empty table of this many counters. Raises MemoryError; ValueError for more than can be numbered."""
    cdef int64_t buckets = (counters + FILLED - 1) // FILLED, slots = rounded_up(counters, CELLS), k
    cdef char* memory
    if counters > MOST_COUNTERS:
        raise ValueError(f"a summary of this design has at most {MOST_COUNTERS} counters, not {counters}")
    # Arrays of as many bytes as a cache line, or several: each begins with one.
    table.bytes = rounded_up(rounded_up(buckets, 4) * sizeof(Tags) + buckets * CELLS * sizeof(uint32_t)
                             + slots * (sizeof(Monitored) + sizeof(int64_t) + 3 * sizeof(uint32_t))
                             + (AT_ONCE + VICTIMS_AHEAD + buckets) * sizeof(uint32_t), 4096)
    if table.bytes >= HUGE_PAGE // 8:
        table.bytes = rounded_up(table.bytes, HUGE_PAGE)
    table.memory = map_pages_under_the_gil(table.bytes)
    memory = <char*>table.memory
    table.tags = <Tags*>memory
    memory += rounded_up(buckets, 4) * sizeof(Tags)
    table.slot_of = <uint32_t*>memory
    memory += buckets * CELLS * sizeof(uint32_t)
    table.slots = <Monitored*>memory
    memory += slots * sizeof(Monitored)
    table.errors = <int64_t*>memory
    memory += slots * sizeof(int64_t)
    table.cell_of = <uint32_t*>memory
    memory += slots * sizeof(uint32_t)
    table.stash = <uint32_t*>memory
    memory += slots * sizeof(uint32_t)
    table.victims = <uint32_t*>memory
    memory += (slots + AT_ONCE + VICTIMS_AHEAD) * sizeof(uint32_t)
    table.spilled = <uint32_t*>memory
    for k in range(slots):
        table.slots[k].count = INT64_MAX
    table.counters, table.buckets, table.seed = counters, buckets, seed
    table.level = min(level, count_level())
    table.monitored = table.n = table.least = table.stashed = table.listed = table.next = 0
    table.mostly_missing = False
    return 0


cdef void close_table(CounterTable* table) noexcept nogil:
    if table.memory is not NULL:
        unmap_pages(table.memory, table.bytes)


cdef inline int64_t bucket_of(const CounterTable* table, uint64_t hash) noexcept nogil:
    return <int64_t>((hash >> 32) * <uint64_t>table.buckets >> 32)


cdef inline uint8_t tag_of(uint64_t hash) noexcept nogil:
    return <uint8_t>hash + (<uint8_t>hash == 0)


cdef int64_t find_stashed(const CounterTable* table, uint64_t item) noexcept nogil:
    cdef int64_t k
    for k in range(table.stashed):
        if table.slots[table.stash[k]].item == item:
            return table.stash[k]
    return -1


cdef inline int64_t find(const CounterTable* table, uint64_t item, uint64_t hash) noexcept nogil:
    """The item's slot, or -1."""
    cdef int64_t bucket = bucket_of(table, hash), slot
    cdef uint32_t bits = matching(&table.tags[bucket], tag_of(hash))
    while bits != 0:
        slot = table.slot_of[bucket * CELLS + first_bit(bits)]
        if table.slots[slot].item == item:
            return slot
        bits &= bits - 1
    if table.stashed > 0 and table.spilled[bucket] > 0:
        return find_stashed(table, item)
    return -1


cdef void search_victims(CounterTable* table) noexcept nogil:
    """All counts are above ``least``: set it anew, and list who has it."""
    cdef int64_t n = rounded_up(table.counters, AT_ONCE), guess = table.least + 1
    cdef Least least = scan_counts(table.level, table.slots, n, guess, table.victims)
    if least.count != guess:
        least = scan_counts(table.level, table.slots, n, least.count, table.victims)
    table.least = least.count
    table.listed = least.slots
    table.next = 0
    for n in range(VICTIMS_AHEAD):
        table.victims[table.listed + n] = 0


cdef inline int64_t next_victim(CounterTable* table) noexcept nogil:
    """A slot that has the least count."""
    cdef int64_t slot
    cdef uint32_t coming
    while True:
        while table.next < table.listed:
            slot = table.victims[table.next]
            coming = table.cell_of[table.victims[table.next + VICTIMS_AHEAD]] & ~<uint32_t>IN_STASH
            prefetch(&table.tags[coming // CELLS], 1)
            table.next += 1
            if table.slots[slot].count == table.least:
                return slot
        search_victims(table)


cdef void remove_stashed(CounterTable* table, int64_t slot) noexcept nogil:
    """The last of the stash takes its place there."""
    cdef uint32_t k = table.cell_of[slot] - <uint32_t>IN_STASH
    table.spilled[bucket_of(table, hash_of_item(table.slots[slot].item, table.seed))] -= 1
    table.stashed -= 1
    table.stash[k] = table.stash[table.stashed]
    table.cell_of[table.stash[k]] = k + <uint32_t>IN_STASH


cdef inline void enter(CounterTable* table, uint64_t item, uint64_t hash) noexcept nogil:
    """Count an item that is not there, in the slot of one that has the least count."""
    cdef int64_t bucket = bucket_of(table, hash), slot
    cdef uint32_t vacant, cell
    if table.monitored < table.counters:
        slot = table.monitored
        table.monitored += 1
    else:
        slot = next_victim(table)
        cell = table.cell_of[slot]
        if cell < <uint32_t>IN_STASH:
            table.tags[cell // CELLS].tag[cell % CELLS] = 0
        else:
            remove_stashed(table, slot)
    vacant = matching(&table.tags[bucket], 0)
    if vacant != 0:
        cell = <uint32_t>(bucket * CELLS + first_bit(vacant))
        table.tags[bucket].tag[cell % CELLS] = tag_of(hash)
        table.slot_of[cell] = <uint32_t>slot
        table.cell_of[slot] = cell
    else:
        table.stash[table.stashed] = <uint32_t>slot
        table.cell_of[slot] = <uint32_t>table.stashed + <uint32_t>IN_STASH
        table.stashed += 1
        table.spilled[bucket] += 1
    table.slots[slot].item = item
    table.slots[slot].count = table.least + 1
    table.errors[slot] = table.least


cdef int64_t count_in_turn(CounterTable* table, const uint64_t* items, int64_t n) noexcept nogil:
    """Count each item, of a batch at most, once; return how many were there."""
    cdef int64_t k, slot, hits = 0
    for k in range(n):
        table.hashes[k] = hash_of_item(items[k], table.seed)
    for k in range(n):
        prefetch(&table.slot_of[bucket_of(table, table.hashes[k + AHEAD]) * CELLS], 1)
        slot = find(table, items[k], table.hashes[k])
        if slot >= 0:
            table.slots[slot].count += 1
            hits += 1
        else:
            enter(table, items[k], table.hashes[k])
    return hits


cdef int64_t count_hits_first(CounterTable* table, const uint64_t* items, int64_t n) noexcept nogil:
    """The same. First, without a branch that depends on the items, those that are there."""
    cdef int64_t k, slot, bucket, missed = 0
    cdef uint64_t item, hash
    cdef uint32_t bits
    cdef bint hit
    for k in range(n):
        item = items[k]
        hash = hash_of_item(item, table.seed)
        bucket = bucket_of(table, hash)
        bits = matching(&table.tags[bucket], tag_of(hash))
        slot = table.slot_of[bucket * CELLS + first_bit(bits | <uint32_t>1 << (CELLS - 1))]
        hit = (bits != 0) & (table.slots[slot].item == item)
        table.slots[slot].count += hit
        table.missed[missed] = item
        missed += not hit
    count_in_turn(table, table.missed, missed)
    return n - missed


cdef void count_items(CounterTable* table, const uint64_t* items, int64_t n) noexcept nogil:
    """Count each item once. Hits come before misses, by order invariance (lemma 4.1), as long as they are not few."""
    cdef int64_t batch, hits
    table.n += n
    while n > 0:
        batch = min(n, <int64_t>BATCH)
        if table.mostly_missing:
            hits = count_in_turn(table, items, batch)
        else:
            hits = count_hits_first(table, items, batch)
        table.mostly_missing = hits * 4 < batch
        items += batch
        n -= batch


cdef void count_item(CounterTable* table, uint64_t item, int64_t times) noexcept nogil:
    """As if the item came ``times`` times in a row, at least once."""
    table.n += times
    count_in_turn(table, &item, 1)
    table.slots[find(table, item, hash_of_item(item, table.seed))].count += times - 1


cdef void append_counters(const CounterTable* table, Snapshot* out, int64_t* at) noexcept nogil:
    """What is counted, from place ``at`` on, which moves; ``floor`` rises to the least count, ``n`` by the sum."""
    cdef int64_t slot
    cdef Counter one
    for slot in range(table.monitored):
        one.item, one.count, one.error = table.slots[slot].item, table.slots[slot].count, table.errors[slot]
        out.counters[at[0]] = one
        at[0] += 1
    out.floor = max(out.floor, table.least)
    out.n += table.n
