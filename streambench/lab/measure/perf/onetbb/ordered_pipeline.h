// oneTBB's parallel_pipeline over units of ours: a serial_in_order source, then filters that are parallel or
// serial_in_order, of which the last is the sink's. Templates and lambdas, hence C++.
#pragma once
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <cstdint>
#include <vector>

namespace onetbb {

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

using Next = int (*)(void* of, int64_t slot);  // take the next unit into the slot; 0: there is none
using Step = void (*)(void* of, int64_t slot, int32_t filter);

// At most `live` units are under way, and they leave in order, so a slot is free when its turn comes again.
inline void ordered_pipeline(void* of, Next next, Step step, const std::vector<char>& parallel, int threads,
                             int64_t live) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(threads));
    tbb::task_arena arena(threads);
    Pinned pinned(arena);
    int64_t taken = 0;
    auto mode = [&](size_t k) { return parallel[k] ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order; };
    arena.execute([&] {
        tbb::filter<void, int64_t> chain = tbb::make_filter<void, int64_t>(tbb::filter_mode::serial_in_order,
                                                                           [&](tbb::flow_control& control) -> int64_t {
                                                                               int64_t slot = taken;
                                                                               if (!next(of, slot)) {
                                                                                   control.stop();
                                                                                   return 0;
                                                                               }
                                                                               if (++taken == live) taken = 0;
                                                                               return slot;
                                                                           });
        const size_t last = parallel.size() - 1;
        for (size_t k = 0; k < last; ++k)
            chain = chain & tbb::make_filter<int64_t, int64_t>(mode(k), [=](int64_t slot) {
                        step(of, slot, int32_t(k));
                        return slot;
                    });
        tbb::parallel_pipeline(
            size_t(live), chain & tbb::make_filter<int64_t, void>(tbb::filter_mode::serial_in_order, [=](int64_t slot) {
                              step(of, slot, int32_t(last));
                          }));
    });
}

}  // namespace onetbb
