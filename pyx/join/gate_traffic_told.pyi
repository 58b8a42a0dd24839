from streambench.pyx.join.gate_traffic import GateTraffic as GateTraffic
