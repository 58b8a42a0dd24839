// Bounded streams, and the thread that reads each; see streams.pxd.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <pthread.h>

#include "worker.h"

namespace streambench {
struct FrontStream {
    std::mutex taken;
    std::condition_variable readable, writable;
    std::deque<FrontRecord*> records;
    bool closed = false;
};
struct FrontResident {  // an entity with a thread
    int64_t node = 0;
    FrontFrame* frame = nullptr;
    void* crew = nullptr;  // borrowed: it waits for the end of all residents
    FrontStream mailbox;   // where others write to it
    FrontWorker worker;
    FrontPool pool;
    FrontResident* made_before = nullptr;
    FrontResident* last = nullptr;  // whom it has written to last
};
struct FrontResidents {
    std::mutex taken;
    std::condition_variable changed;
    std::map<std::pair<int64_t, FrontFrame*>, FrontResident*> by_place;
    FrontResident* latest = nullptr;
    int64_t alive = 0;  // threads that have not ended
    int64_t made = 0;
    bool closed = false;
};
// False: the stream is closed. ``bound`` 0: there is room for any number.
inline bool write_front_stream(FrontStream* stream, FrontRecord* record, size_t bound) {
    std::unique_lock<std::mutex> lock(stream->taken);
    stream->writable.wait(lock, [&] { return stream->closed || bound == 0 || stream->records.size() < bound; });
    if (stream->closed) return false;
    stream->records.push_back(record);
    stream->readable.notify_one();
    return true;
}
// Null: the stream is closed.
inline FrontRecord* read_front_stream(FrontStream* stream) {
    std::unique_lock<std::mutex> lock(stream->taken);
    stream->readable.wait(lock, [&] { return stream->closed || !stream->records.empty(); });
    if (stream->closed) return nullptr;
    FrontRecord* record = stream->records.front();
    stream->records.pop_front();
    stream->writable.notify_one();
    return record;
}
inline bool is_empty_front_stream(FrontStream* stream) {
    std::lock_guard<std::mutex> lock(stream->taken);
    return stream->records.empty();
}
inline FrontRecord* take_rest_of_front_stream(FrontStream* stream) {
    if (stream->records.empty()) return nullptr;
    FrontRecord* record = stream->records.front();
    stream->records.pop_front();
    return record;
}
inline FrontResident* front_resident(FrontResidents* all, int64_t node, FrontFrame* frame, int& made) {
    std::lock_guard<std::mutex> lock(all->taken);
    FrontResident*& found = all->by_place[{node, frame}];
    made = found == nullptr;
    if (made) {
        found = new FrontResident;
        found->node = node;
        found->frame = frame;
        found->worker.number = (int64_t)all->by_place.size();
        found->made_before = all->latest;
        all->latest = found;
        if (all->closed) found->mailbox.closed = true;
    }
    return found;
}
inline bool start_front_resident(FrontResidents* all, FrontResident* resident, void (*body)(void*), size_t stack) {
    pthread_attr_t how;
    pthread_t thread;
    {
        std::lock_guard<std::mutex> lock(all->taken);
        all->alive++;
        all->made++;
    }
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    if (stack != 0) pthread_attr_setstacksize(&how, stack);
    const bool started = pthread_create(&thread, &how, (void* (*)(void*))body, resident) == 0;
    pthread_attr_destroy(&how);
    if (!started) {
        std::lock_guard<std::mutex> lock(all->taken);
        all->alive--;
        all->made--;
    }
    return started;
}
// What a thread has made belongs to the first worker from now on.
inline void end_front_resident(FrontResidents* all, FrontResident* resident, FrontWorker* heir) {
    FrontWorker* worker = &resident->worker;
    std::lock_guard<std::mutex> lock(all->taken);
    heir->steps += worker->steps;
    worker->steps = 0;
    all->alive--;
    all->changed.notify_all();  // the last touch: nobody waits for this thread any more
}
inline void inherit_from_front_resident(FrontWorker* heir, FrontResident* resident) {
    heir->dead.insert(heir->dead.end(), resident->worker.dead.begin(), resident->worker.dead.end());
    heir->moves.insert(heir->moves.end(), resident->worker.moves.begin(), resident->worker.moves.end());
    resident->worker.dead.clear();
    resident->worker.moves.clear();
}
inline void wait_for_front_residents(FrontResidents* all, bool closed, int64_t milliseconds) {
    std::unique_lock<std::mutex> lock(all->taken);
    auto over = [&] { return closed && all->alive == 0; };
    all->changed.wait_for(lock, std::chrono::milliseconds(milliseconds), over);
}
inline int64_t alive_front_residents(FrontResidents* all) {
    std::lock_guard<std::mutex> lock(all->taken);
    return all->alive;
}
inline void close_front_streams(FrontResidents* all) {
    std::lock_guard<std::mutex> lock(all->taken);
    all->closed = true;
    for (auto* each = all->latest; each != nullptr; each = each->made_before) {
        std::lock_guard<std::mutex> inner(each->mailbox.taken);
        each->mailbox.closed = true;
        each->mailbox.readable.notify_all();
        each->mailbox.writable.notify_all();
    }
}
inline FrontResidents* new_front_residents() { return new FrontResidents; }
inline void delete_front_residents(FrontResidents* all) { delete all; }
inline void delete_front_resident(FrontResident* resident) { delete resident; }
}
