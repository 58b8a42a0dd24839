"""Boxes that hold no GIL: what a box is called with, and what it gives, as C (paper 004,
section 2.1: the box interface).

A native box is a function ``void f(Call*)`` without state and without Python. The input labels have places, in the
order of the signature, from 0, and so have the output variants and the labels of each::

    from streambench.pyx.front.native_box cimport Call, doubles, give, n_doubles, put_doubles, put_tag, tag

    cdef api void scale(Call* call) noexcept nogil:     # box scale ((a, <k>) -> (a, <n>));
        cdef int64_t place, size = n_doubles(call, 0)   # 0 if it is no array of doubles
        cdef double* out
        give(call, 0)                                   # a record of the first variant
        out = put_doubles(call, 0, size)                # its a: memory to be filled
        for place in range(size):
            out[place] = doubles(call, 0)[place] * tag(call, 1)
        put_tag(call, 1, size)                          # its <n>

Tags that are not put are 0; a field that is not put, or a value that is not what the box takes it for, ends the run
with an error. What a box may see of a field: numbers, texts and one-dimensional arrays of NumPy; other objects it
can only hand on (`put_input`).
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Field

cdef extern from *:
    """
    #include <cstdint>
    #include <cstdlib>
    #include <cstring>
    #include <new>
    namespace streambench {
    struct FrontGiven { int64_t variant; size_t first; };       // a record, and where its values are
    // The labels of a box: which of its input are fields, and which of each output variant.
    struct FrontShape {
        std::vector<char> input;
        std::vector<std::vector<char>> outputs;
    };
    struct FrontCall {
        const FrontShape* shape = nullptr;
        std::vector<int64_t> input;             // tags, and fields, which the caller has
        std::vector<FrontGiven> given;
        std::vector<int64_t> values;            // of all records given: tags, and fields, which the call has
        const char* problem = nullptr;          // the first thing that went wrong; the text is not copied
        void wrong(const char* what) { if (problem == nullptr) problem = what; }
        FrontField* field(int64_t place, const char* kinds, const char* what) {
            if (place < 0 || size_t(place) >= input.size() || !shape->input[place]) return wrong(what), nullptr;
            auto* found = reinterpret_cast<FrontField*>(input[place]);
            if (found->kind == 0 || std::strchr(kinds, found->kind) == nullptr) return wrong(what), nullptr;
            return found;
        }
        int64_t* place_of(int64_t place, bool field) {
            if (given.empty()) return wrong("puts a value before it gives a record"), nullptr;
            const auto& labels = shape->outputs[given.back().variant];
            if (place < 0 || size_t(place) >= labels.size()) return wrong("puts a value at a place that its signature lacks"), nullptr;
            if (bool(labels[place]) != field)
                return wrong(field ? "puts a field where its signature has a tag" : "puts a tag where its signature has a field"), nullptr;
            int64_t* found = &values[given.back().first + place];
            if (field && *found != 0) return wrong("puts a field twice"), nullptr;
            return found;
        }
        void* put(int64_t place, char kind, bool single, int64_t length, size_t size) {
            int64_t* found = place_of(place, true);
            if (found == nullptr) return nullptr;
            if (length < 0) return wrong("puts an array of negative length"), nullptr;
            if (uint64_t(length) > (uint64_t(1) << 62) / size) throw std::bad_alloc();      // no product that wraps
            auto* field = new_front_field(nullptr);
            *found = reinterpret_cast<int64_t>(field);
            field->data = ::operator new(length > 0 ? length * size : 1);       // std::bad_alloc: the run ends
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
        size_t first = call->values.size();         // values first: no record without them, should memory be refused
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
    """
    cppclass Given "streambench::FrontGiven" nogil:
        int64_t variant
        size_t first
    cppclass Shape "streambench::FrontShape" nogil:
        vector[char] input
        vector[vector[char]] outputs
    cppclass Call "streambench::FrontCall" nogil:
        const Shape* shape
        vector[int64_t] input
        vector[Given] given
        vector[int64_t] values
        const char* problem
        void clear()
    # Of the input: the tag at a place; a number; how long an array or text is; its memory, which is not to be changed.
    # Where a value is not of the kind, the answer is 0 or NULL: ask n_doubles or n_integers before memory is looked at.
    # `length` is that of any kind, so that the memory of another may be NULL all the same.
    int64_t tag "front_tag"(Call* call, int64_t place) noexcept nogil
    double number "front_number"(Call* call, int64_t place) noexcept nogil
    int64_t length "front_length"(Call* call, int64_t place) noexcept nogil
    int64_t n_doubles "front_n_doubles"(Call* call, int64_t place) noexcept nogil  # a single double is an array of one
    int64_t n_integers "front_n_integers"(Call* call, int64_t place) noexcept nogil
    double* doubles "front_doubles"(Call* call, int64_t place) noexcept nogil
    int64_t* integers "front_integers"(Call* call, int64_t place) noexcept nogil
    char* text "front_text"(Call* call, int64_t place) noexcept nogil                   # UTF-8, `length` bytes
    # One more record of a variant; the values are put into the latest one. Arrays: memory
    # to be filled, NULL if refused.
    void give "front_give"(Call* call, int64_t variant) noexcept nogil
    void put_tag "front_put_tag"(Call* call, int64_t place, int64_t value) noexcept nogil
    void put_number "front_put_number"(Call* call, int64_t place, double value) noexcept nogil
    void put_integer "front_put_integer"(Call* call, int64_t place, int64_t value) noexcept nogil
    double* put_doubles "front_put_doubles"(Call* call, int64_t place, int64_t length) noexcept nogil
    int64_t* put_integers "front_put_integers"(Call* call, int64_t place, int64_t length) noexcept nogil
    char* put_text "front_put_text"(Call* call, int64_t place, int64_t length) noexcept nogil
    # an input field as it is
    void put_input "front_put_input"(Call* call, int64_t place, int64_t source) noexcept nogil
    # The run ends with this sentence, "box f …": a literal, as it is not copied.
    void fail "front_fail"(Call* call, const char* what) noexcept nogil

ctypedef void (*BoxPointer)(Call* call) noexcept nogil

cdef inline object native(BoxPointer function):
    """A capsule of a function that Cython has checked, as one of ``cdef api`` is not, to be ``noexcept nogil``."""
    return PyCapsule_New(<void*>function, "void (Call *)", NULL)

cdef void run_box(BoxPointer function, Call* call) noexcept nogil       # std::bad_alloc passes

cdef class NativeBox:
    cdef BoxPointer function
    cdef Shape shape
    cdef object keeps                   # whatever the function lives in
    cdef void let_go(self, Call* call, size_t record)
    cdef list values_of(self, Call* call, size_t record)

cdef void drop_given(Call* call) noexcept nogil
cdef bint lacks(Call* call) noexcept nogil
cdef Field* field_of(object value, bint seen)
cdef object object_of(Field* field)
