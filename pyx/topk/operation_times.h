// What a thread's time goes into, where a module is compiled to measure it; see operation_times.pxd.
#pragma once

#ifndef STREAMBENCH_PROFILED
#define STREAMBENCH_PROFILED 0
#endif

namespace streambench {
struct OperationTimes {
    int64_t spent[7] = {};
    int64_t since{0};
    int32_t now{0};
};
}
