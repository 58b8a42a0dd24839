from streambench.pyx.join.gate_traffic import GateTraffic as GateTraffic
from streambench.pyx.join.gate_traffic import sum_of as sum_of
