from streambench.pyx.topk.monitored_summary import MonitoredSummary

class Cooperative(MonitoredSummary):
    rho: int
    def __init__(self, counters: int, threads: int = 1, rho: int = 0, sleep: float = 5e-05) -> None: ...
