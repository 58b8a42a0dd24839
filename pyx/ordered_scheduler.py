"""The Ordered Scheduler (paper 003). For users: see ``streambench.pyx.order.ordered_scheduler``."""

from streambench.pyx.order.ordered_scheduler import OrderedScheduler

__all__ = ["OrderedScheduler"]
