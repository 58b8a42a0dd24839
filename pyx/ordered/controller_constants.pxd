"""The numbers that the controller takes for granted, in one struct: what they are for is
said where their values are."""

from libc.stdint cimport int64_t

cdef struct ControllerConstants:
    # Sizing.
    int64_t first_unit
    int64_t largest_unit
    double most_work
    double unit_bytes
    double paced_work
    int64_t paced_unit
    int64_t paced_least
    int64_t units_ahead
    int64_t most_allowance
    double backlog
    double caught_up
    # Looks.
    double first_look
    double early_look
    double trial_look
    double calm_look
    double paced_look
    double long_look
    int64_t filled
    int64_t filled_whole
    double smoothed
    double stale
    # Is the stream saturated?
    double full
    double paced_full
    # Trials.
    double exploring
    double thrift
    double hopeless
    double advantage
    double plain
    double unusual
    int64_t counted
    double renewed
    int64_t averaged
    double least_lost
    double manifold
    # Waiting for a core.
    double waited
    int64_t stays
    double slices
    # Keeping up without a trial.
    double busy
    double still_busy
    int64_t late
    double cut_will_do
    # The cost model.
    double handoff_lines
    double scatter
    double visit_lines

cdef ControllerConstants constants_with(changes)
