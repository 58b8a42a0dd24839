// The micro pipeline as a user of oneTBB would write it: parallel_pipeline, serial_in_order source -> parallel map ->
// serial_in_order count -> serial_in_order sink. It has no keyed stage that several threads could share.
#pragma once
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "arithmetic.h"
#include "pinned.h"

namespace micro {

struct Stream {
    const int64_t* key;
    const int64_t* value;
    int64_t rows, laps, keys, map_work, keyed_work;
};

struct PeerResult {
    double seconds;
    Digest digest;
};

// Where the next token's tuples are: a token lies within one lap.
struct Cursor {
    const Stream& stream;
    int64_t token, lap = 0, row = 0;

    bool next(int64_t& begin, int64_t& n) {
        if (row == stream.rows) {
            row = 0;
            ++lap;
        }
        if (lap >= stream.laps || stream.rows == 0) return false;
        begin = row;
        n = std::min(token, stream.rows - row);
        row += n;
        return true;
    }
};

template <typename Run>
PeerResult timed(int threads, Run run) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(threads));
    tbb::task_arena arena(threads);
    Pinned pinned(arena);
    PeerResult made{};
    arena.execute([&] {
        const auto begun = std::chrono::steady_clock::now();
        run(made.digest);
        made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    });
    return made;
}

// Tokens of `token` tuples, as records, through the four operators. Tokens are recycled: as they leave in order and at
// most `live` are under way, the one that `live` tokens ago used the same record has left.
inline PeerResult tbb_records(const Stream& stream, int threads, int64_t token, int64_t live) {
    struct Record {
        int64_t key;
        uint64_t value, result, count;
    };
    struct Token {
        int64_t n = 0;
        std::vector<Record> records;
    };
    std::vector<int64_t> counts(size_t(stream.keys), 0);
    std::vector<Token> tokens(static_cast<size_t>(live));
    for (Token& each : tokens) each.records.resize(size_t(token));
    Cursor cursor{stream, token};
    size_t taken = 0;
    return timed(threads, [&](Digest& digest) {
        tbb::parallel_pipeline(
            size_t(live),
            tbb::make_filter<void, Token*>(
                tbb::filter_mode::serial_in_order,
                [&](tbb::flow_control& control) -> Token* {
                    int64_t begin;
                    Token* next = &tokens[taken];
                    if (!cursor.next(begin, next->n)) {
                        control.stop();
                        return nullptr;
                    }
                    if (++taken == tokens.size()) taken = 0;
                    for (int64_t i = 0; i < next->n; ++i) {
                        next->records[i].key = stream.key[begin + i];
                        next->records[i].value = uint64_t(stream.value[begin + i]);
                    }
                    return next;
                }) &
                tbb::make_filter<Token*, Token*>(
                    tbb::filter_mode::parallel,
                    [&](Token* now) {
                        for (int64_t i = 0; i < now->n; ++i) {
                            Record& one = now->records[i];
                            one.result = work(mix(uint64_t(one.key), one.value), stream.map_work);
                        }
                        return now;
                    }) &
                tbb::make_filter<Token*, Token*>(
                    tbb::filter_mode::serial_in_order,
                    [&](Token* now) {
                        for (int64_t i = 0; i < now->n; ++i) {
                            Record& one = now->records[i];
                            one.count = work(uint64_t(++counts[size_t(one.key)]), stream.keyed_work);
                        }
                        return now;
                    }) &
                tbb::make_filter<Token*, void>(tbb::filter_mode::serial_in_order, [&](Token* now) {
                    for (int64_t i = 0; i < now->n; ++i) digest.add(now->records[i].result + now->records[i].count);
                }));
    });
}

// The same by hand: no tuple is copied, results are a column, and count and sink are one filter.
inline PeerResult tbb_by_hand(const Stream& stream, int threads, int64_t token, int64_t live) {
    struct Token {
        int64_t begin = 0, n = 0;
        std::vector<int64_t> result;
    };
    std::vector<int64_t> counts(size_t(stream.keys), 0);
    std::vector<Token> tokens(static_cast<size_t>(live));
    for (Token& each : tokens) each.result.resize(size_t(token));
    Cursor cursor{stream, token};
    size_t taken = 0;
    return timed(threads, [&](Digest& digest) {
        tbb::parallel_pipeline(
            size_t(live),
            tbb::make_filter<void, Token*>(
                tbb::filter_mode::serial_in_order,
                [&](tbb::flow_control& control) -> Token* {
                    Token* next = &tokens[taken];
                    if (!cursor.next(next->begin, next->n)) {
                        control.stop();
                        return nullptr;
                    }
                    if (++taken == tokens.size()) taken = 0;
                    return next;
                }) &
                tbb::make_filter<Token*, Token*>(
                    tbb::filter_mode::parallel,
                    [&](Token* now) {
                        const int64_t* key = stream.key + now->begin;
                        const int64_t* value = stream.value + now->begin;
                        int64_t* result = now->result.data();
                        const int64_t n = now->n, iterations = stream.map_work;
                        if (iterations == 0)
                            for (int64_t i = 0; i < n; ++i)
                                result[i] = int64_t(mix(uint64_t(key[i]), uint64_t(value[i])));
                        else
                            for (int64_t i = 0; i < n; ++i)
                                result[i] = int64_t(work(mix(uint64_t(key[i]), uint64_t(value[i])), iterations));
                        return now;
                    }) &
                tbb::make_filter<Token*, void>(tbb::filter_mode::serial_in_order, [&](Token* now) {
                    const int64_t* key = stream.key + now->begin;
                    const int64_t* result = now->result.data();
                    int64_t* table = counts.data();
                    Digest folded = digest;     // in registers
                    const int64_t n = now->n, iterations = stream.keyed_work;
                    for (int64_t i = 0; i < n; ++i)
                        folded.add(uint64_t(result[i]) + work(uint64_t(++table[key[i]]), iterations));
                    digest = folded;
                }));
    });
}

}  // namespace micro
