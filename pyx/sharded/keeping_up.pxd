"""Plans without trials, for streams that cannot tell how fast a plan is, or that would wait behind a trial."""

from libc.stdint cimport int64_t
from streambench.pyx.sharded.cost_model cimport Pipeline
from streambench.pyx.sharded.given cimport Given
from streambench.pyx.sharded.looks cimport Looks
from streambench.pyx.sharded.plan cimport Cuts
from streambench.pyx.sharded.trials cimport Trials

cdef Cuts keep_up(Trials* trials, const Given* given, const Pipeline* pipeline, const Looks* looks, Cuts present,
                  int64_t now, double load, int64_t behind) noexcept nogil
