// The threads of a oneTBB arena, kept where an engine's workers are.
#pragma once
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

namespace micro {

// Each thread of an arena on a core of its own, as the engine's workers are; a thread that leaves is free again.
class Pinned : public tbb::task_scheduler_observer {
    cpu_set_t allowed_;

  public:
    explicit Pinned(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {
        sched_getaffinity(0, sizeof(allowed_), &allowed_);
        observe(true);
    }
    ~Pinned() override { observe(false); }
    void on_scheduler_entry(bool) override {
        int skip = tbb::this_task_arena::current_thread_index() % CPU_COUNT(&allowed_);
        int core = 0;
        while (!CPU_ISSET(core, &allowed_) || skip-- > 0) ++core;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        sched_setaffinity(0, sizeof(one), &one);
    }
    void on_scheduler_exit(bool) override { sched_setaffinity(0, sizeof(allowed_), &allowed_); }
};

}  // namespace micro
