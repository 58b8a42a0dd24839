from streambench.pyx.heavy_hitters.monitored_summary import MonitoredSummary

class CooperativeLossy(MonitoredSummary):
    def __init__(self, counters: int, threads: int = 1) -> None: ...
