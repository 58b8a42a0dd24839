"""Workers on fibers, each on a core that has a time of its own: who goes on next, who waits, sleeps or is interrupted.

A fiber goes on while no other one is due before it, so all that workers see of each other they see in
the order of simulated time.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport log
from streambench.pyx.machine.clock cimport nanoseconds, ticks
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.simulated cimport A_PAUSE, A_YIELD, AN_ACCOUNT
from streambench.pyx.simulate.events cimport Event
from streambench.pyx.simulate.fibers cimport begin_fiber, delete_fibers, new_fibers, switch_fiber

from streambench.pyx.machine.memory import OUT_OF_MEMORY

# What a machine takes that is not told: nothing; a lock goes to a sleeper as fast as any is
# woken, and clusters are near.
NEGLIGIBLE = {"cluster_line": None, "wake_call": 0.0, "hand_over": None, "wait_call": 0.0, "vain_call": 0.0,
              "memory": 0.0, "interrupted_every": 0.0, "interruption": 0.0}

cdef enum:
    SHORTEST = 1                # ns that a wait lasts
    AT_ONCE = 200_000           # events from one look at signals to the next
    TICKS_OF_A_SECOND = 1_000_000_000

cdef int64_t UNTIL_ROUSED = <int64_t>1 << 60    # ns: so long sleeps who waits for a lock


cdef class TimedCores(SimulatedMachine):
    """Base. ``times``: ns by the names of ``Times``; ``seed``: of when others interrupt the cores.

    After a run: ``seconds`` that the machine took, and ``events`` that it had. One run each.
    """

    def __init__(self, dict times, uint64_t seed):
        cdef Times known
        values = {**NEGLIGIBLE, **times}
        if values["hand_over"] is None:
            values["hand_over"] = values["wake_up"]
        if values["cluster_line"] is None:
            values["cluster_line"] = values["near_line"]
        known = values
        self.times = known
        self.here = NOBODY
        self.noise = seed + 1
        self.ticks_of_a_second = TICKS_OF_A_SECOND
        self.ticks_per_ns = self.ticks_of_a_second * 1e-9

    def __dealloc__(self):
        delete_fibers(self.fibers, self.workers + 1 if self.fibers is not NULL else 0)

    def run_crew(self, crew, watch):
        """Simulate all workers to their end. ``watch`` as of ``Crew.run``. Raises MemoryError as that does."""
        cdef Crew run = crew
        cdef int k
        cdef bint starved = False
        if self.fibers is not NULL:
            raise RuntimeError("this machine has run: make another")
        if run.workers > MOST_CORES:
            raise ValueError(f"at most {MOST_CORES} cores can be simulated, not {run.workers}")
        self.crew = run
        self.workers = run.workers
        self.cores.resize(self.workers)
        self.fibers = new_fibers(self.workers + 1)
        run.begun_ns = nanoseconds()
        run.begun_ticks = self.begun_ticks = ticks()
        run.begin()
        for k in range(self.workers):
            begin_fiber(&self.fibers[k], live, <void*>self)
            self.cores[k].interrupt_at = self.exponential(self.times.interrupted_every)
            self.enter(k, 0.0)
        try:
            while self.go_on():
                if watch is not None:
                    watch(run.progress())
                PyErr_CheckSignals()
        except BaseException:
            run.token.stop()
            while self.go_on():
                pass
            raise
        for k in range(self.workers):
            self.seconds = max(self.seconds, self.cores[k].now * 1e-9)
        run.ended_ns = run.begun_ns + <int64_t>(self.seconds * 1e9)
        for k in range(self.workers):
            run.accounts.append((<int64_t>self.cores[k].busy, 0, 0))
            starved = starved or self.cores[k].starved
        egress = getattr(crew, "egress", None)
        if egress is not None:
            index, *at = egress.markers()
            self.markers = (index, *((each - self.begun_ticks) / (self.ticks_per_ns * 1e9) for each in at))
        self.crew = None
        if starved:
            raise MemoryError(OUT_OF_MEMORY)

    cdef bint go_on(self):
        """For a while, until all workers have returned: then False."""
        cdef int first
        self.until = self.events + AT_ONCE
        with nogil:
            first = self.next_core()
            if first != NOBODY:
                self.here = first
                switch_fiber(&self.fibers[self.workers], &self.fibers[first])
                self.here = NOBODY
        return first != NOBODY

    cdef void enter(self, int core, double at) noexcept nogil:
        """The core goes on then, and not when it was to before."""
        cdef Event event
        self.entered += 1
        self.cores[core].stamp += 1
        event.at = at
        event.number = self.entered
        event.stamp = self.cores[core].stamp
        event.core = core
        self.happening.push(event)

    cdef int next_core(self) noexcept nogil:
        """Who goes on first, taken out of the events, at its time; NOBODY: all have returned."""
        cdef Event event
        while not self.happening.empty():
            event = self.happening.top()
            self.happening.pop()
            if event.stamp == self.cores[event.core].stamp:
                self.cores[event.core].now = event.at
                return event.core
        return NOBODY

    cdef void give_way(self) noexcept nogil:
        """The core that goes on just now has entered when it goes on again: others first."""
        cdef int me = self.here, other = self.workers
        if self.events < self.until:
            other = self.next_core()
        if other != me:
            self.here = other
            switch_fiber(&self.fibers[me], &self.fibers[other])

    cdef void take(self, double ns) noexcept nogil:
        """The core that goes on just now is at it so long."""
        cdef Core* core = &self.cores[self.here]
        cdef double at = core.now + ns, span
        if self.times.interrupted_every > 0:
            while core.interrupt_at < at:
                span = self.exponential(self.times.interruption)
                core.interrupted += span
                at += span
                core.interrupt_at += span + self.exponential(self.times.interrupted_every)
        self.events += 1
        if self.events < self.until and (self.happening.empty() or self.happening.top().at > at):
            core.now = at
            return
        self.enter(self.here, at)
        self.give_way()

    cdef double exponential(self, double mean) noexcept nogil:
        """Drawn by chance, as long on the average."""
        self.noise = self.noise * <uint64_t>0x5851F42D4C957F2D + <uint64_t>0x14057B7EF767814F
        return -mean * log(((self.noise >> 11) + 1) * (1.0 / 9007199254740992.0))

    cdef int64_t clock(self) noexcept nogil:
        if self.here == NOBODY:
            return ticks()
        return self.begun_ticks + <int64_t>(self.cores[self.here].now * self.ticks_per_ns)

    cdef void live_here(self, void (*work)(void*) noexcept nogil) noexcept nogil:
        """A worker's life, on its fiber, which is left for good."""
        cdef int me = self.here, other
        self.cores[me].starved = not has_memory(work, <void*>self)
        if self.cores[me].starved:
            self.crew.token.stop()
        other = self.next_core()
        if other == NOBODY:
            other = self.workers
        self.here = other
        switch_fiber(&self.fibers[me], &self.fibers[other])

    cdef bint spend(self, int64_t ns) noexcept nogil:
        cdef double span = self.times.pause if ns == A_PAUSE else self.times.to_yield if ns == A_YIELD else ns
        if self.here == NOBODY:
            return False
        if ns == AN_ACCOUNT:
            self.cores[self.here].busy += self.times.account
            self.take(self.times.account)
            return True
        span = max(span, SHORTEST)              # who waits for another one lets time pass
        self.cores[self.here].idle += span
        self.take(span)
        return True

    cdef bint sleep(self, const void* address, int64_t ns) noexcept nogil:
        cdef Core* core
        cdef double begun
        if self.here == NOBODY:
            return False
        core = &self.cores[self.here]
        core.by_lock = ns >= UNTIL_ROUSED
        if core.by_lock:
            core.late_for = NULL
            self.marked[<uint64_t>address] = True
            core.busy += self.times.wait_call
            self.take(self.times.wait_call)
            core.late_for = address
            if not self.is_marked(address):     # it has been released meanwhile: nobody would wake who sleeps now
                return True
        begun = core.now
        self.events += 1
        core.asleep_at = address
        self.enter(self.here, begun + max(ns, <int64_t>SHORTEST))   # as a wait: a tuple may be due at this very moment
        core.since = self.entered
        self.give_way()
        core.asleep_at = NULL
        core.idle += core.now - begun
        if self.times.interrupted_every > 0 and core.interrupt_at < core.now:
            # Others had the core while nobody wanted it. Interruptions have no memory: the next one is as far as ever.
            core.interrupt_at = core.now + self.exponential(self.times.interrupted_every)
        return True

    cdef bint is_marked(self, const void* lock) noexcept nogil:
        """Will whoever releases the lock call the system? So does who was late for it: it cannot know
        that no other one sleeps."""
        cdef int k
        for k in range(self.workers):
            if k != self.here and self.cores[k].late_for == lock and self.cores[k].asleep_at == NULL:
                return True
        return self.marked[<uint64_t>lock]

    cdef bint rouse(self, const void* address, int64_t n) noexcept nogil:
        """Those who have slept longest go on first."""
        cdef int k, longest
        cdef bint called = False, waited_for
        if self.here == NOBODY:
            return False
        waited_for = self.cores[self.here].late_for == address
        if waited_for:
            self.cores[self.here].late_for = NULL
        if self.marked.find(<uint64_t>address) != self.marked.end():    # a lock that somebody has waited for
            waited_for = waited_for or self.marked[<uint64_t>address]
            self.marked[<uint64_t>address] = False
        while n > 0:
            longest = NOBODY
            for k in range(self.workers):
                if (self.cores[k].asleep_at == address
                        and (longest == NOBODY or self.cores[k].since < self.cores[longest].since)):
                    longest = k
            if longest == NOBODY:
                break
            self.cores[longest].asleep_at = NULL
            self.enter(longest, self.cores[self.here].now
                       + (self.times.hand_over if self.cores[longest].by_lock else self.times.wake_up))
            called = True
            n -= 1
        if called:
            self.cores[self.here].busy += self.times.wake_call
            self.take(self.times.wake_call)
        elif waited_for:
            self.cores[self.here].busy += self.times.vain_call
            self.take(self.times.vain_call)
        return True


cdef void live(void* machine) noexcept nogil:
    (<TimedCores>machine).live_here(work)


cdef void work(void* machine) noexcept nogil:
    (<TimedCores>machine).crew.work((<TimedCores>machine).here)
