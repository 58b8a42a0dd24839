"""A hash table of running counts by 64-bit key, at the speed of memory.

The table is cut into regions by the upper bits of the hash (extendible hashing: Fagin, Nievergelt, Pippenger and
Strong, 1979). The first region doubles; one of full size splits in two. So growth never stops the stream for longer
than it takes to split one region. While it doubles, from 512 KB on, it is in one huge page, n slots from slot n on: the
system finds that page in a fifth of the time that 1 MB of small ones takes. The slots of a region to try for a key are
home ^ 0, home ^ 1, home ^ 2, ...: first the four of home's cache line, then those of the line beside it, and so on. No
region is more than half full, so that nearly every key is found in the line that was prefetched for it.
"""

from libc.stdlib cimport free
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.machine.huge_pages cimport HUGE_PAGE, map_pages, touch_pages, unmap_pages
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.machine.prefetch cimport prefetch

cdef enum:
    FIRST_SLOTS = 256                   # of a new table: one page
    SMALL_SLOTS = 1 << 14               # up to here a table is in small pages: many tables stay small
    MOST_SLOTS = HUGE_PAGE // 16        # of a region: one huge page
    NEAR_SLOTS = 1 << 16                # 1 MB: up to here the second-level cache has them, and prefetching only costs
    ROOMY_SLOTS = 1 << 15               # up to here a region may stay three quarters empty
    KEYS_AHEAD = 24                     # keys by which counting prefetches; measured, not critical
    FOUND_AT_ONCE = 256                 # keys whose homes are found before any of them is counted
    MOVED_AT_ONCE = 256

cdef struct Home:
    # Where a key's slot should be, while no table grows.
    Slot* slot
    Region* region
    int64_t base

cdef uint64_t SCATTER = 0x9E3779B97F4A7C15      # spreads small numbers evenly


cdef inline Slot* new_slots(uint64_t n) noexcept nogil:
    cdef void* slots = map_pages(n * sizeof(Slot))
    touch_pages(slots, n * sizeof(Slot))            # keys are spread over all of them
    return <Slot*>slots


cdef inline void delete_slots(Slot* slots, uint64_t n) noexcept nogil:
    unmap_pages(slots, n * sizeof(Slot))


