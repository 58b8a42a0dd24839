"""The Ordered Scheduler (paper 003). For users: see ``streambench.pyx.order.ordered_scheduler``."""

from streambench.pyx.order.ordered_scheduler cimport NOT_ISSUED, NO_ROOM, TAKEN, USED, OrderedScheduler, Outcome, task_t
