// What a native box is called with, and what it gives, as C; see native_box.pxd.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "record_layout.h"

namespace streambench {
// A record, and where its values are.
struct FrontGiven {
    int64_t variant;
    size_t first;
};
// The labels of a box: which of its input are fields, and which of each output variant.
struct FrontShape {
    std::vector<char> input;
    std::vector<std::vector<char>> outputs;
};
struct FrontCall {
    const FrontShape* shape = nullptr;
    std::vector<int64_t> input;  // tags, and fields, which the caller has
    std::vector<FrontGiven> given;
    std::vector<int64_t> values;    // of all records given: tags, and fields, which the call has
    const char* problem = nullptr;  // the first thing that went wrong; the text is not copied
    void wrong(const char* what) {
        if (problem == nullptr) problem = what;
    }
    FrontField* field(int64_t place, const char* kinds, const char* what) {
        if (place < 0 || size_t(place) >= input.size() || !shape->input[place]) return wrong(what), nullptr;
        auto* found = reinterpret_cast<FrontField*>(input[place]);
        if (found->kind == 0 || std::strchr(kinds, found->kind) == nullptr) return wrong(what), nullptr;
        return found;
    }
    int64_t* place_of(int64_t place, bool field) {
        if (given.empty()) return wrong("puts a value before it gives a record"), nullptr;
        const auto& labels = shape->outputs[given.back().variant];
        if (place < 0 || size_t(place) >= labels.size())
            return wrong("puts a value at a place that its signature lacks"), nullptr;
        if (bool(labels[place]) != field)
            return wrong(field ? "puts a field where its signature has a tag"
                               : "puts a tag where its signature has a field"),
                   nullptr;
        int64_t* found = &values[given.back().first + place];
        if (field && *found != 0) return wrong("puts a field twice"), nullptr;
        return found;
    }
    void* put(int64_t place, char kind, bool single, int64_t length, size_t size) {
        int64_t* found = place_of(place, true);
        if (found == nullptr) return nullptr;
        if (length < 0) return wrong("puts an array of negative length"), nullptr;
        if (uint64_t(length) > (uint64_t(1) << 62) / size) throw std::bad_alloc();  // no product that wraps
        auto* field = new_front_field(nullptr);
        *found = reinterpret_cast<int64_t>(field);
        field->data = ::operator new(length > 0 ? length * size : 1);  // std::bad_alloc: the run ends
        field->length = length, field->kind = kind, field->single = single;
        return field->data;
    }
    void clear() { input.clear(), given.clear(), values.clear(), problem = nullptr; }
};
}
static inline int64_t front_tag(streambench::FrontCall* call, int64_t place) {
    if (place < 0 || size_t(place) >= call->input.size() || call->shape->input[place])
        return call->wrong("asks for a tag at a place of its input that has none"), 0;
    return call->input[place];
}
static inline double front_number(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "dq", "takes a field for a number that is none");
    if (field == nullptr) return 0;
    if (!field->single) return call->wrong("takes a field for a number that is none"), 0;
    return field->kind == 'd' ? *static_cast<double*>(field->data) : double(*static_cast<int64_t*>(field->data));
}
static inline int64_t front_length(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "dqc", "asks for the length of a field that is no array, number or text");
    return field == nullptr ? 0 : field->length;
}
static inline int64_t front_n_doubles(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "d", "takes a field for an array of doubles that is none");
    return field == nullptr ? 0 : field->length;
}
static inline int64_t front_n_integers(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "q", "takes a field for an array of 64-bit integers that is none");
    return field == nullptr ? 0 : field->length;
}
static inline double* front_doubles(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "d", "takes a field for an array of doubles that is none");
    return field == nullptr ? nullptr : static_cast<double*>(field->data);
}
static inline int64_t* front_integers(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "q", "takes a field for an array of 64-bit integers that is none");
    return field == nullptr ? nullptr : static_cast<int64_t*>(field->data);
}
static inline char* front_text(streambench::FrontCall* call, int64_t place) {
    auto* field = call->field(place, "c", "takes a field for a text that is none");
    return field == nullptr ? nullptr : static_cast<char*>(field->data);
}
static inline void front_give(streambench::FrontCall* call, int64_t variant) {
    if (variant < 0 || size_t(variant) >= call->shape->outputs.size())
        return call->wrong("gives a variant that its signature lacks");
    size_t first = call->values.size();  // values first: no record without them, should memory be refused
    call->values.resize(first + call->shape->outputs[variant].size(), 0);
    call->given.push_back({variant, first});
}
static inline void front_put_tag(streambench::FrontCall* call, int64_t place, int64_t value) {
    if (value != int32_t(value)) return call->wrong("puts a tag that 32 bits do not hold");
    if (int64_t* found = call->place_of(place, false)) *found = value;
}
static inline void front_put_number(streambench::FrontCall* call, int64_t place, double value) {
    if (void* memory = call->put(place, 'd', true, 1, 8)) *static_cast<double*>(memory) = value;
}
static inline void front_put_integer(streambench::FrontCall* call, int64_t place, int64_t value) {
    if (void* memory = call->put(place, 'q', true, 1, 8)) *static_cast<int64_t*>(memory) = value;
}
static inline double* front_put_doubles(streambench::FrontCall* call, int64_t place, int64_t length) {
    return static_cast<double*>(call->put(place, 'd', false, length, 8));
}
static inline int64_t* front_put_integers(streambench::FrontCall* call, int64_t place, int64_t length) {
    return static_cast<int64_t*>(call->put(place, 'q', false, length, 8));
}
static inline char* front_put_text(streambench::FrontCall* call, int64_t place, int64_t length) {
    return static_cast<char*>(call->put(place, 'c', false, length, 1));
}
static inline void front_put_input(streambench::FrontCall* call, int64_t place, int64_t from) {
    if (from < 0 || size_t(from) >= call->input.size() || !call->shape->input[from])
        return call->wrong("hands a field on that its input has not");
    if (int64_t* found = call->place_of(place, true)) {
        reinterpret_cast<streambench::FrontField*>(call->input[from])->owners.fetch_add(1, std::memory_order_relaxed);
        *found = call->input[from];
    }
}
static inline void front_fail(streambench::FrontCall* call, const char* what) { call->wrong(what); }
