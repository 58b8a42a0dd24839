"""Boost's flat hash map: open addressing, 64-bit keys, one probe in most look-ups. It mixes the keys itself."""

cdef extern from "<boost/unordered/unordered_flat_map.hpp>" namespace "boost" nogil:
    cppclass unordered_flat_map[K, V]:
        cppclass value_type:
            K first
            V second
        cppclass iterator:
            value_type& operator*()
            iterator operator++()
            bint operator==(iterator)
            bint operator!=(iterator)
        unordered_flat_map() except +
        V& operator[](K)
        iterator begin()
        iterator end()
        iterator find(K)
        size_t size()
        size_t bucket_count()           # places, each with a byte that says what is in it
        void clear()
        size_t erase(K)
        void reserve(size_t)
