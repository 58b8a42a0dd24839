// Sums of a category's daily sales, and the least-squares line through them.
#pragma once

#include <cstdint>

namespace streambench {
// Cython has no 128-bit integers. Sums of x = days since 1900 and y = cents, over the days that had sales.
struct LineSums {
    __int128 n, x, y, xy, xx;
    void add(int64_t day, int64_t cents) {
        n += 1;
        x += day;
        y += cents;
        xy += (__int128)day * cents;
        xx += (__int128)day * day;
    }
    int64_t days() const { return int64_t(n); }
    // Exact numerators and denominator; y comes in cents, the answer in currency units.
    double slope() const { return double(n * xy - x * y) / double(n * xx - x * x) / 100.0; }
    double intercept() const { return double(y * xx - x * xy) / double(n * xx - x * x) / 100.0; }
};
}