cdef inline int32_t most_used(uint64_t mask, uint64_t prefix) noexcept nogil:
    """How many slots of a region may be used: the fewer, the more keys are found at their home.

    ``prefix``: the bits of the hash that its keys share. Not all regions of full size split at the same fill, and
    so not all at the same time.
    """
    if mask < ROOMY_SLOTS:
        return <int32_t>(mask // 4)
    if mask + 1 < MOST_SLOTS:
        return <int32_t>(mask // 2)
    return <int32_t>(mask // 2 - (mask // 8 * (prefix * SCATTER >> 48) >> 16))


cdef inline bint middle_sized(uint64_t n) noexcept nogil:
    return SMALL_SLOTS < n < MOST_SLOTS


cdef inline size_t regions_end(CountTable* table) noexcept nogil:
    return <size_t>1 << (64 - table.shift)


cdef inline bint repeats(CountTable* table, size_t at) noexcept nogil:
    """Whether the directory's entry is the same region as the one before."""
    return at > 0 and table.directory[at] == table.directory[at - 1]


cdef void init_table(CountTable* table) noexcept nogil:
    """Make zeroed or cleared memory an empty table, which must not move from now on."""
    table.only.slots = new_slots(FIRST_SLOTS)
    table.only.used = 0
    table.only.most = most_used(FIRST_SLOTS - 1, 0)
    table.only.depth = 0
    table.entries[0] = table.entries[1] = &table.only
    table.directory = table.entries
    table.shift = 63
    table.mask = FIRST_SLOTS - 1
    table.base = 0
    table.highest = 0
    table.spare = NULL
    table.page = NULL


cdef void clear_table(CountTable* table) noexcept nogil:
    """Give back the memory. Nothing to do if the table is cleared already."""
    cdef size_t at
    cdef Region* region
    if table.directory is NULL:
        return
    for at in range(regions_end(table)):
        region = table.directory[at]
        if not repeats(table, at):
            if not middle_sized(table.mask + 1):
                delete_slots(region.slots, table.mask + 1)
            if region != &table.only:
                free(region)
    if table.spare is not NULL:
        delete_slots(table.spare, MOST_SLOTS)
    if table.page is not NULL:
        delete_slots(table.page, MOST_SLOTS)
    if table.directory != table.entries:
        free(table.directory)
    table.directory = NULL
    table.spare = table.page = NULL


cdef void forget_counts(CountTable* table) noexcept nogil:
    """Empty the table without touching its slots: they are empty because no count is above the new base."""
    cdef size_t at
    for at in range(regions_end(table)):
        table.directory[at].used = 0
    table.base = table.highest


cdef inline Slot* empty_slot(Slot* slots, uint64_t home, int64_t base) noexcept nogil:
    cdef uint64_t k = 0
    while slots[home ^ k].count > base:
        k += 1
    return &slots[home ^ k]


cdef void double_slots(CountTable* table) noexcept nogil:
    """Growth of the only region, up to full size."""
    cdef Slot* slots = table.only.slots
    cdef uint64_t n = table.mask + 1, k
    cdef Slot* larger
    if table.page is NULL and middle_sized(2 * n):
        table.page = <Slot*>map_pages(HUGE_PAGE)
    if middle_sized(2 * n):
        larger = table.page + 2 * n         # behind all smaller slices: nobody has written there
        touch_pages(larger, 2 * n * sizeof(Slot))
    else:
        larger = new_slots(2 * n)
    for k in range(n):
        if slots[k].count > table.base:
            empty_slot(larger, hash_of(slots[k].key) & (2 * n - 1), table.base)[0] = slots[k]
    if not middle_sized(n):
        delete_slots(slots, n)
    elif not middle_sized(2 * n):
        delete_slots(table.page, MOST_SLOTS)
        table.page = NULL
    table.only.slots = larger
    table.mask = 2 * n - 1
    table.only.most = most_used(table.mask, 0)


cdef void double_directory(CountTable* table) noexcept nogil:
    cdef size_t n = regions_end(table), at
    cdef Region** directory = <Region**>enlarge(NULL, 2 * n * sizeof(Region*))
    for at in range(n):
        directory[2 * at] = directory[2 * at + 1] = table.directory[at]
    if table.directory != table.entries:
        free(table.directory)
    table.directory = directory
    table.shift -= 1


cdef int32_t move_slots(Slot* slots, Slot* lower, Slot* upper, int32_t bit, int64_t base) noexcept nogil:
    """Move a region's keys to two others by a bit of the hash, leave it empty. Returns how
    many went to the upper one."""
    cdef Slot moved[MOVED_AT_ONCE]
    cdef Slot* end = slots + MOST_SLOTS
    cdef int64_t to_upper = <char*>upper - <char*>lower
    cdef uint64_t hash
    cdef int64_t count
    cdef int32_t k, n, moved_up = 0
    while slots != end:
        n = 0
        for k in range(MOVED_AT_ONCE):      # written always, counted if used: no branch guesses that
            count = slots[k].count
            moved[n].key = slots[k].key
            moved[n].count = count
            n += count > base
            slots[k].count = base
        for k in range(n):                  # nor which of the two it is
            hash = hash_of(moved[k].key)
            count = (hash >> bit) & 1
            moved_up += count
            empty_slot(<Slot*>(<char*>lower + (-count & to_upper)), hash & (MOST_SLOTS - 1), base)[0] = moved[k]
        slots += MOVED_AT_ONCE
    return moved_up


cdef void split_region(CountTable* table, uint64_t hash) noexcept nogil:
    cdef Region* region = table.directory[hash >> table.shift]
    cdef Region* upper = <Region*>enlarge(NULL, sizeof(Region))
    cdef Slot* slots = region.slots
    cdef size_t at, end, entries
    if region.depth == 64 - table.shift:
        double_directory(table)
    upper.slots = new_slots(MOST_SLOTS)     # before anything changes: it may not come back
    region.slots = table.spare if table.spare is not NULL else new_slots(MOST_SLOTS)
    upper.used = move_slots(slots, region.slots, upper.slots, 63 - region.depth, table.base)
    table.spare = slots
    region.used -= upper.used
    region.depth += 1
    upper.depth = region.depth
    end = (hash >> (64 - upper.depth)) | 1              # the upper region's prefix
    upper.most = most_used(table.mask, end)
    region.most = most_used(table.mask, end - 1)
    entries = <size_t>1 << (64 - table.shift - upper.depth)
    end = (end + 1) * entries
    for at in range(end - entries, end):
        table.directory[at] = upper


cdef void grow(CountTable* table, uint64_t hash) noexcept nogil:
    """Make room where the key of this hash belongs."""
    if table.mask + 1 < MOST_SLOTS:
        double_slots(table)
    else:
        split_region(table, hash)


cdef inline Slot* slot_of(Slot* slots, uint64_t key, uint64_t home, int64_t base) noexcept nogil:
    """The slot that holds the key, or the one where it belongs."""
    cdef Slot* slot = slots + home
    cdef uint64_t k = 0
    while slot.count > base and slot.key != key:
        k += 1
        slot = slots + (home ^ k)
    return slot


cdef inline Slot* slot_from(const Home* home, uint64_t key) noexcept nogil:
    """As ``slot_of``, which looks at other slots only where another key is at home in this one."""
    if home.slot.key == key or home.slot.count <= home.base:
        return home.slot
    return slot_of(home.region.slots, key, home.slot - home.region.slots, home.base)


cdef inline CountTable* table_at(CountTable* tables, const uint32_t* table_of, int32_t k) noexcept nogil:
    return &tables[table_of[k]] if table_of is not NULL else tables


cdef inline void find_homes(CountTable* tables, const uint32_t* table_of, const uint64_t* keys, int32_t n,
                            Home* homes) noexcept nogil:
    cdef CountTable* table
    cdef uint64_t hash
    cdef int32_t k
    for k in range(n):
        table = table_at(tables, table_of, k)
        hash = hash_of(keys[k])
        homes[k].region = table.directory[hash >> table.shift]
        homes[k].slot = homes[k].region.slots + (hash & table.mask)
        homes[k].base = table.base


cdef inline void count_far(CountTable* tables, const uint32_t* table_of, const uint64_t* keys, int32_t n,
                           int64_t* counts) noexcept nogil:
    """Count keys whose slots have to come from memory: the k-th in table ``table_of[k]``, or
    all in one if that is NULL."""
    cdef Home homes[FOUND_AT_ONCE]
    cdef Home* home
    cdef Slot* slot
    cdef int32_t k, m
    while n > 0:
        m = min(n, FOUND_AT_ONCE)
        find_homes(tables, table_of, keys, m, homes)
        for k in range(min(m, KEYS_AHEAD)):
            prefetch(homes[k].slot, 1)
        for k in range(m):
            if k + KEYS_AHEAD < m:
                prefetch(homes[k + KEYS_AHEAD].slot, 1)
            home = &homes[k]
            slot = slot_from(home, keys[k])
            if slot.count > home.base:
                slot.count += 1
                counts[k] = slot.count - home.base
                continue
            slot.key = keys[k]
            slot.count = home.base + 1
            counts[k] = 1
            home.region.used += 1
            if home.region.used > home.region.most:
                grow(table_at(tables, table_of, k), hash_of(keys[k]))
                m = k + 1                       # slots have moved
                break
        keys += m
        if table_of is not NULL:
            table_of += m
        counts += m
        n -= m


cdef int32_t count_near(CountTable* table, const uint64_t* keys, int32_t n, int64_t* counts) noexcept nogil:
    """Count in the only region until all keys are counted or it grows; returns how many were.

    By local variables, since the compiler cannot know that the table is not among the slots.
    """
    cdef Slot* slots = table.only.slots
    cdef Slot* slot
    cdef uint64_t mask = table.mask
    cdef int64_t base = table.base
    cdef int32_t k, most = table.only.most, used = table.only.used
    for k in range(n):
        slot = slot_of(slots, keys[k], hash_of(keys[k]) & mask, base)
        if slot.count > base:
            slot.count += 1
            counts[k] = slot.count - base
            continue
        slot.key = keys[k]
        slot.count = base + 1
        counts[k] = 1
        used += 1
        if used > most:
            table.only.used = used
            double_slots(table)
            return k + 1
    table.only.used = used
    return n


cdef void count_keys(CountTable* table, const uint64_t* keys, int32_t n, int64_t* counts) noexcept nogil:
    """Count each of the keys once more, in order; ``counts``: the new counts."""
    cdef int32_t k, m
    table.highest += n
    while n > 0 and table.mask < NEAR_SLOTS:
        m = count_near(table, keys, n, counts)
        keys += m
        counts += m
        n -= m
    count_far(table, NULL, keys, n, counts)


cdef int32_t count_near_among(CountTable* tables, const uint32_t* table_of, const uint64_t* keys, int32_t n,
                              int64_t* counts) noexcept nogil:
    """As ``count_near``."""
    cdef CountTable* table
    cdef Slot* slot
    cdef int32_t k
    for k in range(n):
        table = &tables[table_of[k]]
        slot = slot_of(table.only.slots, keys[k], hash_of(keys[k]) & table.mask, table.base)
        if slot.count > table.base:
            slot.count += 1
            counts[k] = slot.count - table.base
            continue
        slot.key = keys[k]
        slot.count = table.base + 1
        counts[k] = 1
        table.only.used += 1
        if table.only.used > table.only.most:
            double_slots(table)
            return k + 1
    return n


cdef void count_keys_among(CountTable* tables, int32_t n_tables, const uint32_t* table_of, const uint64_t* keys,
                           int32_t n, int64_t* counts) noexcept nogil:
    """As ``count_keys``, the k-th key in table ``table_of[k]``."""
    cdef uint64_t slots = 0
    cdef int32_t k, m
    for k in range(n_tables):
        tables[k].highest += n
        slots += tables[k].mask + 1
    while n > 0 and slots <= NEAR_SLOTS:
        m = count_near_among(tables, table_of, keys, n, counts)
        slots += tables[table_of[m - 1]].mask + 1       # at least what the last key's table may have grown by
        keys += m
        table_of += m
        counts += m
        n -= m
    count_far(tables, table_of, keys, n, counts)


cdef inline void put_count(CountTable* table, uint64_t key, int64_t count) noexcept nogil:
    """Enter a key that the table does not hold."""
    cdef uint64_t hash = hash_of(key)
    cdef Region* region = table.directory[hash >> table.shift]
    cdef Slot* slot = empty_slot(region.slots, hash & table.mask, table.base)
    slot.key = key
    slot.count = table.base + count
    table.highest = max(table.highest, slot.count)
    region.used += 1
    if region.used > region.most:
        grow(table, hash)


cdef void move_counts(CountTable* source, CountTable* tables, int32_t n_tables, int32_t shift) noexcept nogil:
    """Move all counts to the tables, by partition of the key without its lower ``shift`` bits;
    the source is empty then."""
    cdef size_t at
    cdef uint64_t k
    cdef Slot* slot
    for at in range(regions_end(source)):
        if repeats(source, at):
            continue
        for k in range(source.mask + 1):
            slot = source.directory[at].slots + k
            if slot.count > source.base:
                put_count(&tables[partition_by_hash(<int64_t>(slot.key >> shift), n_tables)], slot.key,
                          slot.count - source.base)
    clear_table(source)
    init_table(source)


cdef void put_counts(CountTable* tables, int32_t n_tables, int32_t shift, const uint64_t* keys, const int64_t* counts,
                     int64_t n) noexcept nogil:
    """Enter keys that no table holds, by partition as ``move_counts`` does."""
    cdef int64_t k
    for k in range(n):
        put_count(&tables[partition_by_hash(<int64_t>(keys[k] >> shift), n_tables)], keys[k], counts[k])


cdef int64_t keys_held(CountTable* table) noexcept nogil:
    cdef int64_t held = 0
    cdef size_t at
    for at in range(regions_end(table)):
        if not repeats(table, at):
            held += table.directory[at].used
    return held


cdef int64_t copy_counts(CountTable* table, uint64_t* keys, int64_t* counts) noexcept nogil:
    """Write down all keys and counts, in no particular order; returns how many (``keys_held``)."""
    cdef int64_t held = 0
    cdef size_t at
    cdef uint64_t k
    cdef Slot* slot
    for at in range(regions_end(table)):
        if repeats(table, at):
            continue
        for k in range(table.mask + 1):
            slot = table.directory[at].slots + k
            if slot.count > table.base:
                keys[held] = slot.key
                counts[held] = slot.count - table.base
                held += 1
    return held
