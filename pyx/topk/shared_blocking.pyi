from streambench.pyx.topk.monitored_summary import MonitoredSummary

class Shared(MonitoredSummary):
    def __init__(self, counters: int, threads: int = 1) -> None: ...
